// @ts-check
/** Seals and opens the messages of one device. */

import { OpeningError } from './opening-error.js'
import { boxKey, openSecretbox } from './boxes.js'
import { isZero, toHex } from './bytes.js'
import { agree, random as randomBytes } from './curves.js'
import { LEGACY_SUITE, SUITES, commitmentOf, headerBytes, withoutHeader } from './suites.js'

/**
 * @typedef {import('./curves.js').KeyPair} KeyPair
 * @typedef {import('./suites.js').Address} Address
 * @typedef {import('./suites.js').Header} Header
 *
 * @typedef {object} Sealed what the gateway carries
 * @property {Uint8Array} nonce
 * @property {Uint8Array} content
 * @property {readonly {user: string, device: string, key: Uint8Array}[]|null} keys null where it is sealed for one
 */

export const MOST_RECIPIENTS = 128
export const MOST_CONTENT = 65536
const TAG = 16
/** The most pairs of keys that are tried for one message. */
const MOST_ATTEMPTS = 256
const MOST_CACHED = 1024
/** The `encrypted_key` of a device that is left out. */
export const LEFT_OUT_KEY = new Uint8Array(16)

/** @param {Uint8Array} key */
const isLeftOut = (key) => key.length === 16 && isZero(key)

/** A map that forgets what was used longest ago. */
class Recent {
    constructor() {
        /** @type {Map<string, any>} */
        this.entries = new Map()
    }

    /**
     * @param {string} name
     * @param {() => any} make
     */
    get(name, make) {
        const value = this.entries.get(name) ?? make()
        this.entries.delete(name)
        this.entries.set(name, value)
        if (this.entries.size > MOST_CACHED) this.entries.delete(this.entries.keys().next().value ?? '')
        return value
    }
}

export class MessageCipher {
    /**
     * @param {Address} address
     * @param {KeyPair} current the published keys
     * @param {readonly KeyPair[]} retired earlier ones, newest first
     * @param {(count: number) => Uint8Array} random
     */
    constructor(address, current, retired = [], random = randomBytes) {
        this.address = address
        this.pairs = [current, ...retired]
        this.random = random
        this.secrets = new Recent()
        this.keys = new Recent()
    }

    /**
     * @param {Uint8Array} content
     * @param {Header} header
     * @param {{key: Uint8Array}|readonly {user: string, device: string, key: Uint8Array}[]} recipients the key of the
     *   only other device of a direct conversation, or every device that gets a key of its own
     * @returns {Promise<Sealed>}
     * @throws {OpeningError} `weak_key`, `malformed`
     */
    async seal(content, header, recipients) {
        const suite = SUITES.get(header.suite)
        if (!suite) throw new OpeningError('unknown_suite')
        const bound = headerBytes(header)
        const overhead = header.suite === 'nacl-box' ? bound.length + 2 : 0
        if (content.length + overhead + TAG > MOST_CONTENT) throw new OpeningError('malformed')
        const nonce = this.random(suite.nonceLength)
        if (!Array.isArray(recipients)) {
            const only = /** @type {{key: Uint8Array}} */ (recipients)
            const key = await this.#pairwise(header, 0, only.key, true)
            return { nonce, content: await suite.seal(key, nonce, content, bound), keys: null }
        }
        if (recipients.length === 0 || recipients.length > MOST_RECIPIENTS) throw new OpeningError('malformed')
        const contentKey = this.random(32)
        const sealed = await suite.seal(await suite.contentKey(contentKey), nonce, content, bound)
        const commitment = commitmentOf(bound, nonce, sealed)
        const keys = []
        for (const { user, device, key } of recipients) {
            const pairwise = await this.#pairwise(header, 0, key, true)
            keys.push({
                user, device, key: await suite.wrap(pairwise, this.random(suite.nonceLength), contentKey, commitment),
            })
        }
        contentKey.fill(0)
        return { nonce, content: sealed, keys }
    }

