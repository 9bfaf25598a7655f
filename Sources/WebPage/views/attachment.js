// @ts-check
/** Pictures, files and recordings in a message. Nothing is shown by the sender's word for its kind. */
import { el, fill, isolated } from './dom.js'
import { describe } from './errors.js'
import { formatDuration, formatSize } from './format.js'
import { icon } from './icons.js'
import { iconButton } from './parts.js'
import { pictureOf } from './picture.js'

/** @typedef {import('../client/types.js').Message} Message */
/** @typedef {import('../client/types.js').FileReference} FileReference */

/** Pictures up to this size are fetched without being asked for, in bytes. */
const FETCHED = 5_000_000
const LONGEST_NAME = 120

/**
 * @param {Message} message
 * @param {FileReference} file
 * @param {import('./message.js').Surroundings} around
 */
export function attachment(message, file, around) {
    if (message.type === 'image') return picture(message, file, around)
    if (message.type === 'voice') return recording(message, file, around)
    return plainFile(message, file, around)
}

/**
 * What was opened of a client's messages, by digest, so that a row that comes again shows it at once.
 *
 * @type {WeakMap<import('../client/types.js').Client, Map<string, {message: string, blob: Promise<Blob>}>>}
 */
const caches = new WeakMap()
const KEPT = 40

/** @param {import('../client/types.js').Client} client */
function cacheOf(client) {
    const known = caches.get(client)
    if (known) return known
    const cache = new Map()
    caches.set(client, cache)
    // What has disappeared or was deleted does not stay here.
    client.on('messages', async ({ ids }) => {
        for (const [key, { message }] of cache) {
            if (!ids.includes(message)) continue
            const now = await client.messages.get(message).catch(() => null)
            if (now?.state !== 'opened') cache.delete(key)
        }
    })
    return cache
}

/**
 * @param {Message} message
 * @param {FileReference} file
 * @param {import('./message.js').Surroundings} around
 * @param {(got: number, total: number) => void} [onProgress]
 * @returns {Promise<Blob>}
 */
function open(message, file, around, onProgress) {
    const cache = cacheOf(around.client)
    const key = String(file.digest)
    const known = cache.get(key)
    if (known) return known.blob
    const blob = around.client.attachments.open(file, { onProgress })
    cache.set(key, { message: message.id, blob })
    blob.catch(() => cache.delete(key))
    const [oldest] = cache.keys()
    if (cache.size > KEPT) cache.delete(oldest)
    return blob
}

/** Gives up the pictures of a row that is gone. @param {Element} row */
export function release(row) {
    for (const image of row.querySelectorAll('img')) URL.revokeObjectURL(image.src)
}

/** @param {Message} message @param {FileReference} file @param {import('./message.js').Surroundings} around */
function picture(message, file, around) {
    const [width, height] = [message.content?.width ?? 0, message.content?.height ?? 0]
    const frame = el('div', { class: 'picture' })
    const ratio = width && height ? Math.min(2.2, Math.max(0.5, width / height)) : 4 / 3
    frame.style.aspectRatio = String(ratio)
    const load = async () => {
        fill(frame, el('span', { class: 'spinner' }))
        try {
            const blob = await pictureOf(await open(message, file, around))
            const showFile = () => {
                release(frame)
                frame.style.aspectRatio = 'auto'
                fill(frame, plainFile(message, file, around, 'This is no picture that can be shown.'))
            }
            if (!blob) return showFile()
            // The row has gone meanwhile, and gives up nothing any more.
            if (!frame.isConnected) return
            // Its first bytes may be a picture's, and the others not.
            const image = el('img', { alt: message.content?.caption || 'Picture', on: { error: showFile } })
            image.src = URL.createObjectURL(blob)
            fill(frame, el('button', { type: 'button', 'aria-label': 'Show the picture',
                on: { click: () => enlarge(blob, image.alt) } }, image))
        } catch (error) {
            fill(frame, failed(error, load))
        }
    }
    if (file.size <= FETCHED) load()
    else fill(frame, el('button', { type: 'button', class: 'fetch', on: { click: load } }, icon('down'),
        formatSize(file.size)))
    return frame
}

