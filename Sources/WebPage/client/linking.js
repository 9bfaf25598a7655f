// @ts-check
/** One of the user's devices certifies another, and hands it the account key (docs/encryption.md, "Linking"). */

import { toBase64 } from '../crypto/bytes.js'
import { generateIdentity, isUsableIdentity, openBox, sealBox, signingOf, verifies } from '../crypto/curves.js'
import { certifiedPart, fingerprint, groupsOf, linkCode, readLinkCode } from '../crypto/names.js'
import { ClientError } from './errors.js'
import { timeText } from './read.js'

/** What `crypto_box_seal` makes of a seed. */
const SEALED_LENGTH = 32 + 48

/** Three groups: fifty bits, each try 5,200 rounds. @param {string} user @param {Uint8Array} account */
const comparedDigits = async (user, account) => groupsOf(await fingerprint(user, account)).slice(0, 3).join(' ')

export class Linking {
    /**
     * @param {import('./context.js').Context} context
     * @param {import('./key-exchange.js').KeyExchange} exchange
     */
    constructor(context, exchange) {
        this.context = context
        this.exchange = exchange
        /** The last offer, until it is answered. @type {import('../crypto/curves.js').KeyPair|null} */
        this.offered = null
        /** @type {{seed: Uint8Array, certificate: {signature: Uint8Array, issuedAt: number}, publicKey: Uint8Array}|
         *   ClientError|null} */
        this.answer = null
        /** @type {Set<() => void>} */
        this.waiters = new Set()
    }

    // The new device

    async offer() {
        const { keys, address, door } = this.context
        if (keys.isLinked) throw new ClientError('conflict', 'This device is linked already.')
        const link = await generateIdentity()
        const code = linkCode(address, { identity: keys.identityKey, signing: keys.signingKey, link: link.publicKey })
        this.offered = link
        this.answer = null
        const data = await door.ask('links/offer', {
            identity_key: toBase64(keys.identityKey), signing_key: toBase64(keys.signingKey),
            link_key: toBase64(link.publicKey),
        })
        return Object.freeze({ code, expiresAt: data.time('expires_at') })
    }

    /**
     * An event `link.approved`. It has to open with the last offer's key and certify this device, and the first counts.
     *
     * @param {import('./read.js').Members} data
     */
    async heardApproval(data) {
        const { address, keys } = this.context
        const link = this.offered
        if (link === null || data.id('device_id') !== address.device) return
        this.offered = null
        const [signature, issuedAt] = [data.bytes('certificate', 64), data.time('issued_at')]
        const seed = await openBox(data.bytes('sealed', SEALED_LENGTH), link)
        const publicKey = seed?.length === 32 ? (await signingOf(seed)).publicKey : null
        const part = certifiedPart(address, keys.identityKey, keys.signingKey, issuedAt)
        const isGood = publicKey !== null && await verifies(signature, part, publicKey)
        this.answer = isGood && seed !== null && publicKey !== null
            ? { seed, certificate: { signature, issuedAt }, publicKey }
            : new ClientError('gateway_fault', 'The answer was not made by a device that has seen the code.')
        for (const waiter of this.waiters) waiter()
    }

    /** @param {AbortSignal} [signal] */
    async approved(signal) {
        while (this.answer === null) {
            await new Promise((resolve, reject) => {
                const done = () => {
                    this.waiters.delete(done)
                    signal?.removeEventListener('abort', abort)
                    resolve(undefined)
                }
                const abort = () => {
                    this.waiters.delete(done)
                    reject(new ClientError('timeout', 'The linking was given up.'))
                }
                if (signal?.aborted) return abort()
                this.waiters.add(done)
                signal?.addEventListener('abort', abort, { once: true })
            })
        }
        const answer = this.answer
        if (answer instanceof ClientError) throw answer
        const digits = await comparedDigits(this.context.address.user, answer.publicKey)
        return Object.freeze({
            digits,
            adopt: async () => {
                this.answer = null
                await this.context.locked('own keys', () => this.context.keys.adopt(answer.seed, answer.certificate))
                await this.exchange.publish()
            },
        })
    }

    // The device that approves

    /** @param {string} code */
    async candidate(code) {
        const { address, keys, door } = this.context
        const read = readLinkCode(code)
        if (!keys.isLinked || keys.account === null) throw new ClientError('not_linked')
        if (read === null || read.address.user !== address.user || read.address.device === address.device) {
            throw new ClientError('wrong_code')
        }
        const data = await door.ask('links/get', { device_id: read.address.device })
        const offer = {
            identity: data.bytes('identity_key', 32), signing: data.bytes('signing_key', 32),
            link: data.bytes('link_key', 32),
        }
        const isOffer = data.id('device_id') === read.address.device && read.binds(offer)
        if (!isOffer || !isUsableIdentity(offer.link)) {
            throw this.context.fault('offer_differs', 'the gateway gives other keys of the device than its code names')
        }
        return Object.freeze({
            device: read.address.device, digits: await comparedDigits(address.user, keys.account),
            approve: () => this.#approve(read.address, offer),
        })
    }

    /** @param {{user: string, device: string}} device @param {import('../crypto/names.js').Offer} offer */
    async #approve(device, offer) {
        const { keys, door } = this.context
        const issuedAt = Math.floor(this.context.now())
        const certificate = await keys.certify(device, offer.identity, offer.signing, issuedAt)
        const sealed = await keys.withSeed((seed) => sealBox(seed, offer.link))
        await door.ask('links/approve', {
            device_id: device.device, certificate: toBase64(certificate), issued_at: timeText(issuedAt),
            sealed: toBase64(sealed),
        })
        this.exchange.markStale(device.user)
    }
}

