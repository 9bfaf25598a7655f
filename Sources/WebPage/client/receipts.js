// @ts-check
/** What the user has received and read: told to the gateway, and kept until it has heard. */

import { ClientError } from './errors.js'
import { withMark } from './log-state.js'
import { fromRow, isUnreadable } from './rows.js'

/** Receipts of one conversation are collected so long. */
const DELAY = 300

export class Receipts {
    /**
     * @param {import('./context.js').Context} context
     * @param {import('./logs.js').Logs} logs
     */
    constructor(context, logs) {
        this.context = context
        this.logs = logs
        this.isOnline = () => false
        /** @type {Map<string, ReturnType<typeof setTimeout>>} */
        this.timers = new Map()
        /** The newest received message of each conversation. @type {Map<string, {id: string, seq: number}>} */
        this.delivered = new Map()
    }

    /** @param {string} conversation @param {import('./rows.js').Kept[]} messages */
    received(conversation, messages) {
        const own = this.context.address.user
        const last = messages.filter(({ record }) => record.kind === 'message' && record.sender.user !== own).at(-1)
        if (!last) return
        this.delivered.set(conversation, { id: last.record.id, seq: last.record.seq })
        this.#later(conversation)
    }

    /**
     * Up to a message, or to the one before the first that could not be opened: it and later ones stay unread until it
     * can be, or the person gives it up.
     *
     * @param {string} conversation
     * @param {string} id
     * @param {{passingUnopened?: boolean}} [options]
     * @returns {Promise<boolean>} whether the message itself is read now
     */
    async markRead(conversation, id, { passingUnopened = false } = {}) {
        const [row] = await this.context.database.transaction(['records'], 'readonly', (transaction) => (
            transaction.byIndex('records', 'id', id)))
        const state = this.logs.get(conversation)
        if (!row || row.conversation !== conversation || !state || row.chapter !== state.chapter) return true
        if (row.seq <= state.readSeq && !state.settings.isUnread) return true
        const mark = passingUnopened ? row : await this.#opened(state, row)
        if (mark === null) return false
        const unread = await this.#unreadAfter(conversation, state.chapter, Math.max(mark.seq, state.readSeq))
        await this.logs.update(conversation, (now) => ({
            ...now, readSeq: Math.max(now.readSeq, mark.seq), unread, settings: { ...now.settings, isUnread: false },
            pendingRead: { id: mark.id, seq: Math.max(mark.seq, now.pendingRead?.seq ?? 0) },
        }))
        this.#later(conversation)
        return mark === row
    }

    /**
     * The message itself, or the last one before what could not be opened; null where that is read already.
     *
     * @param {import('./log-state.js').LogState} state
     * @param {{id: string, seq: number}} row
     */
    async #opened({ id, chapter, readSeq }, row) {
        const { database, vault, address } = this.context
        const range = (/** @type {number} */ end) => (
            IDBKeyRange.bound([id, chapter, readSeq], [id, chapter, end], true, false))
        /** @param {IDBKeyRange} wanted @returns {Promise<any[]>} */
        const between = (wanted) => database.transaction(['records'], 'readonly', (transaction) => (
            transaction.all('records', wanted)))
        if (row.seq <= readSeq) return row
        for (const each of await between(range(row.seq))) {
            if (each.unopened !== 1 || each.counts !== 1 || !isUnreadable(await fromRow(each, vault), address)) continue
            if (each.seq <= readSeq + 1) return null
            return (await between(range(each.seq - 1))).findLast((before) => !('target' in before)) ?? null
        }
        return row
    }

    /** @param {string} conversation @param {number} chapter @param {number} seq */
    async #unreadAfter(conversation, chapter, seq) {
        const range = IDBKeyRange.bound([conversation, chapter, seq], [conversation, chapter, Infinity], true, false)
        const all = await this.context.database.transaction(['records'], 'readonly', (transaction) => (
            transaction.all('records', range)))
        return Math.min(1000, all.filter((row) => row.counts === 1).length)
    }

    /**
     * The user has read on another device, or the gateway counts.
     *
     * @param {string} id
     * @param {number} seq
     * @param {number} unread
     */
    async merge(id, seq, unread) {
        await this.logs.update(id, (state) => (
            seq < state.readSeq ? state
                : { ...state, readSeq: seq, unread, settings: { ...state.settings, isUnread: false } }))
    }

    /**
     * Another user's mark, or one's own.
     *
     * @param {{conversation: string, user: string, kind: 'read'|'delivered', seq: number}} receipt
     */
    async mark({ conversation, user, kind, seq }) {
        const before = this.logs.get(conversation)
        if (!before?.object.members.some((member) => member.user === user)) return
        const isChanged = await this.logs.update(conversation, (state) => withMark(state, user, { [kind]: seq }))
        if (isChanged && user !== this.context.address.user) await this.#tellStatus(conversation)
    }

    /** The newest own messages may have another status. @param {string} conversation */
    async #tellStatus(conversation) {
        const range = IDBKeyRange.bound([conversation], [conversation, []])
        const last = await this.context.database.transaction(['records'], 'readonly', (transaction) => (
            transaction.last('records', range, 50)))
        const ids = []
        for (const row of last) {
            if ('target' in row || row.counts === 1) continue
            const { record } = await fromRow(row, this.context.vault)
            if (record.sender.user === this.context.address.user) ids.push(record.id)
        }
        if (ids.length > 0) this.context.emit('messages', { conversation, ids })
    }

    /** Everything that the gateway has not heard. */
    flush() {
        for (const { id, pendingRead } of this.logs.states.values()) if (pendingRead !== null) this.#later(id)
        for (const id of this.delivered.keys()) this.#later(id)
    }

    /** @param {string} conversation */
    #later(conversation) {
        if (this.timers.has(conversation)) return
        this.timers.set(conversation, setTimeout(() => {
            this.timers.delete(conversation)
            if (this.isOnline()) this.#send(conversation).catch(() => undefined)
        }, DELAY))
    }

    /** @param {string} conversation */
    async #send(conversation) {
        const state = this.logs.get(conversation)
        if (state === null || !state.isMember) return
        const read = state.pendingRead
        const delivered = this.delivered.get(conversation)
        if (read !== null) {
            await this.#ask('receipts/read', conversation, read.id)
            await this.logs.update(conversation, (now) => (
                now.pendingRead?.id === read.id ? { ...now, pendingRead: null } : now))
        }
        if (delivered === undefined) return
        this.delivered.delete(conversation)
        // Reading is receiving, too.
        if ((read !== null && read.seq >= delivered.seq) || delivered.seq <= state.deliveredSeq) return
        try {
            await this.#ask('receipts/delivered', conversation, delivered.id)
        } catch (error) {
            if (!this.delivered.has(conversation)) this.delivered.set(conversation, delivered)
            throw error
        }
    }

    /** @param {string} operation @param {string} conversation @param {string} message */
    async #ask(operation, conversation, message) {
        try {
            await this.context.door.ask(operation, { conversation_id: conversation, message_id: message })
        } catch (error) {
            // What the gateway does not have is not to be told again.
            if (!(error instanceof ClientError) || error.isPassing) throw error
        }
    }
}
