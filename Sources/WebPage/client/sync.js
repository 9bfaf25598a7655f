// @ts-check
/** Catching up with the gateway: `sync/get` after each connection, and pages of history for holes and for the past. */

import { ClientError } from './errors.js'
import { withEpoch, withMarks } from './log-state.js'
import { MOST_CONVERSATIONS } from './logs.js'
import { readConversation, readHistory, readSync } from './records.js'

/** @typedef {import('./records.js').Record} Record */

/** What a request holds beside its other fields. */
const MOST_CURSORS = 3000
/** The most pages of a list in a row: 2,000,000 records. */
const MOST_PAGES = 10000
/** Pages in a row that name nothing new. */
const MOST_IDLE_PAGES = 10
/** Histories of one conversation that begin anew in a row. */
const MOST_EPOCHS = 3
/** Records of a conversation that wait for earlier ones, and the conversations of which some wait. */
const MOST_EARLY = 512
const MOST_EARLY_CONVERSATIONS = 1000

export class Sync {
    /**
     * @param {import('./context.js').Context} context
     * @param {import('./logs.js').Logs} logs
     * @param {import('./delivery.js').Delivery} delivery
     */
    constructor(context, logs, delivery) {
        this.context = context
        this.logs = logs
        this.delivery = delivery
        /** What is done with each conversation, one after the other. @type {Map<string, Promise<unknown>>} */
        this.turns = new Map()
        /** Records that came by events and wait. @type {Map<string, Record[]>} */
        this.early = new Map()
    }

    /**
     * One thing at a time with each conversation.
     *
     * @template T
     * @param {string} id
     * @param {() => Promise<T>} body
     * @returns {Promise<T>}
     */
    turn(id, body) {
        const next = (this.turns.get(id) ?? Promise.resolve()).then(body, body)
        const settled = next.catch(() => undefined).finally(() => {
            if (this.turns.get(id) === settled) this.turns.delete(id)
        })
        this.turns.set(id, settled)
        return next
    }

    // All conversations

    async all() {
        let cursor = /** @type {string|null} */ (null)
        const listed = new Set()
        let idle = 0
        for (let page = 0; page < MOST_PAGES; page++) {
            const cursors = this.#cursors()
            const fields = cursor === null ? { cursors } : { cursors, cursor }
            const reply = readSync(await this.context.door.ask('sync/get', fields, { timeout: 60000 }))
            const before = listed.size
            let isProgress = false
            for (const entry of reply.entries) {
                listed.add(entry.id)
                isProgress = await this.turn(entry.id, () => this.#merge(entry)) || isProgress
            }
            for (const id of reply.left) if (this.logs.get(id)?.isMember) await this.logs.leave(id)
            if (reply.isComplete && (reply.next === null || reply.next === cursor)) {
                this.logs.isSynced = true
                return
            }
            idle = isProgress || listed.size > before ? 0 : idle + 1
            const isEndless = idle > MOST_IDLE_PAGES || listed.size > MOST_CONVERSATIONS
            if (isEndless || (!reply.isComplete && !isProgress)) break
            cursor = reply.next
        }
        throw this.#endless()
    }

    #endless() {
        return this.context.fault('endless', 'the gateway gives a list that does not end; it was given up')
    }

