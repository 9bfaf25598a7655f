// @ts-check
/** The connection: a WebSocket by a ticket, anew with growing pauses; and the token, renewed in time. */

import { ClientError } from './errors.js'
import { Members, parseObject } from './read.js'
import { readCredentials } from './records.js'

const LONGEST_PAUSE = 60000
const GREETING = 30000
/** A packet of the gateway, and its frame. */
const MOST_EVENT = 400 * 1024
/** A token of 30 days is renewed after two thirds. */
const RENEWAL_SHARE = 1 / 3
const DAY = 86400000
/** While it stays connected; the old token signs in for a day at most. */
const RENEWAL_CHECK = 3600000

/** What closes a WebSocket of the door. */
const [TOKEN_ENDED, TAKEN_OVER] = [4401, 4409]

export class Session {
    /**
     * @param {import('./context.js').Context} context
     * @param {{connected: () => Promise<void>, event: (type: string, data: Members) => void,
     *   changed: (connection: import('./types.js').Connection) => void}} handlers
     */
    constructor(context, handlers) {
        this.context = context
        this.handlers = handlers
        /** @type {import('./types.js').Connection} */
        this.connection = Object.freeze({ state: 'offline', reason: null, retryAt: null })
        /** @type {WebSocket|null} */
        this.socket = null
        this.attempts = 0
        this.isRunning = false
        /** @type {ReturnType<typeof setInterval>|undefined} */
        this.renewal = undefined
        /** Wakes the pause between attempts. */
        this.wake = () => {}
        this.online = () => {
            this.attempts = 0
            this.wake()
        }
        this.offline = () => this.socket?.close()
    }

    get isOnline() {
        return this.connection.state === 'online'
    }

    start() {
        if (this.isRunning) return
        this.isRunning = true
        globalThis.addEventListener?.('online', this.online)
        globalThis.addEventListener?.('offline', this.offline)
        this.renewal = setInterval(() => this.#renewConnected(), RENEWAL_CHECK)
        this.#run()
    }

    stop() {
        this.isRunning = false
        clearInterval(this.renewal)
        globalThis.removeEventListener?.('online', this.online)
        globalThis.removeEventListener?.('offline', this.offline)
        this.socket?.close()
        this.wake()
    }

    /** Connects anew, and catches up. */
    restart() {
        this.socket?.close(4000)
    }

    /** The token has ended, or the device was revoked. @param {string} reason */
    end(reason) {
        this.stop()
        this.#set('ended', reason)
    }

    /** @param {string} type @param {object} data */
    say(type, data) {
        if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ type, data }))
    }

    /**
     * @param {import('./types.js').ConnectionState} state
     * @param {string|null} [reason]
     * @param {number|null} [retryAt]
     */
    #set(state, reason = null, retryAt = null) {
        this.connection = Object.freeze({ state, reason, retryAt })
        this.handlers.changed(this.connection)
    }

    async #run() {
        while (this.isRunning) {
            this.#set('connecting')
            const token = this.context.credentials.token
            let isEnded = false
            try {
                await this.renewIfDue()
                isEnded = await this.#connect()
            } catch (error) {
                isEnded = error instanceof ClientError && error.code === 'unauthenticated'
            }
            if (!this.isRunning) return
            if (isEnded) {
                // Another tab may have renewed the token meanwhile.
                await this.context.loadCredentials()
                if (this.context.credentials.token === token) return this.end('signed-out')
                this.attempts = 0
            }
            const pause = Math.min(LONGEST_PAUSE, 500 * 2 ** this.attempts) * (0.5 + Math.random())
            this.attempts = Math.min(this.attempts + 1, 10)
            this.#set('offline', null, Date.now() + pause)
            await new Promise((resolve) => {
                const timer = setTimeout(resolve, pause)
                this.wake = () => {
                    clearTimeout(timer)
                    resolve(undefined)
                }
            })
        }
    }

    /** Until the connection ends. @returns {Promise<boolean>} whether the token has ended */
    async #connect() {
        const reply = await this.context.door.send('ws-ticket', '{}')
        const ticket = reply.text('ticket', 4096)
        const url = new URL('/ws', this.context.door.origin)
        url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
        url.searchParams.set('ticket', ticket)
        if (!this.isRunning) return false
        const socket = new WebSocket(url)
        this.socket = socket
        return new Promise((resolve) => {
            const timer = setTimeout(() => socket.close(), GREETING)
            socket.onmessage = ({ data }) => this.#receive(data, timer)
            socket.onclose = ({ code }) => {
                clearTimeout(timer)
                this.socket = null
                if (code === TAKEN_OVER) this.context.loadCredentials().then(() => resolve(false), () => resolve(false))
                else resolve(code === TOKEN_ENDED)
            }
        })
    }

    /** @param {unknown} message @param {ReturnType<typeof setTimeout>} timer */
    #receive(message, timer) {
        let type = ''
        let data = new Members({})
        try {
            if (typeof message !== 'string' || message.length > MOST_EVENT) throw new ClientError('bad_reply')
            const event = parseObject(message)
            type = event.text('type', 64)
            data = event.raw('data') === null ? data : event.object('data')
        } catch {
            return
        }
        if (type !== 'connection.established') {
            try {
                this.handlers.event(type, data)
            } catch (error) {
                // An event that is not what the protocol has: what it told comes with the next sync.
                if (!(error instanceof ClientError)) throw error
            }
            return
        }
        clearTimeout(timer)
        this.attempts = 0
        this.#set('online')
        this.handlers.connected().catch((error) => {
            // What could not be asked is asked on the next connection.
            if (error instanceof ClientError && error.code === 'unauthenticated') this.restart()
        })
    }

    /** One tab asks for a new token; the others use it from then on. */
    async renewIfDue() {
        if (!this.#isDue()) return
        await this.context.locked('token', async () => {
            await this.context.loadCredentials()
            if (!this.#isDue()) return
            const renewed = readCredentials(await this.context.door.ask('devices/renew', {}))
            if (renewed.user !== this.context.address.user) throw new ClientError('bad_reply')
            const { token, expiresAt } = renewed
            await this.context.keepCredentials({ token, issuedAt: Date.now(), expiresAt })
        }).catch((error) => {
            if (error instanceof ClientError && error.code === 'unauthenticated') throw error
        })
    }

    /** Signs in with the new token at once. */
    async #renewConnected() {
        const { token } = this.context.credentials
        await this.renewIfDue().catch(() => undefined)
        if (this.context.credentials.token !== token) this.restart()
    }

    #isDue() {
        const { issuedAt, expiresAt } = this.context.credentials
        const lifetime = Math.max(DAY, expiresAt - issuedAt)
        return expiresAt - Date.now() < lifetime * RENEWAL_SHARE
    }
}
