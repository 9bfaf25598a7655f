// @ts-check
/** What the parts of a client share: address, storage, keys, the door, events, and the other tabs. */

import { Database } from './database.js'
import { Door } from './door.js'
import { ClientError } from './errors.js'
import { KeyBook } from './key-book.js'
import { OwnKeys } from './own-keys.js'

/**
 * @typedef {{token: string, issuedAt: number, expiresAt: number}} Credentials
 *
 * @typedef {{kind: 'peers', user: string} | {kind: 'log', conversation: string, ids: string[]}
 *   | {kind: 'conversations', ids: string[]} | {kind: 'outbox'} | {kind: 'keys'} | {kind: 'removed'}} TabMessage
 */

/** Faults that are told; a gateway could make up others without end. */
const MOST_FAULTS = 1000

export class Context {
    /**
     * @param {{user: string, device: string}} address
     * @param {Database} database
     * @param {OwnKeys} keys
     * @param {string} origin
     */
    constructor(address, database, keys, origin) {
        this.address = Object.freeze({ user: address.user, device: address.device })
        this.database = database
        this.keys = keys
        this.vault = keys.vault
        /** @type {Credentials} */
        this.credentials = { token: '', issuedAt: 0, expiresAt: 0 }
        this.door = new Door(origin, () => this.credentials.token)
        /** How far the gateway's clock is ahead, in milliseconds. */
        this.clockOffset = 0
        this.book = new KeyBook(this)
        /** @type {Map<string, Set<(argument: any) => void>>} */
        this.handlers = new Map()
        /** @type {import('./types.js').KeyNotice[]} newest first */
        this.notices = []
        /** Faults that were told. @type {Set<string>} */
        this.faults = new Set()
        /** @type {((user: string) => void)[]} */
        this.afterKeys = []
        this.channel = new BroadcastChannel(Database.name(address))
    }

    /**
     * @param {{user: string, device: string}} address
     * @param {string} origin
     */
    static async open(address, origin) {
        const database = await Database.open(address)
        const context = new Context(address, database, await OwnKeys.open(database, address), origin)
        await context.loadCredentials()
        await context.book.load()
        return context
    }

    close() {
        this.channel.close()
        this.database.close()
    }

    /** By the gateway's clock. */
    now() {
        return Date.now() + this.clockOffset
    }

    // Tokens

    async loadCredentials() {
        const row = await this.database.get('device', 'credentials')
        if (row) this.credentials = await this.vault.open(['credentials'], row)
    }

    /** @param {Credentials} credentials */
    async keepCredentials(credentials) {
        await this.database.put('device', await this.vault.seal(['credentials'], credentials), 'credentials')
        this.credentials = credentials
    }

    // Events

    /** @param {string} name @param {(argument: any) => void} handler */
    on(name, handler) {
        const handlers = this.handlers.get(name) ?? new Set()
        this.handlers.set(name, handlers.add(handler))
        return () => void handlers.delete(handler)
    }

    /** @param {string} name @param {unknown} argument */
    emit(name, argument) {
        for (const handler of this.handlers.get(name) ?? []) {
            // A view's error must not stop the client.
            queueMicrotask(() => handler(argument))
        }
    }

    /** @param {string} user @param {import('./types.js').KeyNotice[]} notices */
    keysChanged(user, notices) {
        this.disclose(notices)
        for (const handler of this.afterKeys) handler(user)
    }

    /** @param {import('./types.js').KeyNotice[]} notices */
    disclose(notices) {
        for (const notice of notices) {
            this.notices.unshift(notice)
            this.emit('keys', notice)
        }
        this.notices.length = Math.min(this.notices.length, 200)
    }

    /**
     * A statement that no honest gateway makes; each is told once.
     *
     * @param {string} code
     * @param {string} text
     */
    fault(code, text) {
        const fault = Object.freeze({ code, text })
        if (this.faults.size < MOST_FAULTS && !this.faults.has(`${code} ${text}`)) {
            this.faults.add(`${code} ${text}`)
            this.emit('fault', fault)
        }
        return new ClientError('gateway_fault', text, { details: fault })
    }

    // Other tabs

    /** @param {TabMessage} message */
    tell(message) {
        this.channel.postMessage(message)
    }

    /**
     * Runs while no other tab runs something under the same name.
     *
     * @template T
     * @param {string} name
     * @param {() => Promise<T>} body
     * @returns {Promise<T>}
     */
    locked(name, body) {
        return /** @type {Promise<any>} */ (
            navigator.locks.request(`${Database.name(this.address)} ${name}`, body))
    }
}