    #cursors() {
        const states = [...this.logs.states.values()].filter(({ epoch, isMember }) => epoch !== null && isMember)
            .sort((one, other) => other.object.updatedAt - one.object.updatedAt).slice(0, MOST_CURSORS)
        return Object.fromEntries(states.map(({ id, epoch, high }) => [id, { epoch, seq: high }]))
    }

    /**
     * @param {ReturnType<typeof readSync>['entries'][number]} entry
     * @returns {Promise<boolean>} whether it has brought something
     */
    async #merge(entry) {
        const { id, epoch } = entry
        try {
            if (entry.conversation !== null) {
                if (entry.conversation.id !== id) return false
                await this.logs.merge(entry.conversation)
            } else if (this.logs.get(id) === null && !await this.fetch(id)) {
                return false
            }
        } catch (error) {
            if (error instanceof ClientError && error.code === 'gateway_fault') return false
            throw error
        }
        const before = this.logs.get(id)
        if (before === null) return false
        if (before.epoch !== epoch) {
            await this.#begin(id, epoch)
            if (before.epoch !== null || !entry.isRecovered) await this.#newest(id)
        }
        let isProgress = before.epoch !== epoch
        if (entry.isRecovered && entry.records.length > 0) {
            const high = this.logs.get(id)?.high ?? 0
            if (!await this.delivery.keep(id, epoch, entry.records)) await this.#afterHole(id)
            isProgress ||= (this.logs.get(id)?.high ?? 0) > high
        }
        await this.logs.update(id, (state) => {
            if (state.epoch !== epoch) return state
            let after = {
                ...state, lastSeq: Math.max(state.lastSeq, entry.lastSeq), unread: entry.unread,
                settings: entry.settings,
                isOpen: true,
            }
            if (entry.lastSeq === 0) after = { ...after, holdsStart: true }
            after = withMarks(after, entry.marks)
            const own = entry.marks.get(this.context.address.user)
            after = { ...after, readSeq: Math.max(after.readSeq, own?.read ?? 0) }
            return JSON.stringify(after) === JSON.stringify(state) ? state : after
        })
        return isProgress
    }

    /** @param {string} id @param {string} epoch */
    async #begin(id, epoch) {
        const isReset = await this.logs.change(id, async (state) => {
            if (state === null || state.epoch === epoch) return { state, value: false }
            return { state: withEpoch(state, epoch), value: state.epoch !== null }
        })
        if (isReset) this.context.emit('history-reset', { conversation: id })
    }

    // One conversation

    /** Asks for a conversation. @param {string} id @returns {Promise<boolean>} whether there is one for the user */
    async fetch(id) {
        try {
            const object = readConversation(await this.context.door.ask('conversations/get', { conversation_id: id }))
            if (object.id !== id) {
                throw this.context.fault('other_conversation',
                    `the gateway has answered with another conversation, ${object.id}`)
            }
            await this.logs.merge(object)
            return true
        } catch (error) {
            if (!(error instanceof ClientError) || error.code !== 'not_found') throw error
            await this.logs.leave(id)
            return false
        }
    }

    /** A record that came by an event. @param {Record} record */
    receive(record) {
        const id = record.conversation
        // What is dropped comes with the next sync.
        if (this.early.size >= MOST_EARLY_CONVERSATIONS && !this.early.has(id)) return
        const waiting = this.early.get(id) ?? []
        if (waiting.length >= MOST_EARLY) waiting.shift()
        this.early.set(id, [...waiting, record])
        this.turn(id, () => this.#deliver(id)).catch(() => undefined)
    }

    /** @param {string} id */
    async #deliver(id) {
        const records = (this.early.get(id) ?? []).sort((one, other) => one.seq - other.seq)
        this.early.delete(id)
        if (records.length === 0) return
        if (this.logs.get(id) === null && !await this.fetch(id)) return
        for (const record of records) {
            const state = this.logs.get(id)
            if (state === null || !state.isMember) return
            if (state.epoch !== record.epoch) {
                await this.#newest(id)
            } else if (record.seq > state.high) {
                if (!await this.delivery.keep(id, record.epoch, [record])) await this.#afterHole(id)
            }
        }
    }

    /**
     * The newest page, which says which epoch is current.
     *
     * @param {string} id
     * @param {number} [epochs] that have begun just before
     * @returns {Promise<void>}
     */
    async #newest(id, epochs = 0) {
        if (epochs === MOST_EPOCHS) throw this.#endless()
        const page = await this.#page(id, { limit: 50 })
        await this.#begin(id, page.epoch)
        const options = { isOldest: page.isOldest }
        if (!await this.delivery.keep(id, page.epoch, page.records, options)) await this.#afterHole(id, epochs + 1)
    }

    /**
     * Fetches what is missing after the held range.
     *
     * @param {string} id
     * @param {number} [epochs] that have begun just before
     */
    async #afterHole(id, epochs = 0) {
        for (let pages = 0; pages < MOST_PAGES; pages++) {
            const state = this.logs.get(id)
            if (state === null || state.epoch === null) return
            const page = await this.#page(id, { after: state.high, limit: 200 })
            if (page.epoch !== state.epoch) return this.#newest(id, epochs)
            if (page.records.length === 0) return
            // A page without anything new has no other behind it.
            if (page.records[page.records.length - 1].seq <= state.high) throw this.#endless()
            // The user may not see the records of a time when they were no member: the range begins anew after them.
            if (page.records[0].seq > state.high + 1) {
                await this.logs.update(id, (now) => ({ ...now, low: 1, high: 0, holdsStart: false }))
            }
            if (!await this.delivery.keep(id, page.epoch, page.records) || !page.hasMore) return
        }
        throw this.#endless()
    }

    /**
     * One page before the held range.
     *
     * @param {string} id
     * @returns {Promise<boolean>} whether it has brought something
     */
    older(id) {
        return this.turn(id, async () => {
            const state = this.logs.get(id)
            if (state === null || state.holdsStart || !state.isMember) return false
            if (state.epoch === null || state.high === 0) {
                await this.#newest(id)
                return (this.logs.get(id)?.high ?? 0) > 0
            }
            const page = await this.#page(id, { before: state.low, limit: 200 })
            if (page.epoch !== state.epoch) {
                await this.#newest(id)
                return true
            }
            if (page.records.length === 0 && page.hasMore) throw this.#endless()
            const isOldest = page.isOldest || page.records.length === 0
            const isKept = await this.delivery.keep(id, page.epoch, page.records, { isOlder: true, isOldest })
            if (!isKept) throw new ClientError('bad_reply')
            return page.records.length > 0
        })
    }

    /** Fetches until a message is kept, or is known to be missing. @param {string} id @param {string} message */
    async around(id, message) {
        const page = await this.#page(id, { around: message, limit: 3 })
        return page.records.some((record) => record.id === message)
    }

    /** @param {string} id @param {Record<string, unknown>} fields */
    async #page(id, fields) {
        return readHistory(await this.context.door.ask('history/get', { conversation_id: id, ...fields }))
    }
}

