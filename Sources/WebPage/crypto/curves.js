// @ts-check
/**
 * X25519, Ed25519, HKDF, AES-GCM and random bytes by WebCrypto.
 *
 * A private key is a `CryptoKey` whose bytes no script can read, but for an account's: its seed is handed to linked
 * devices and to the backup (client/own-keys.js).
 */

import { blake2b } from './blake2b.js'
import { concat, equal, fromBase64URL, fromHex, isZero } from './bytes.js'
import { boxKey, openSecretbox, sealSecretbox } from './boxes.js'

/**
 * @typedef {{privateKey: CryptoKey, publicKey: Uint8Array}} KeyPair the public half as its 32 bytes
 */

const { subtle } = crypto

/** @param {number} count */
export const random = (count) => crypto.getRandomValues(new Uint8Array(count))

/** Whether this browser has the curves, and keeps their keys. */
export async function hasCurves() {
    try {
        const pair = await generateIdentity()
        const signing = await generateSigning()
        await sign(signing.privateKey, new Uint8Array(1))
        return !isZero(await agree(pair.privateKey, (await generateIdentity()).publicKey))
    } catch {
        return false
    }
}

/** @param {CryptoKeyPair} pair */
const keyPair = async (pair) => ({
    privateKey: pair.privateKey, publicKey: new Uint8Array(await subtle.exportKey('raw', pair.publicKey)),
})

// X25519

/** The order of these points is 8 at most: every shared secret would be zero. The highest bit does not count. */
const LOW_ORDER_X25519 = [
    '00'.repeat(32), '01' + '00'.repeat(31), 'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
    '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157', 'ec' + 'ff'.repeat(30) + '7f',
    'ed' + 'ff'.repeat(30) + '7f', 'ee' + 'ff'.repeat(30) + '7f',
].map(fromHex)

/**
 * @param {Uint8Array} point
 * @param {Uint8Array[]} list
 */
function isListed(point, list) {
    const masked = point.slice()
    masked[31] &= 127
    return list.some((entry) => equal(entry, masked))
}

/** @param {Uint8Array} key */
export const isUsableIdentity = (key) => key.length === 32 && !isListed(key, LOW_ORDER_X25519)

/** @returns {Promise<KeyPair>} */
export const generateIdentity = async () =>
    keyPair(/** @type {CryptoKeyPair} */ (await subtle.generateKey({ name: 'X25519' }, false, ['deriveBits'])))

/**
 * The shared secret of two devices.
 *
 * @param {CryptoKey} privateKey
 * @param {Uint8Array} peer a usable public key
 * @returns {Promise<Uint8Array>} 32 bytes; zeros where the peer's key is of low order
 */
export async function agree(privateKey, peer) {
    if (!isUsableIdentity(peer)) return new Uint8Array(32)
    const key = await subtle.importKey('raw', buffer(peer), { name: 'X25519' }, true, [])
    try {
        return new Uint8Array(await subtle.deriveBits({ name: 'X25519', public: key }, privateKey, 256))
    } catch {
        return new Uint8Array(32)
    }
}

/**
 * `crypto_box_seal`: only the holder of the key can open it, and it does not say who has sealed it.
 *
 * @param {Uint8Array} content
 * @param {Uint8Array} recipient a usable public key
 */
export async function sealBox(content, recipient) {
    const ephemeral = await generateIdentity()
    const nonce = blake2b(concat(ephemeral.publicKey, recipient), 24)
    const key = boxKey(await agree(ephemeral.privateKey, recipient))
    return concat(ephemeral.publicKey, sealSecretbox(content, nonce, key))
}

/**
 * @param {Uint8Array} sealed
 * @param {KeyPair} own
 * @returns {Promise<Uint8Array|null>}
 */
export async function openBox(sealed, own) {
    if (sealed.length < 48) return null
    const ephemeral = sealed.slice(0, 32)
    const shared = await agree(own.privateKey, ephemeral)
    if (isZero(shared)) return null
    return openSecretbox(sealed.subarray(32), blake2b(concat(ephemeral, own.publicKey), 24), boxKey(shared))
}

// Ed25519

/** Points of small order: everybody can sign for them. The sign does not count. */
const LOW_ORDER_ED25519 = [
    '00'.repeat(32), '01' + '00'.repeat(31), '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a', 'ec' + 'ff'.repeat(30) + '7f',
    'ed' + 'ff'.repeat(30) + '7f', 'ee' + 'ff'.repeat(30) + '7f',
].map(fromHex)

/** Whether a coordinate is below the field's prime. @param {Uint8Array} point */
const isCanonical = (point) =>
    (point[31] & 127) !== 127 || point[0] < 0xed || point.subarray(1, 31).some((byte) => byte !== 255)

