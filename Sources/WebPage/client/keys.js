// @ts-check
/** Safety numbers, and what the person accepts and has compared. */

import { compareSafetyCode, fingerprint, safetyCode, safetyDigits } from '../crypto/names.js'
import { toHex } from '../crypto/bytes.js'
import { ClientError } from './errors.js'
import * as peers from './peer.js'

export class Keys {
    /**
     * @param {import('./context.js').Context} context
     * @param {import('./key-exchange.js').KeyExchange} exchange
     */
    constructor(context, exchange) {
        this.context = context
        this.exchange = exchange
        /** Each costs 5,200 rounds. @type {Map<string, Promise<Uint8Array>>} */
        this.prints = new Map()
        /**
         * What was shown, for accepting.
         *
         * @type {WeakMap<object, {user: string, own: Uint8Array, other: Uint8Array}>}
         */
        this.shown = new WeakMap()
    }

    /** @param {string} user @param {Uint8Array|readonly Uint8Array[]} keys */
    #print(user, keys) {
        const name = `${user} ${keys instanceof Uint8Array ? toHex(keys) : keys.map(toHex).join(' ')}`
        const print = this.prints.get(name) ?? fingerprint(user, keys)
        if (this.prints.size > 100) this.prints.clear()
        this.prints.set(name, print)
        return print
    }

    /** @param {string} user @returns {Promise<import('./types.js').SafetyNumber|null>} */
    async safetyNumber(user) {
        const { address, book, keys } = this.context
        await this.exchange.freshen([user, address.user])
        const peer = book.get(user)
        const otherKeys = peers.presented(peer)
        const ownKeys = keys.account ?? this.#ownKeys()
        if (otherKeys === null || user === address.user) return null
        const [own, other] = await Promise.all([this.#print(address.user, ownKeys), this.#print(user, otherKeys)])
        const number = Object.freeze({
            user, digits: safetyDigits(own, other), code: safetyCode(address.user, user, own, other),
            isPending: peers.isPending(peer), isVerified: peer.isVerified && !peers.isPending(peer),
            shown: peers.shownOf(peer),
        })
        this.shown.set(number, { user, own, other })
        return number
    }

    /** Of a user without an account key: all devices, this one among them; or the one that is listed. */
    #ownKeys() {
        const listed = peers.presented(this.context.book.get(this.context.address.user))
        if (listed instanceof Uint8Array) return listed
        return [this.context.keys.identityKey, ...(listed ?? [])]
    }

    /** @param {import('./types.js').SafetyNumber} number */
    async accept(number) {
        await this.context.book.accept(number.user, /** @type {any} */ (number.shown), false)
    }

    /** @param {import('./types.js').SafetyNumber} number */
    async verify(number) {
        await this.context.book.accept(number.user, /** @type {any} */ (number.shown), true)
    }

    /** @param {import('./types.js').SafetyNumber} number @param {string} code */
    async scan(number, code) {
        const shown = this.shown.get(number)
        if (!shown) throw new ClientError('changed')
        const result = compareSafetyCode(code, this.context.address.user, shown.user, shown.own, shown.other)
        if (result === 'match') await this.verify(number)
        return result
    }

    /** @param {string} user */
    async state(user) {
        const peer = this.context.book.get(user)
        return Object.freeze({
            isVerified: peer.isVerified, isPending: peers.isPending(peer), isHeld: peers.isHeld(peer),
        })
    }

    notices() {
        return Object.freeze([...this.context.notices])
    }
}