    /**
     * @param {Sealed} sealed
     * @param {Header} header
     * @param {(address: Address|null) => readonly Uint8Array[]} known keys of a device, newest first. Of this device's
     *   own messages it is asked for each recipient; `null` stands for all recipients of one without names
     * @returns {Promise<Uint8Array>}
     * @throws {OpeningError}
     */
    async open(sealed, header, known) {
        const suite = SUITES.get(header.suite)
        if (!suite) throw new OpeningError('unknown_suite')
        if (sealed.nonce.length !== suite.nonceLength || sealed.content.length < TAG
            || sealed.content.length > MOST_CONTENT || (sealed.keys === null && !suite.isDirect)
            || (sealed.keys !== null && sealed.keys.length > MOST_RECIPIENTS)) throw new OpeningError('malformed')
        const candidates = this.#candidates(sealed, header, known)
        if (candidates.length === 0) throw new OpeningError('sender_keys_unknown')
        const isOwn = this.#isOwn(header.sender)
        const bound = headerBytes(header)
        const commitment = sealed.keys === null ? null : commitmentOf(bound, sealed.nonce, sealed.content)
        let attempts = 0
        for (const { peer, wrapped } of candidates) {
            for (let own = 0; own < this.pairs.length; own++) {
                if (++attempts > MOST_ATTEMPTS) throw new OpeningError('not_authentic')
                let key = await this.#pairwise(header, own, peer, isOwn)
                if (commitment !== null) {
                    if (wrapped?.length !== suite.keyLength) throw new OpeningError('malformed')
                    const bytes = await suite.unwrap(key, wrapped, commitment)
                    if (bytes === null) continue
                    key = await suite.contentKey(bytes)
                }
                const opened = await suite.open(key, sealed.nonce, sealed.content, bound)
                if (opened === null) continue
                if (header.suite !== 'nacl-box') return opened
                const content = withoutHeader(opened, bound)
                if (content === null) throw new OpeningError('header_mismatch')
                return content
            }
        }
        throw new OpeningError('not_authentic')
    }

    /**
     * A `legacy-nacl-box`, which is bound to nothing: the caller decides where it may be opened.
     *
     * @param {Sealed} sealed
     * @param {readonly Uint8Array[]} peers
     * @returns {Promise<Uint8Array>}
     */
    async openLegacy(sealed, peers) {
        if (sealed.nonce.length !== 24 || sealed.content.length < TAG || sealed.content.length > MOST_CONTENT) {
            throw new OpeningError('malformed')
        }
        if (peers.length === 0) throw new OpeningError('sender_keys_unknown')
        let attempts = 0
        for (const peer of peers) {
            for (let own = 0; own < this.pairs.length && attempts < MOST_ATTEMPTS; own++, attempts++) {
                const key = boxKey(await this.#shared(own, peer))
                const opened = openSecretbox(sealed.content, sealed.nonce, key)
                if (opened !== null) return opened
            }
        }
        throw new OpeningError('not_authentic')
    }

    /** @param {Address} address */
    #isOwn(address) {
        return address.user === this.address.user && address.device === this.address.device
    }

    /**
     * The keys that may open a message, each with the key that is sealed under it.
     *
     * @param {Sealed} sealed
     * @param {Header} header
     * @param {(address: Address|null) => readonly Uint8Array[]} known
     * @returns {{peer: Uint8Array, wrapped: Uint8Array|null}[]}
     */
    #candidates(sealed, header, known) {
        if (this.#isOwn(header.sender)) {
            if (sealed.keys === null) return known(null).map((peer) => ({ peer, wrapped: null }))
            return sealed.keys.filter(({ key }) => !isLeftOut(key))
                .flatMap((named) => known(named).map((peer) => ({ peer, wrapped: named.key })))
        }
        if (sealed.keys === null) return known(header.sender).map((peer) => ({ peer, wrapped: null }))
        const mine = sealed.keys.find((named) => this.#isOwn(named))
        if (!mine) throw new OpeningError('not_for_this_device')
        if (isLeftOut(mine.key)) throw new OpeningError('left_out')
        return known(header.sender).map((peer) => ({ peer, wrapped: mine.key }))
    }

    /**
     * @param {number} own index of the own keys
     * @param {Uint8Array} peer
     * @returns {Promise<Uint8Array>}
     */
    async #shared(own, peer) {
        const pair = this.pairs[own]
        const shared = await this.secrets.get(`${own} ${toHex(peer)}`, () => agree(pair.privateKey, peer))
        if (isZero(shared)) throw new OpeningError('weak_key')
        return shared
    }

    /**
     * @param {Header} header
     * @param {number} own
     * @param {Uint8Array} peer
     * @param {boolean} isOutgoing
     */
    async #pairwise(header, own, peer, isOutgoing) {
        const suite = SUITES.get(header.suite)
        if (!suite || header.suite === LEGACY_SUITE) throw new OpeningError('unknown_suite')
        const shared = await this.#shared(own, peer)
        const mine = this.pairs[own].publicKey
        const [sender, recipient] = isOutgoing ? [mine, peer] : [peer, mine]
        const name = [header.suite, header.conversation, own, isOutgoing, toHex(peer)].join(' ')
        return this.keys.get(name, () => suite.pairwise({ shared, sender, recipient }, header.conversation))
    }
}
