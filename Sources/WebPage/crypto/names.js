// @ts-check
/** What is signed, compared and written down: certificates, key ids, safety numbers, link codes, recovery keys. */

import { blake2b } from './blake2b.js'
import { openXChaCha, sealXChaCha } from './boxes.js'
import { compare, concat, equal, fields, fromBase64URL, toBase64URL, toHex, utf8 } from './bytes.js'
import { random, sha256, sha512 } from './curves.js'

/** @typedef {{user: string, device: string}} Address */

const ID = /^[A-Za-z0-9_-]{1,64}$/

/** The id of a user or a device. @param {string} text */
export const isID = (text) => ID.test(text)

/** The first 8 bytes of BLAKE2b-256 of an identity key. @param {Uint8Array} identity */
export const keyIDOf = (identity) => blake2b(identity, 32).slice(0, 8)

/**
 * The id of the direct conversation of two users.
 *
 * @param {string} one
 * @param {string} other
 */
export async function directConversation(one, other) {
    const [first, second] = [utf8(one), utf8(other)].sort(compare)
    const digest = (await sha256(fields(first, second))).slice(0, 16)
    digest[6] = (digest[6] & 0x0f) | 0x80
    digest[8] = (digest[8] & 0x3f) | 0x80
    return uuid(digest)
}

/** @param {Uint8Array} bytes 16 */
function uuid(bytes) {
    const text = toHex(bytes)
    return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join('-')
}

/** Whether a UUID is name-based, as only those of direct conversations are. @param {string} id */
export const isNameBased = (id) => id[14] === '8'

// What is signed

/**
 * What a device's signing key signs.
 *
 * @param {Address} address
 * @param {Uint8Array} identity
 */
export const signedPart = (address, identity) =>
    fields('parley/v1 keys', address.user, address.device, identity)

/**
 * What an account key signs of a device.
 *
 * @param {Address} address
 * @param {Uint8Array} identity
 * @param {Uint8Array} signing
 * @param {number} issuedAt in milliseconds since 1970
 */
export const certifiedPart = (address, identity, signing, issuedAt) =>
    fields('parley/v1 device', address.user, address.device, identity, signing, String(issuedAt))

// Safety numbers

/**
 * @param {string} user
 * @param {Uint8Array|readonly Uint8Array[]} keys the account key, or the identity keys of a user without one
 * @returns {Promise<Uint8Array>} 30 bytes
 */
export async function fingerprint(user, keys) {
    const isAccount = keys instanceof Uint8Array
    const joined = isAccount ? keys : concat(...[...keys].sort(compare))
    let digest = concat(Uint8Array.of(0, isAccount ? 1 : 0), joined, utf8(user))
    for (let round = 0; round < 5200; round++) digest = await sha512(concat(digest, joined))
    return digest.slice(0, 30)
}

/** Six groups of five digits. @param {Uint8Array} print */
export function groupsOf(print) {
    const groups = []
    for (let at = 0; at < 30; at += 5) {
        // Below 2^40, so it is exact.
        const number = print.subarray(at, at + 5).reduce((sum, byte) => sum * 256 + byte, 0)
        groups.push(String(number % 100000).padStart(5, '0'))
    }
    return groups
}

/**
 * @param {Uint8Array} one
 * @param {Uint8Array} other
 */
export const safetyDigits = (one, other) => [groupsOf(one).join(''), groupsOf(other).join('')].sort().join('')

/**
 * @param {string} own
 * @param {string} other
 * @param {Uint8Array} ownPrint
 * @param {Uint8Array} otherPrint
 */
export const safetyCode = (own, other, ownPrint, otherPrint) =>
    `parley-safety/1/${own}/${other}/${toBase64URL(ownPrint)}/${toBase64URL(otherPrint)}`

/**
 * Compares the code of another screen with what this device sees.
 *
 * @param {string} scanned
 * @param {string} own
 * @param {string} other
 * @param {Uint8Array} ownPrint
 * @param {Uint8Array} otherPrint
 * @returns {'match'|'mismatch'|'otherUsers'|'unreadable'|'newerVersion'}
 */
