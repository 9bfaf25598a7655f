// @ts-check
/** Bytes: texts, hexadecimal, base64, fields with their length. */

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** @param {string} text */
export const utf8 = (text) => encoder.encode(text)

/**
 * @param {Uint8Array} bytes
 * @throws {TypeError} where they are no UTF-8
 */
export const textOf = (bytes) => decoder.decode(bytes)

/**
 * @param {...Uint8Array} parts
 * @returns {Uint8Array}
 */
export function concat(...parts) {
    const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
    let at = 0
    for (const part of parts) {
        joined.set(part, at)
        at += part.length
    }
    return joined
}

/**
 * Each part with its 16-bit big-endian length before it.
 *
 * @param {...(Uint8Array|string)} parts
 */
export function fields(...parts) {
    const written = []
    for (const part of parts) {
        const bytes = typeof part === 'string' ? utf8(part) : part
        if (bytes.length > 0xffff) throw new RangeError('a field is longer than 65,535 bytes')
        written.push(Uint8Array.of(bytes.length >> 8, bytes.length & 255), bytes)
    }
    return concat(...written)
}

/**
 * Whether both are the same, in a time that depends on their lengths alone.
 *
 * @param {Uint8Array} one
 * @param {Uint8Array} other
 */
export function equal(one, other) {
    if (one.length !== other.length) return false
    let difference = 0
    for (let index = 0; index < one.length; index++) difference |= one[index] ^ other[index]
    return difference === 0
}

/**
 * Bytewise order; negative, 0 or positive. Not for secrets.
 *
 * @param {Uint8Array} one
 * @param {Uint8Array} other
 */
export function compare(one, other) {
    const length = Math.min(one.length, other.length)
    for (let index = 0; index < length; index++) {
        if (one[index] !== other[index]) return one[index] - other[index]
    }
    return one.length - other.length
}

/** @param {Uint8Array} bytes */
export const isZero = (bytes) => equal(bytes, new Uint8Array(bytes.length))

/** @param {string} text */
export function fromHex(text) {
    const bytes = new Uint8Array(text.length / 2)
    for (let index = 0; index < bytes.length; index++) bytes[index] = parseInt(text.slice(2 * index, 2 * index + 2), 16)
    return bytes
}

/** @param {Uint8Array} bytes */
export const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

/** @param {Uint8Array} bytes */
function binary(bytes) {
    let text = ''
    for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192))
    return text
}

/**
 * Standard base64 with padding (RFC 4648 §4).
 *
 * @param {Uint8Array} bytes
 */
export const toBase64 = (bytes) => btoa(binary(bytes))

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/**
 * @param {string} text
 * @returns {Uint8Array|null} null unless it is canonical base64 with padding
 */
export function fromBase64(text) {
    if (text.length % 4 !== 0 || !BASE64.test(text)) return null
    const decoded = atob(text)
    const bytes = new Uint8Array(decoded.length)
    for (let index = 0; index < bytes.length; index++) bytes[index] = decoded.charCodeAt(index)
    // The unused bits of the last character are zero.
    if (text.endsWith('=') && toBase64(bytes.subarray(-(bytes.length % 3))) !== text.slice(-4)) return null
    return bytes
}

/**
 * base64url without padding (RFC 4648 §5).
 *
 * @param {Uint8Array} bytes
 */
export const toBase64URL = (bytes) =>
    toBase64(bytes).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '')

/** @param {string} text */
export function fromBase64URL(text) {
    if (!/^[A-Za-z0-9_-]*$/.test(text)) return null
    const standard = text.replace(/-/g, '+').replace(/_/g, '/')
    return fromBase64(standard + '='.repeat((4 - (standard.length % 4)) % 4))
}