/** @param {Blob} blob @param {string} alt */
function enlarge(blob, alt) {
    const url = URL.createObjectURL(blob)
    const element = el('dialog', { class: 'lightbox', 'aria-label': alt })
    const close = () => element.close()
    element.append(iconButton('Close', 'close', close), el('img', { src: url, alt, on: { click: close } }))
    element.addEventListener('close', () => {
        element.remove()
        URL.revokeObjectURL(url)
    })
    document.body.append(element)
    element.showModal()
}

/** @param {unknown} error @param {() => void} again */
function failed(error, again) {
    return el('button', { type: 'button', class: 'fetch', on: { click: again } }, icon('warning'), describe(error),
        ' Try again')
}

/**
 * @param {Message} message
 * @param {FileReference} file
 * @param {import('./message.js').Surroundings} around
 * @param {string} [note]
 */
function plainFile(message, file, around, note) {
    const status = el('span', { class: 'help' }, note ?? formatSize(file.size))
    const save = async () => {
        try {
            const blob = await open(message, file, around, (got, total) => {
                status.textContent = `${Math.round(100 * got / Math.max(1, total))} %`
            })
            // A download, whatever it is: the browser opens nothing of it here.
            const url = URL.createObjectURL(new Blob([blob], { type: 'application/octet-stream' }))
            el('a', { href: url, download: safeName(file.name) }).click()
            setTimeout(() => URL.revokeObjectURL(url), 60_000)
            status.textContent = formatSize(file.size)
        } catch (error) {
            status.textContent = describe(error)
        }
    }
    return el('button', { type: 'button', class: 'file', on: { click: save } },
        el('span', { class: 'card-icon' }, icon('file')),
        el('span', { class: 'entry-text' }, isolated(safeName(file.name), 'file-name'), status))
}

/** A name without folders, control characters, and marks that turn the direction. @param {string} name */
export function safeName(name) {
    const last = name.split(/[/\\]/u).at(-1) ?? ''
    const plain = last.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}<>:"|?*]/gu, '').replace(/^[.\s]+|[.\s]+$/gu, '')
    if (plain.length <= LONGEST_NAME) return plain || 'file'
    // What is cut is of the middle: the end says what kind of file it is.
    const ending = /\.[^.]{1,16}$/u.exec(plain)?.[0] ?? ''
    return plain.slice(0, LONGEST_NAME - ending.length).replace(/\p{Cs}$/u, '') + ending
}

/** @param {Message} message @param {FileReference} file @param {import('./message.js').Surroundings} around */
function recording(message, file, around) {
    const total = message.content?.durationMs ?? 0
    const time = el('span', { class: 'help' }, formatDuration(total))
    const bar = el('input', { type: 'range', min: 0, max: 1000, value: 0, 'aria-label': 'Position' })
    /** @type {HTMLAudioElement|null} */
    let audio = null
    const toggle = iconButton('Play', 'play', async () => {
        try {
            audio ??= await prepare()
            if (audio.paused) await audio.play()
            else audio.pause()
        } catch (error) {
            time.textContent = describe(error)
        }
    }, 'primary')
    const prepare = async () => {
        const blob = await open(message, file, around)
        if (!blob.type.startsWith('audio/')) throw new Error('This is no recording.')
        const url = URL.createObjectURL(blob)
        const made = new Audio(url)
        const length = () => Number.isFinite(made.duration) && made.duration > 0 ? made.duration * 1000 : total
        const show = () => {
            const now = made.currentTime * 1000
            bar.value = String(length() ? Math.round(1000 * now / length()) : 0)
            time.textContent = formatDuration(made.paused && now === 0 ? total : now)
            fill(toggle, icon(made.paused ? 'play' : 'pause'))
            toggle.setAttribute('aria-label', made.paused ? 'Play' : 'Pause')
        }
        for (const event of ['timeupdate', 'play', 'pause', 'ended']) made.addEventListener(event, show)
        bar.addEventListener('input', () => { made.currentTime = Number(bar.value) / 1e6 * length() })
        around.ending.add(() => made.pause(), () => URL.revokeObjectURL(url))
        return made
    }
    return el('div', { class: 'recording' }, toggle, bar, time)
}
