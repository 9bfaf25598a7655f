// @ts-check
/**
 * Seals what is kept with a key that no script can read, for the place where it stands.
 *
 * It protects against whoever reads the profile's files without the browser's own key store, and rows that were moved;
 * not against scripts of this origin, which the Content-Security-Policy keeps out.
 */

import { fields, fromBase64, textOf, toBase64, utf8 } from '../crypto/bytes.js'
import { generateAES, openAES, random, sealAES } from '../crypto/curves.js'
import { ClientError } from './errors.js'

/** @typedef {{nonce: Uint8Array, sealed: Uint8Array}} Row */

export class Vault {
    /**
     * @param {CryptoKey} key
     * @param {{user: string, device: string}} address
     */
    constructor(key, address) {
        this.key = key
        this.address = address
    }

    static generateKey = generateAES

    /** @param {readonly (string|number)[]} place */
    #data(place) {
        return fields('parley/v1 page', this.address.user, this.address.device, ...place.map(String))
    }

    /**
     * @param {readonly (string|number)[]} place
     * @param {Uint8Array} bytes
     * @returns {Promise<Row>}
     */
    async sealBytes(place, bytes) {
        const nonce = random(12)
        return { nonce, sealed: await sealAES(this.key, nonce, bytes, this.#data(place)) }
    }

    /**
     * @param {readonly (string|number)[]} place
     * @param {Row} row
     * @returns {Promise<Uint8Array>}
     */
    async openBytes(place, row) {
        const opened = await openAES(this.key, row.nonce, row.sealed, this.#data(place))
        if (opened === null) throw new ClientError('storage', 'What this browser keeps is damaged.')
        return opened
    }

    /** @param {readonly (string|number)[]} place @param {unknown} value JSON, with bytes in it */
    seal(place, value) {
        return this.sealBytes(place, utf8(JSON.stringify(value, written)))
    }

    /** @param {readonly (string|number)[]} place @param {Row} row @returns {Promise<any>} */
    async open(place, row) {
        return JSON.parse(textOf(await this.openBytes(place, row)), revived)
    }
}

/** The one member of an object that stands for bytes. */
const BYTES = '$bytes'

/** @param {string} _ @param {unknown} value */
const written = (_, value) => (value instanceof Uint8Array ? { [BYTES]: toBase64(value) } : value)

/** @param {string} _ @param {any} value */
function revived(_, value) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, BYTES)) return value
    return fromBase64(value[BYTES])
}