export function compareSafetyCode(scanned, own, other, ownPrint, otherPrint) {
    const parts = scanned.length <= 512 ? scanned.split('/') : []
    if (parts[0] !== 'parley-safety' || parts.length < 2) return 'unreadable'
    if (parts[1] !== '1') return /^[1-9][0-9]{0,8}$/.test(parts[1]) ? 'newerVersion' : 'unreadable'
    if (parts.length !== 6 || !isID(parts[2]) || !isID(parts[3])) return 'unreadable'
    const [theirs, ours] = [fromBase64URL(parts[4]), fromBase64URL(parts[5])]
    if (theirs?.length !== 30 || ours?.length !== 30) return 'unreadable'
    if (parts[2] !== other || parts[3] !== own) return 'otherUsers'
    return equal(theirs, otherPrint) && equal(ours, ownPrint) ? 'match' : 'mismatch'
}

// Link codes

/**
 * @typedef {{identity: Uint8Array, signing: Uint8Array, link: Uint8Array}} Offer the public keys of a new device
 */

/**
 * @param {Address} address
 * @param {Offer} offer
 */
const offerDigest = (address, offer) =>
    blake2b(fields('parley/v1 link', address.user, address.device, offer.identity, offer.signing, offer.link), 32)

/**
 * @param {Address} address
 * @param {Offer} offer
 */
export const linkCode = (address, offer) =>
    `parley-link/1/${address.user}/${address.device}/${toBase64URL(offerDigest(address, offer))}`

/**
 * @param {string} text
 * @returns {{address: Address, binds: (offer: Offer) => boolean}|null}
 */
export function readLinkCode(text) {
    const parts = text.length <= 256 ? text.trim().split('/') : []
    if (parts.length !== 5 || parts[0] !== 'parley-link' || parts[1] !== '1') return null
    const digest = fromBase64URL(parts[4])
    if (!isID(parts[2]) || !isID(parts[3]) || digest?.length !== 32) return null
    const address = { user: parts[2], device: parts[3] }
    return { address, binds: (offer) => equal(offerDigest(address, offer), digest) }
}

// Recovery keys and backups

/** Crockford's base 32. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** CRC-12 by the polynomial 0x80F, from zero. @param {Uint8Array} bytes */
function crc12(bytes) {
    let remainder = 0
    for (const byte of bytes) {
        for (let shift = 7; shift >= 0; shift--) {
            const feedback = (remainder >> 11) ^ ((byte >> shift) & 1)
            remainder = ((remainder << 1) & 0xfff) ^ (feedback * 0x80f)
        }
    }
    return remainder
}

/**
 * Seven groups of four.
 *
 * @param {Uint8Array} key 16 bytes
 */
export function recoveryText(key) {
    const bits = [...key].map((byte) => byte.toString(2).padStart(8, '0')).join('')
        + crc12(key).toString(2).padStart(12, '0')
    const letters = bits.match(/.{5}/g)?.map((group) => ALPHABET[parseInt(group, 2)]).join('') ?? ''
    return letters.match(/.{4}/g)?.join(' ') ?? ''
}

/**
 * @param {string} text
 * @returns {Uint8Array|null} null for a slip
 */
export function readRecoveryText(text) {
    const letters = text.slice(0, 256).toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1')
    if (letters.length !== 28 || [...letters].some((letter) => !ALPHABET.includes(letter))) return null
    const bits = [...letters].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('')
    const key = Uint8Array.from(bits.slice(0, 128).match(/.{8}/g) ?? [], (byte) => parseInt(byte, 2))
    return crc12(key) === parseInt(bits.slice(128), 2) ? key : null
}

/** @param {Uint8Array} recovery */
const backupKey = (recovery) => blake2b(utf8('parley/v1 recovery'), 32, recovery)

/**
 * @param {Uint8Array} seed of the account
 * @param {string} user
 * @param {Uint8Array} recovery
 */
export function sealBackup(seed, user, recovery) {
    const nonce = random(24)
    return concat(nonce, sealXChaCha(seed, utf8(`parley/v1 backup${user}`), nonce, backupKey(recovery)))
}

/**
 * @param {Uint8Array} blob
 * @param {string} user
 * @param {Uint8Array} recovery
 * @returns {Uint8Array|null} the seed
 */
export function openBackup(blob, user, recovery) {
    if (blob.length !== 24 + 32 + 16) return null
    return openXChaCha(blob.subarray(24), utf8(`parley/v1 backup${user}`), blob.subarray(0, 24), backupKey(recovery))
}
