// @ts-check
/** What the views do with hostile files and with long conversations. */
import { safeName } from '/Sources/WebPage/views/attachment.js'
import { Ending, el } from '/Sources/WebPage/views/dom.js'
import { LongList } from '/Sources/WebPage/views/long-list.js'
import { pictureOf, sniffed } from '/Sources/WebPage/views/picture.js'
import { same, test } from './harness.js'

test('the name of a download has no folders, no marks that turn it, and keeps its ending', () => {
    /** @type {[string, string][]} */
    const cases = [
        ['a.pdf', 'a.pdf'], ['../../etc/passwd', 'passwd'], ['..\\..\\C:\\Windows\\x.exe', 'x.exe'], ['/', 'file'],
        ['', 'file'],
        ['..', 'file'], ['.bashrc', 'bashrc'], ['C:evil.txt', 'Cevil.txt'], ['a\u202Egnp.exe', 'agnp.exe'],
        ['a\0b\n.txt', 'ab.txt'],
        ['x.txt. .', 'x.txt'], ['a<b>|?*".txt', 'ab.txt'], ['\ud800.txt', 'txt'],
        [`${'n'.repeat(5000)}.pdf`, `${'n'.repeat(116)}.pdf`], [`${'n'.repeat(5000)}/`, 'file'],
    ]
    for (const [given, wanted] of cases) same(safeName(given), wanted, JSON.stringify(given))
})

/** @param {...(string|Uint8Array)} parts */
const blob = (...parts) => new Blob(/** @type {BlobPart[]} */ (parts), { type: 'image/png' })

/** @param {number} width @param {number} height */
function png(width, height) {
    const bytes = new Uint8Array(33)
    bytes.set([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52])
    new DataView(bytes.buffer).setUint32(16, width)
    new DataView(bytes.buffer).setUint32(20, height)
    return bytes
}

test('what says that it is a picture and is none is not shown as one', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'
    const others = [svg, `<?xml version="1.0"?>${svg}`, '<!doctype html><script>alert(1)</script>', '', 'GIF89',
        '\xff\xd8', 'RIFF....WEBP']
    for (const text of others) same(await pictureOf(blob(text)), null, text)
    same(await pictureOf(blob('GIF89a<script>alert(1)</script>'.slice(0, 8))), null, 'a short GIF')
    const shown = await pictureOf(blob(png(10, 10), svg))
    same(shown?.type, 'image/png', 'a PNG with SVG behind it')
    same(sniffed(png(10, 10))?.type, 'image/png', 'a PNG')
})

test('a picture of too many pixels is not decoded', async () => {
    for (const [width, height] of [[100_000, 1], [1, 100_000], [16_000, 16_000], [0, 5], [0xffffffff, 0xffffffff]]) {
        same(await pictureOf(blob(png(width, height))), null, `${width} by ${height}`)
    }
})

/** @param {[number, number]} screen @param {[number, number]} frame @param {number[]} [extension] before the frame */
function gif(screen, frame, extension = []) {
    const pair = (/** @type {number} */ number) => [number & 255, number >> 8]
    return new Uint8Array([
        ...new TextEncoder().encode('GIF89a'), ...screen.flatMap(pair), 0x80, 0, 0, 0, 0, 0, 255, 255, 255,
        ...extension, 0x2c, 0, 0, 0, 0, ...frame.flatMap(pair), 0, 2, 2, 0x4c, 1, 0, 0x3b,
    ])
}

test('a GIF whose frames are larger than its screen is measured by its frames', async () => {
    same(sniffed(gif([3, 5], [2, 2])), { type: 'image/gif', width: 3, height: 5 })
    same(sniffed(gif([1, 1], [22_000, 22_000])), { type: 'image/gif', width: 22_000, height: 22_000 })
    same(await pictureOf(blob(gif([1, 1], [22_000, 22_000]))), null, 'a large frame')
    const control = [0x21, 0xf9, 4, 0, 0, 0, 0, 0]
    same(sniffed(gif([1, 1], [7, 7], control))?.width, 7, 'a frame with a control')
    const comment = [0x21, 0xfe, 3, 0x2c, 0, 0, 0]
    same(sniffed(gif([1, 1], [7, 7], comment))?.width, 7, 'a frame with a comment')
    // Some read four bytes of it whatever it says.
    same(sniffed(gif([1, 1], [7, 7], [0x21, 0xf9, 1, 0, 0])), null, 'a short control')
    same(sniffed(gif([1, 1], [7, 7]).slice(0, 19)), null, 'no frame')
    const second = [...gif([1, 1], [1, 1]).slice(0, -1), ...gif([1, 1], [0, 22_000]).slice(19)]
    same(sniffed(new Uint8Array(second))?.height, 22_000, 'a large second frame')
})

test('a JPEG is measured by the frame that a browser reads', () => {
    const pair = (/** @type {number} */ size) => [size >> 8, size & 255]
    const frame = (/** @type {number} */ size) =>
        [0xff, 0xc0, 0, 17, 8, ...pair(size), ...pair(size), ...Array(12).fill(0)]
    const of = (/** @type {number[]} */ ...bytes) => sniffed(new Uint8Array([0xff, 0xd8, 0xff, ...bytes]))
    same(of(0xe0, 0, 4, 1, 2, ...frame(300)), { type: 'image/jpeg', height: 300, width: 300 })
    // Markers that have no length, and what is none: the large frame would count.
    for (const marker of [0x00, 0x01, 0xd0, 0xd7, 0xd8, 0xd9, 0xda]) {
        same(of(marker, 0, 23, ...frame(20_000), ...frame(1)), null, `the marker ${marker}`)
    }
    same(of(0xe0, 0, 0, ...frame(20_000)), null, 'a segment shorter than its length')
})

test('10,000 messages scroll with few of them in the document, each frame drawn in time', async () => {
    const ending = new Ending()
    const items = Array.from({ length: 10_000 }, (_, index) =>
        ({ key: String(index), text: 'word '.repeat(1 + index * 7 % 60) }))
    const list = new LongList({
        key: item => item.key, render: item => el('div', {}, el('p', {}, item.text)), reachBegin: () => {},
        onScroll: () => {}, ending,
    })
    const frame = () => new Promise(resolve => requestAnimationFrame(resolve))
    list.element.style.cssText = 'position: fixed; inset: 0 auto auto 0; width: 600px; height: 700px; overflow: auto'
    list.body.style.cssText = 'position: relative; overflow: clip'
    document.body.append(list.element)
    list.show(items)
    await frame()
    await frame()
    const { element } = list
    same(element.scrollHeight - element.scrollTop - element.clientHeight < 2, true, 'it begins at its end')
    /** @type {number[]} */
    const times = []
    const render = list.render.bind(list)
    list.render = () => {
        const began = performance.now()
        render()
        times.push(performance.now() - began)
    }
    let most = 0
    for (let step = 0; step < 120; step++) {
        element.scrollTop -= step % 10 ? 120 : 5000
        await frame()
        most = Math.max(most, list.body.childElementCount)
    }
    ending.end()
    element.remove()
    times.sort((one, other) => one - other)
    same(most > 5 && most < 150, true, `${most} rows at once`)
    same(times[times.length >> 1] < 8, true, `half of all frames took more than ${times[times.length >> 1]} ms`)
})
