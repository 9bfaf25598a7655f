// @ts-check
/** The header of a message and the three suites (docs/encryption.md). */

import { blake2b } from './blake2b.js'
import { boxKey, openSecretbox, openXChaCha, sealSecretbox, sealXChaCha } from './boxes.js'
import { concat, equal, fields, utf8 } from './bytes.js'
import { deriveAES, importAES, openAES, sealAES } from './curves.js'

/**
 * @typedef {{user: string, device: string}} Address
 *
 * @typedef {object} Header what a message is bound to
 * @property {string} suite
 * @property {string} conversation
 * @property {string} id of the record
 * @property {Address} sender
 * @property {string} type
 * @property {string|null} replyTo
 * @property {string} kind
 * @property {string|null} target
 * @property {number|null} expiresIn whole seconds
 *
 * @typedef {object} Pair two devices' keys, the sender's first
 * @property {Uint8Array} shared X25519's
 * @property {Uint8Array} sender public key
 * @property {Uint8Array} recipient public key
 *
 * @typedef {object} Suite
 * @property {number} nonceLength
 * @property {number} keyLength of an `encrypted_key`
 * @property {boolean} isDirect
 * @property {(pair: Pair, conversation: string) => Promise<any>} pairwise
 * @property {(bytes: Uint8Array) => Promise<any>} contentKey
 * @property {(key: any, nonce: Uint8Array, content: Uint8Array, header: Uint8Array) => Promise<Uint8Array>} seal
 * @property {(key: any, nonce: Uint8Array, sealed: Uint8Array, header: Uint8Array) => Promise<Uint8Array|null>} open
 * @property {(key: any, nonce: Uint8Array, contentKey: Uint8Array, commitment: Uint8Array) =>
 *   Promise<Uint8Array>} wrap
 * @property {(key: any, wrapped: Uint8Array, commitment: Uint8Array) => Promise<Uint8Array|null>} unwrap
 */

/** @param {Header} header */
export const headerBytes = (header) =>
    fields(
        'parley/v1', header.suite, header.conversation, header.id, header.sender.user, header.sender.device,
        header.type,
        header.replyTo ?? '', header.kind, header.target ?? '',
        header.expiresIn === null ? '' : String(header.expiresIn))

/**
 * What a content key's recipients are told of the message: the pairwise key vouches for it.
 *
 * @param {Uint8Array} header
 * @param {Uint8Array} nonce
 * @param {Uint8Array} content sealed
 */
export const commitmentOf = (header, nonce, content) => blake2b(concat(header, nonce, content), 32)

const LABEL = utf8('parley/v1\0')

/** @type {Suite} */
const aes256gcm = {
    nonceLength: 12,
    keyLength: 60,
    isDirect: true,
    pairwise: (pair, conversation) =>
        deriveAES(pair.shared, utf8(conversation), concat(LABEL, pair.sender, pair.recipient)),
    contentKey: importAES,
    seal: sealAES,
    open: openAES,
    wrap: async (key, nonce, contentKey, commitment) =>
        concat(nonce, await sealAES(key, nonce, contentKey, commitment)),
    unwrap: (key, wrapped, commitment) => openAES(key, wrapped.subarray(0, 12), wrapped.subarray(12), commitment),
}

/** `nonce ‖ crypto_box_easy(content key ‖ commitment)`. */
const wrappedByBox = {
    keyLength: 104,
    /** @param {Pair} pair */
    pairwise: async (pair) => boxKey(pair.shared),
    /** @param {Uint8Array} bytes */
    contentKey: async (bytes) => bytes,
    /** @type {Suite['wrap']} */
    wrap: async (key, nonce, contentKey, commitment) =>
        concat(nonce, sealSecretbox(concat(contentKey, commitment), nonce, key)),
    /** @type {Suite['unwrap']} */
    unwrap: async (key, wrapped, commitment) => {
        const opened = openSecretbox(wrapped.subarray(24), wrapped.subarray(0, 24), key)
        if (opened?.length !== 64 || !equal(opened.subarray(32), commitment)) return null
        return opened.slice(0, 32)
    },
}

/** There is no associated data, so the header stands in the plaintext. @type {Suite} */
const naclBox = {
    ...wrappedByBox,
    nonceLength: 24,
    isDirect: true,
    seal: async (key, nonce, content, header) => sealSecretbox(concat(fields(header), content), nonce, key),
    open: async (key, nonce, sealed) => openSecretbox(sealed, nonce, key),
}

/** @type {Suite} */
const groupBox = {
    ...wrappedByBox,
    nonceLength: 24,
    isDirect: false,
    seal: async (key, nonce, content, header) => sealXChaCha(content, header, nonce, key),
    open: async (key, nonce, sealed, header) => openXChaCha(sealed, header, nonce, key),
}

export const DIRECT_SUITE = 'x25519-hkdf-sha256-aes256gcm'
export const GROUP_SUITE = 'group-box'
export const LEGACY_SUITE = 'legacy-nacl-box'

/** @type {ReadonlyMap<string, Suite>} */
export const SUITES = new Map([[DIRECT_SUITE, aes256gcm], ['nacl-box', naclBox], [GROUP_SUITE, groupBox]])

/**
 * The content of an opened `nacl-box`, whose header stands before it.
 *
 * @param {Uint8Array} opened
 * @param {Uint8Array} header
 * @returns {Uint8Array|null} null for another header
 */
export function withoutHeader(opened, header) {
    const expected = fields(header)
    if (opened.length < expected.length || !equal(opened.subarray(0, expected.length), expected)) return null
    return opened.slice(expected.length)
}