/** @param {Uint8Array} key */
export const isUsableSigner = (key) => key.length === 32 && isCanonical(key) && !isListed(key, LOW_ORDER_ED25519)

/** @returns {Promise<KeyPair>} */
export const generateSigning = async () =>
    keyPair(/** @type {CryptoKeyPair} */ (await subtle.generateKey({ name: 'Ed25519' }, false, ['sign', 'verify'])))

/**
 * @param {CryptoKey} key
 * @param {Uint8Array} message
 */
export const sign = async (key, message) => new Uint8Array(await subtle.sign({ name: 'Ed25519' }, key, buffer(message)))

/**
 * @param {Uint8Array} signature
 * @param {Uint8Array} message
 * @param {Uint8Array} publicKey
 */
export async function verifies(signature, message, publicKey) {
    if (signature.length !== 64 || !isUsableSigner(publicKey)) return false
    if (isListed(signature.slice(0, 32), LOW_ORDER_ED25519)) return false
    try {
        const key = await subtle.importKey('raw', buffer(publicKey), { name: 'Ed25519' }, false, ['verify'])
        return await subtle.verify({ name: 'Ed25519' }, key, buffer(signature), buffer(message))
    } catch {
        return false
    }
}

/** A seed as PKCS #8 (RFC 8410 §7) has it. */
const PKCS8 = fromHex('302e020100300506032b657004220420')

/**
 * The signing key of a seed of 32 bytes.
 *
 * @param {Uint8Array} seed
 * @returns {Promise<KeyPair>}
 */
export async function signingOf(seed) {
    const encoded = concat(PKCS8, seed)
    const readable = await subtle.importKey('pkcs8', buffer(encoded), { name: 'Ed25519' }, true, ['sign'])
    const { x } = await subtle.exportKey('jwk', readable)
    const privateKey = await subtle.importKey('pkcs8', buffer(encoded), { name: 'Ed25519' }, false, ['sign'])
    encoded.fill(0)
    const publicKey = fromBase64URL(x ?? '')
    if (publicKey?.length !== 32) throw new Error('no public key')
    return { privateKey, publicKey }
}

// HKDF, AES-GCM, digests

/**
 * HKDF-SHA256 to an AES-256-GCM key.
 *
 * @param {Uint8Array} secret
 * @param {Uint8Array} salt
 * @param {Uint8Array} info
 */
export async function deriveAES(secret, salt, info) {
    const key = await subtle.importKey('raw', buffer(secret), 'HKDF', false, ['deriveKey'])
    const algorithm = { name: 'HKDF', hash: 'SHA-256', salt: buffer(salt), info: buffer(info) }
    return subtle.deriveKey(algorithm, key, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
}

/** @param {Uint8Array} bytes */
export const importAES = (bytes) => subtle.importKey('raw', buffer(bytes), 'AES-GCM', false, ['encrypt', 'decrypt'])

/** @returns {Promise<CryptoKey>} */
export const generateAES = () =>
    /** @type {Promise<CryptoKey>} */ (
        subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']))

/**
 * @param {CryptoKey} key
 * @param {Uint8Array} nonce 12 bytes
 * @param {Uint8Array} content
 * @param {Uint8Array} data associated
 */
export const sealAES = async (key, nonce, content, data) =>
    new Uint8Array(await subtle.encrypt(aes(nonce, data), key, buffer(content)))

/**
 * @param {CryptoKey} key
 * @param {Uint8Array} nonce
 * @param {Uint8Array} sealed
 * @param {Uint8Array} data
 * @returns {Promise<Uint8Array|null>} null where the tag is not right
 */
export async function openAES(key, nonce, sealed, data) {
    try {
        return new Uint8Array(await subtle.decrypt(aes(nonce, data), key, buffer(sealed)))
    } catch {
        return null
    }
}

/**
 * @param {Uint8Array} nonce
 * @param {Uint8Array} data
 */
const aes = (nonce, data) => ({ name: 'AES-GCM', iv: buffer(nonce), additionalData: buffer(data), tagLength: 128 })

/** @param {Uint8Array} data */
export const sha256 = async (data) => new Uint8Array(await subtle.digest('SHA-256', buffer(data)))

/** @param {Uint8Array} data */
export const sha512 = async (data) => new Uint8Array(await subtle.digest('SHA-512', buffer(data)))

/**
 * For the types of WebCrypto, which take no shared memory.
 *
 * @param {Uint8Array} bytes
 * @returns {Uint8Array<ArrayBuffer>}
 */
const buffer = (bytes) => /** @type {Uint8Array<ArrayBuffer>} */ (bytes)
