// @ts-check
/** Which files are shown as pictures: those whose own first bytes say so, of a size that can be decoded safely. */

/** Pixels of a picture that is shown; more would take hundreds of megabytes. */
const MOST_PIXELS = 40_000_000
const LONGEST_SIDE = 16_384
/** The first length of a GIF's text and of its control of a frame. */
const EXTENSIONS = new Map([[0x01, 12], [0xf9, 4]])

/**
 * Kind and size as the bytes say it. SVG and HTML are no pictures here: they may hold scripts.
 *
 * @param {Uint8Array} bytes the first ones
 * @returns {{type: string, width: number, height: number}|null}
 */
export function sniffed(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const has = (/** @type {number} */ at, /** @type {string} */ text) => bytes.length >= at + text.length &&
        [...text].every((character, index) => bytes[at + index] === character.charCodeAt(0))
    if (has(0, '\x89PNG\r\n\x1a\n') && has(12, 'IHDR') && bytes.length >= 24) {
        return { type: 'image/png', width: view.getUint32(16), height: view.getUint32(20) }
    }
    if ((has(0, 'GIF87a') || has(0, 'GIF89a')) && bytes.length >= 13) return gif(bytes, view)
    if (has(0, 'RIFF') && has(8, 'WEBP') && bytes.length >= 30) return webp(bytes, view, has)
    if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return jpeg(bytes, view)
    return null
}

/** @param {Uint8Array} bytes @param {DataView} view @param {(at: number, text: string) => boolean} has */
function webp(bytes, view, has) {
    const type = 'image/webp'
    if (has(12, 'VP8X')) {
        const of = (/** @type {number} */ at) => bytes[at] | bytes[at + 1] << 8 | bytes[at + 2] << 16
        return { type, width: of(24) + 1, height: of(27) + 1 }
    }
    if (has(12, 'VP8L')) {
        const bits = view.getUint32(21, true)
        return { type, width: (bits & 0x3fff) + 1, height: (bits >> 14 & 0x3fff) + 1 }
    }
    if (has(12, 'VP8 ')) {
        return { type, width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
    }
    return null
}

/**
 * A browser makes the screen as large as the frames, whatever the header says. Extensions of other lengths than they
 * should have are read otherwise by some.
 *
 * @param {Uint8Array} bytes @param {DataView} view
 */
function gif(bytes, view) {
    const colors = (/** @type {number} */ flags) => flags & 0x80 ? 3 << (flags & 7) + 1 : 0
    const size = (/** @type {number} */ place) => view.getUint16(place, true)
    let [width, height, hasFrame] = [size(6), size(8), false]
    let at = 13 + colors(bytes[10])
    while (at + 10 <= bytes.length) {
        if (bytes[at] === 0x2c) {
            width = Math.max(width, size(at + 1) + size(at + 5))
            height = Math.max(height, size(at + 3) + size(at + 7))
            hasFrame = true
            at += 11 + colors(bytes[at + 9])
        } else if (bytes[at] === 0x21) {
            const length = EXTENSIONS.get(bytes[at + 1])
            if (length !== undefined && bytes[at + 2] !== length) return null
            at += 2
        } else {
            break
        }
        while (at < bytes.length && bytes[at] !== 0) at += bytes[at] + 1
        at += 1
    }
    return hasFrame ? { type: 'image/gif', width, height } : null
}

/** @param {Uint8Array} bytes @param {DataView} view */
function jpeg(bytes, view) {
    let at = 2
    while (at + 9 < bytes.length && bytes[at] === 0xff) {
        const [marker, length] = [bytes[at + 1], view.getUint16(at + 2)]
        if (marker === 0xff) {
            at += 1
            continue
        }
        // Markers without a length, and what is no segment: a browser would go on elsewhere.
        if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xda) || length < 2) return null
        // Start of a frame, of whatever coding.
        if (marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc) {
            return { type: 'image/jpeg', height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
        }
        at += 2 + length
    }
    return null
}

/**
 * A picture for an `img`, of the type that its bytes show; null for whatever is none.
 *
 * @param {Blob} blob
 */
export async function pictureOf(blob) {
    const found = sniffed(new Uint8Array(await blob.slice(0, 1 << 18).arrayBuffer()))
    return found && isBounded(found) ? new Blob([blob], { type: found.type }) : null
}

/** @param {{width: number, height: number}} size */
function isBounded({ width, height }) {
    return width > 0 && height > 0 && width <= LONGEST_SIDE && height <= LONGEST_SIDE && width * height <= MOST_PIXELS
}

/**
 * Width and height of a picture that is about to be sent.
 *
 * @param {Blob} blob
 */
export async function pictureSize(blob) {
    const found = sniffed(new Uint8Array(await blob.slice(0, 1 << 18).arrayBuffer()))
    return found && isBounded(found) ? { width: found.width, height: found.height } : null
}
