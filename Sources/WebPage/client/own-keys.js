// @ts-check
/**
 * This device's own keys, in its database.
 *
 * The identity key and the signing key are `CryptoKey`s that cannot be exported: a script may use them while it runs
 * here, and cannot carry them away. The account key cannot be so: its seed goes, sealed, to each device that is linked
 * and into the backup. It is kept sealed by the storage key, which cannot be exported either, and is opened only to
 * certify, to link and to back up.
 */

import { toBase64 } from '../crypto/bytes.js'
import { generateIdentity, generateSigning, random, sign, signingOf } from '../crypto/curves.js'
import { certifiedPart, signedPart } from '../crypto/names.js'
import { ClientError } from './errors.js'
import { timeText } from './read.js'
import { Vault } from './vault.js'

/**
 * @typedef {import('../crypto/curves.js').KeyPair} KeyPair
 *
 * @typedef {object} OwnAccount
 * @property {Uint8Array} publicKey
 * @property {import('./vault.js').Row} seed sealed
 * @property {boolean} isProposed no gateway has accepted it yet
 * @property {{signature: Uint8Array, issuedAt: number}|null} certificate of this device
 *
 * @typedef {object} KeyRow
 * @property {KeyPair} identity
 * @property {KeyPair[]} retired
 * @property {KeyPair} signing
 * @property {CryptoKey} storage
 * @property {OwnAccount|null} account
 * @property {number} madeAt what was sent before was sealed for others
 */

const SEED_PLACE = ['account']

export class OwnKeys {
    /**
     * @param {import('./database.js').Database} database
     * @param {{user: string, device: string}} address
     * @param {KeyRow} row
     */
    constructor(database, address, row) {
        this.database = database
        this.address = address
        this.row = row
        this.vault = new Vault(row.storage, address)
    }

    /**
     * The device's keys, made if there are none.
     *
     * @param {import('./database.js').Database} database
     * @param {{user: string, device: string}} address
     */
    static async open(database, address) {
        const kept = await database.get('device', 'keys')
        if (kept) return new OwnKeys(database, address, kept)
        /** @type {KeyRow} */
        const made = {
            identity: await generateIdentity(), retired: [], signing: await generateSigning(),
            storage: await Vault.generateKey(), account: null, madeAt: Date.now(),
        }
        // Another tab may have been first: its keys stay.
        const row = await database.transaction(['device'], 'readwrite', async (transaction) => {
            const first = await transaction.get('device', 'keys')
            if (!first) await transaction.put('device', made, 'keys')
            return first ?? made
        })
        return new OwnKeys(database, address, row)
    }

    /** What another tab has changed. */
    async reload() {
        this.row = await this.database.get('device', 'keys') ?? this.row
    }

    get identityKey() {
        return this.row.identity.publicKey
    }

    get signingKey() {
        return this.row.signing.publicKey
    }

    /** The account key that this device holds. */
    get account() {
        return this.row.account?.publicKey ?? null
    }

    get isLinked() {
        return this.row.account !== null
    }

    get isProposed() {
        return this.row.account?.isProposed ?? false
    }

    /** @param {OwnAccount|null} account */
    async #keep(account) {
        const row = { ...this.row, account }
        await this.database.put('device', row, 'keys')
        this.row = row
    }

    /** Makes an account key, which counts once the gateway has accepted it. */
    async propose() {
        await this.adopt(random(32), null, true)
    }

    /**
     * @param {Uint8Array} seed wiped
     * @param {{signature: Uint8Array, issuedAt: number}|null} certificate
     * @param {boolean} isProposed
     */
    async adopt(seed, certificate, isProposed = false) {
        const { publicKey } = await signingOf(seed)
        const sealed = await this.vault.sealBytes(SEED_PLACE, seed)
        seed.fill(0)
        await this.#keep({ publicKey, seed: sealed, isProposed, certificate })
    }

    /** The gateway has another account key: the one that was made here is given up. */
    async giveUp() {
        if (this.row.account?.isProposed) await this.#keep(null)
    }

    async establish() {
        const account = this.row.account
        if (account?.isProposed) await this.#keep({ ...account, isProposed: false })
    }

    /**
     * @template T
     * @param {(seed: Uint8Array) => Promise<T>|T} body
     * @returns {Promise<T>}
     */
    async withSeed(body) {
        if (this.row.account === null) throw new ClientError('not_linked')
        const seed = await this.vault.openBytes(SEED_PLACE, this.row.account.seed)
        try {
            return await body(seed)
        } finally {
            seed.fill(0)
        }
    }

    /**
     * The account key's signature of a device.
     *
     * @param {{user: string, device: string}} address
     * @param {Uint8Array} identity
     * @param {Uint8Array} signing
     * @param {number} issuedAt
     */
    certify(address, identity, signing, issuedAt) {
        return this.withSeed(async (seed) => {
            const { privateKey } = await signingOf(seed)
            return sign(privateKey, certifiedPart(address, identity, signing, issuedAt))
        })
    }

    /**
     * The fields of `keys/publish`. A certificate is made once for the same keys: a later one is news to everybody.
     *
     * @param {number} now by the gateway's clock
     */
    async publication(now) {
        const fields = await this.publicationWithoutAccount()
        const account = this.row.account
        if (account === null) return fields
        let certificate = account.certificate
        if (certificate === null) {
            const issuedAt = Math.floor(now)
            const signature = await this.certify(this.address, this.identityKey, this.signingKey, issuedAt)
            certificate = { signature, issuedAt }
            await this.#keep({ ...account, certificate })
        }
        return {
            ...fields, account_key: toBase64(account.publicKey), certificate: toBase64(certificate.signature),
            issued_at: timeText(certificate.issuedAt),
        }
    }

    /**
     * The fields of `keys/publish` with another account key, which is to be adopted once the gateway has accepted it.
     *
     * @param {Uint8Array} seed
     * @param {number} now by the gateway's clock
     */
    async resetting(seed, now) {
        const { publicKey, privateKey } = await signingOf(seed)
        const issuedAt = Math.floor(now)
        const part = certifiedPart(this.address, this.identityKey, this.signingKey, issuedAt)
        const signature = await sign(privateKey, part)
        const fields = {
            ...await this.publicationWithoutAccount(), account_key: toBase64(publicKey),
            certificate: toBase64(signature), issued_at: timeText(issuedAt),
        }
        return { fields, certificate: { signature, issuedAt } }
    }

    /** As apps without account keys publish. */
    async publicationWithoutAccount() {
        const signature = await sign(this.row.signing.privateKey, signedPart(this.address, this.identityKey))
        return {
            identity_key: toBase64(this.identityKey), signing_key: toBase64(this.signingKey),
            signature: toBase64(signature),
        }
    }
}
