// @ts-check
/**
 * Authenticated encryption as libsodium has it: `crypto_secretbox_easy`, `crypto_box_easy_afternm`,
 * `crypto_aead_xchacha20poly1305_ietf`. Each opening returns null where the tag is not right.
 */

import { concat, equal } from './bytes.js'
import { Poly1305 } from './poly1305.js'
import { chacha20, hchacha20, hsalsa20, xsalsa20 } from './stream.js'

export const TAG_LENGTH = 16
export const NONCE_LENGTH = 24

/**
 * The key of a box between two devices (`crypto_box_beforenm`).
 *
 * @param {Uint8Array} shared X25519's
 */
export const boxKey = (shared) => hsalsa20(shared, new Uint8Array(16))

/**
 * XSalsa20-Poly1305; with a box's key it is `crypto_box_easy_afternm`.
 *
 * @param {Uint8Array} content
 * @param {Uint8Array} nonce 24 bytes
 * @param {Uint8Array} key 32 bytes
 * @returns {Uint8Array} tag and ciphertext
 */
export function sealSecretbox(content, nonce, key) {
    // The first 32 bytes of the stream are the tag's key.
    const padded = new Uint8Array(32 + content.length)
    padded.set(content, 32)
    const stream = xsalsa20(padded, key, nonce)
    const tag = new Poly1305(stream.subarray(0, 32)).update(stream.subarray(32)).finish()
    return concat(tag, stream.subarray(32))
}

/**
 * @param {Uint8Array} sealed
 * @param {Uint8Array} nonce
 * @param {Uint8Array} key
 * @returns {Uint8Array|null}
 */
export function openSecretbox(sealed, nonce, key) {
    if (sealed.length < TAG_LENGTH) return null
    const tagKey = xsalsa20(new Uint8Array(32), key, nonce)
    const tag = new Poly1305(tagKey).update(sealed.subarray(TAG_LENGTH)).finish()
    if (!equal(tag, sealed.subarray(0, TAG_LENGTH))) return null
    const padded = new Uint8Array(32 + sealed.length - TAG_LENGTH)
    padded.set(sealed.subarray(TAG_LENGTH), 32)
    return xsalsa20(padded, key, nonce).slice(32)
}

/**
 * @param {Uint8Array} nonce 24 bytes
 * @param {Uint8Array} key
 * @returns {[Uint8Array, Uint8Array]} key and nonce of ChaCha20
 */
const extended = (nonce, key) => [
    hchacha20(key, nonce.subarray(0, 16)), concat(new Uint8Array(4), nonce.subarray(16, 24)),
]

/**
 * @param {Uint8Array} tagKey
 * @param {Uint8Array} data
 * @param {Uint8Array} sealed
 */
function aeadTag(tagKey, data, sealed) {
    const lengths = new DataView(new ArrayBuffer(16))
    lengths.setUint32(0, data.length, true)
    lengths.setUint32(8, sealed.length, true)
    return new Poly1305(tagKey).update(data).align().update(sealed).align()
        .update(new Uint8Array(lengths.buffer)).finish()
}

/**
 * XChaCha20-Poly1305-IETF.
 *
 * @param {Uint8Array} content
 * @param {Uint8Array} data associated
 * @param {Uint8Array} nonce 24 bytes
 * @param {Uint8Array} key 32 bytes
 * @returns {Uint8Array} ciphertext and tag
 */
export function sealXChaCha(content, data, nonce, key) {
    const [subkey, subnonce] = extended(nonce, key)
    const sealed = chacha20(content, subkey, subnonce, 1)
    return concat(sealed, aeadTag(chacha20(new Uint8Array(32), subkey, subnonce, 0), data, sealed))
}

/**
 * @param {Uint8Array} sealed
 * @param {Uint8Array} data
 * @param {Uint8Array} nonce
 * @param {Uint8Array} key
 * @returns {Uint8Array|null}
 */
export function openXChaCha(sealed, data, nonce, key) {
    if (sealed.length < TAG_LENGTH) return null
    const [subkey, subnonce] = extended(nonce, key)
    const content = sealed.subarray(0, sealed.length - TAG_LENGTH)
    const tag = aeadTag(chacha20(new Uint8Array(32), subkey, subnonce, 0), data, content)
    if (!equal(tag, sealed.subarray(sealed.length - TAG_LENGTH))) return null
    return chacha20(content, subkey, subnonce, 1)
}
