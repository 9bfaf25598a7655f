// @ts-check
/** The messages of conversations: pages, single ones, and what the person does with them. */

import { writeContent, writeReaction } from './content.js'
import { ClientError } from './errors.js'
import { statusAt } from './log-state.js'
import * as rows from './rows.js'

/**
 * @typedef {import('./rows.js').Kept} Kept
 * @typedef {import('./types.js').Message} Message
 * @typedef {import('./types.js').Position} Position
 * @typedef {import('./outbox.js').Item} Item
 */

/** Rows that are read at once, and pages of the gateway that one page of ours may cost. */
const BATCH = 100
const MOST_FETCHES = 10
const END = { chapter: Number.MAX_SAFE_INTEGER, seq: Number.MAX_SAFE_INTEGER }

export class Messages {
    /**
     * @param {import('./context.js').Context} context
     * @param {import('./logs.js').Logs} logs
     * @param {import('./sync.js').Sync} sync
     * @param {import('./outbox.js').Outbox} outbox
     * @param {import('./receipts.js').Receipts} receipts
     */
    constructor(context, logs, sync, outbox, receipts) {
        this.context = context
        this.logs = logs
        this.sync = sync
        this.outbox = outbox
        this.receipts = receipts
    }

    // Reading

    /**
     * @param {string} conversation
     * @param {{before?: Position|null, limit?: number}} [options]
     * @returns {Promise<import('./types.js').Page>}
     */
    async page(conversation, { before = null, limit = 50 } = {}) {
        /** @type {Kept[]} newest first */
        const found = []
        let upper = before ?? END
        let fetches = 0
        let isOver = false
        while (!isOver) {
            const batch = await this.#rowsBefore(conversation, upper)
            const hole = batch.findIndex((row) => this.#isPastHole(conversation, row))
            for (const row of hole < 0 ? batch : batch.slice(0, hole)) {
                if (found.length === limit) break
                upper = { chapter: row.chapter, seq: row.seq }
                if ('target' in row) continue
                const kept = await rows.fromRow(row, this.context.vault)
                if (kept.record.kind === 'message' && !this.#isExpired(kept)) found.push(kept)
            }
            if (found.length === limit) break
            if (hole < 0 && batch.length === BATCH) continue
            const isMore = ++fetches <= MOST_FETCHES && await this.#fetchOlder(conversation)
            // The gateway may have said that there is nothing in the hole.
            isOver = !isMore && (hole < 0 || !this.logs.get(conversation)?.holdsStart)
        }
        const state = this.logs.get(conversation)
        const messages = found.reverse().map((kept) => this.view(kept))
        if (before === null) {
            const ids = new Set(messages.map(({ id }) => id))
            const waiting = this.outbox.messagesOf(conversation).filter(({ draft }) => !ids.has(draft.id))
            messages.push(...waiting.map((item) => this.#waiting(item)))
        }
        const hasMore = !isOver || (state !== null && !state.holdsStart && state.isMember)
        const next = hasMore ? Object.freeze({ ...upper }) : null
        return Object.freeze({ messages: Object.freeze(messages), hasMore, before: next })
    }

    /** @param {string} conversation @param {Position} upper */
    #rowsBefore(conversation, upper) {
        const range = IDBKeyRange.bound([conversation], [conversation, upper.chapter, upper.seq], false, true)
        return this.context.database.transaction(['records'], 'readonly', (transaction) => (
            transaction.last('records', range, BATCH)))
    }

    /**
     * Whether records may be missing between a row and the held range.
     *
     * @param {string} conversation
     * @param {any} row
     */
    #isPastHole(conversation, row) {
        const state = this.logs.get(conversation)
        if (state === null || state.holdsStart || !state.isMember) return false
        return row.chapter < state.chapter || (state.high > 0 && row.seq < state.low)
    }

    /** @param {string} conversation @returns {Promise<boolean>} whether there may be more now */
    async #fetchOlder(conversation) {
        try {
            return await this.sync.older(conversation)
        } catch (error) {
            if (error instanceof ClientError) return false
            throw error
        }
    }

    /** @param {Kept} kept */
    #isExpired(kept) {
        return kept.record.expiresAt !== null && kept.record.expiresAt <= this.context.now()
    }

    /**
     * Only a message: edits, deletions and reactions are records with ids, too, and are seen at the one they change.
     *
     * @param {string} id
     * @returns {Promise<Message|null>}
     */
    async get(id) {
        const kept = await this.kept(id)
        if (kept !== null && rows.isChange(kept.record)) return null
        if (kept !== null) return this.#isExpired(kept) ? null : this.view(kept)
        const item = this.outbox.find(id)
        return item?.draft.kind === 'message' ? this.#waiting(item) : null
    }

    /** @param {string} id @returns {Promise<Kept|null>} */
    async kept(id) {
        const [row] = await this.context.database.transaction(['records'], 'readonly', (transaction) => (
            transaction.byIndex('records', 'id', id)))
        return row ? rows.fromRow(row, this.context.vault) : null
    }

    /**
     * The newest message of a conversation, sent or not.
     *
     * @param {string} conversation
     * @returns {Promise<Message|null>}
     */
    async newest(conversation) {
        const waiting = this.outbox.messagesOf(conversation).at(-1)
        if (waiting) return this.#waiting(waiting)
        let upper = END
        for (let batches = 0; batches < 3; batches++) {
            const batch = await this.#rowsBefore(conversation, upper)
            for (const row of batch) {
                upper = { chapter: row.chapter, seq: row.seq }
                if ('target' in row) continue
                const kept = await rows.fromRow(row, this.context.vault)
                const isShown = kept.record.kind === 'message' && kept.record.type !== 'system'
                if (isShown && !this.#isExpired(kept)) return this.view(kept)
            }
            if (batch.length < BATCH) return null
        }
        return null
    }

    /** @param {Kept} given @returns {Message} */
    view(given) {
        const record = given.record
        const own = this.context.address.user
        let kept = given
        for (const { draft } of this.outbox.changesOf(record.id)) kept = withUnsent(kept, draft, own)
        const state = this.logs.get(record.conversation)
        const { edit, reactions } = kept.changes
        const isSent = record.sender.user === own && record.type !== 'system'
        const position = rows.positionOf(kept)
        const shown = rows.shownContent(kept)
        const isEarlier = shown.error === 'not_for_this_device' || (shown.error === 'not_authentic'
            && record.keys === null && record.createdAt < this.context.keys.row.madeAt + this.context.clockOffset)
        return Object.freeze({
            id: record.id, conversation: record.conversation, position: Object.freeze(position), sender: record.sender,
            isOwn: record.sender.user === own, type: record.type, ...shown, isEarlier, system: record.system,
            replyTo: record.replyTo, isEdited: edit !== null && !edit.isResent,
            isLegacy: record.suite === 'legacy-nacl-box',
            reactions: Object.freeze(reactions.filter(({ emoji }) => emoji !== '')
                .map(({ user, emoji }) => Object.freeze({ user, emoji }))),
            status: isSent && state ? statusAt(state, position, own) : null,
            failure: null, leftOut: Object.freeze(kept.leftOut), createdAt: record.createdAt,
            expiresAt: record.expiresAt,
        })
    }

    /** @param {Item} item @returns {Message} */
    #waiting({ draft, state, failure, leftOut, request }) {
        let kept = rows.newKept(recordOf(draft, this.context.address), 0)
        kept = { ...kept, content: draft.content }
        const own = this.context.address.user
        for (const change of this.outbox.changesOf(draft.id)) kept = withUnsent(kept, change.draft, own)
        const log = this.logs.get(draft.conversation)
        const held = log === null || request !== null ? null : this.context.book.heldUser(
            log.object.members.map(({ user }) => user), log.object.type === 'direct')
        const status = state === 'failed' ? 'failed' : state === 'accepted' ? 'sent' : held === null ? 'queued' : 'held'
        return Object.freeze({
            id: draft.id, conversation: draft.conversation, position: null, sender: this.context.address, isOwn: true,
            type: draft.type, ...rows.shownContent(kept), isEarlier: false, system: null, replyTo: draft.replyTo,
            isEdited: false, isLegacy: false, reactions: Object.freeze([]), status, failure,
            leftOut: Object.freeze(leftOut),
            createdAt: draft.writtenAt, expiresAt: null,
        })
    }

    // Writing

    /**
     * @param {string} conversation
     * @param {import('./types.js').Draft} draft
     * @param {string[]} [blobs]
     */
    async send(conversation, { type = 'text', content, replyTo = null, expiresIn = null }, blobs = []) {
        const json = writeContent(type, content)
        return this.outbox.add({
            conversation, kind: 'message', type, content: json, target: null, replyTo, expiresIn, blobs,
        })
    }

    /**
     * @param {string} conversation
     * @param {string} text
     * @param {{replyTo?: string|null, expiresIn?: number|null}} [options]
     */
    sendText(conversation, text, options = {}) {
        return this.send(conversation, { content: { text }, ...options })
    }

    /** @param {string} id @param {string} text */
    async edit(id, text) {
        const message = await this.#changed(id)
        if (!message.isOwn || message.state !== 'opened' || message.content === null) throw new ClientError('forbidden')
        const content = message.type === 'text' ? { text } : { ...message.content, caption: text }
        await this.#change(message, 'edit', writeContent(message.type, content))
    }

    /** @param {string} id */
    async remove(id) {
        const message = await this.#changed(id)
        if (!message.isOwn) throw new ClientError('forbidden')
        await this.#change(message, 'delete', '')
    }

    /** @param {string} id @param {string} emoji */
    async react(id, emoji) {
        await this.#change(await this.#changed(id), 'reaction', writeReaction(emoji))
    }

    /** @param {string} id */
    async #changed(id) {
        const message = await this.get(id)
        // What the gateway does not have yet cannot be changed there.
        const isThere = message !== null && (message.position !== null || message.status === 'sent')
        if (!isThere) throw new ClientError('not_found')
        return message
    }

    /** @param {Message} message @param {'edit'|'delete'|'reaction'} kind @param {string} content */
    #change(message, kind, content) {
        return this.outbox.add({
            conversation: message.conversation, kind, type: message.type, content, target: message.id, replyTo: null,
            expiresIn: null, blobs: [],
        })
    }

    /** @param {string} id */
    retry(id) {
        return this.outbox.retry(id)
    }

    /** @param {string} id */
    discard(id) {
        return this.outbox.discard(id)
    }

    /** @param {string} conversation @param {string} id @param {{passingUnopened?: boolean}} [options] */
    markRead(conversation, id, options) {
        return this.receipts.markRead(conversation, id, options)
    }

    /** @param {string} id @param {string} reason */
    async report(id, reason) {
        await this.context.door.ask('reports/create', { id: crypto.randomUUID(), message_id: id, reason })
    }

    // Searching

    /** @param {string} words @param {{conversation?: string, limit?: number}} [options] */
    async search(words, { conversation, limit = 50 } = {}) {
        const wanted = words.normalize('NFKC').toLocaleLowerCase().split(/\s+/).filter(Boolean)
        if (wanted.length === 0) return []
        const found = []
        for (const id of conversation ? [conversation] : this.logs.states.keys()) {
            let upper = END
            for (;;) {
                const batch = await this.#rowsBefore(id, upper)
                for (const row of batch) {
                    upper = { chapter: row.chapter, seq: row.seq }
                    if ('target' in row) continue
                    const kept = await rows.fromRow(row, this.context.vault)
                    const text = searchedText(kept)
                    const isFound = wanted.every((word) => text.includes(word))
                    if (isFound && !this.#isExpired(kept)) found.push(this.view(kept))
                }
                if (batch.length < BATCH) break
            }
        }
        return Object.freeze(found.sort((one, other) => other.createdAt - one.createdAt).slice(0, limit))
    }
}

/** @param {Kept} kept */
function searchedText(kept) {
    const { content } = rows.shownContent(kept)
    const texts = [content?.text, content?.caption, content?.file?.name, ...Object.values(content?.card ?? {})]
    return texts.filter((text) => typeof text === 'string').join('\n').normalize('NFKC').toLocaleLowerCase()
}

/**
 * An unsent change of the user, as if it were at the end of the log.
 *
 * @param {Kept} kept
 * @param {any} draft
 * @param {string} own
 */
function withUnsent(kept, draft, own) {
    if (kept.changes.isRemoved) return kept
    if (draft.kind === 'delete') {
        return { ...kept, content: null, changes: { edit: null, isRemoved: true, reactions: [] } }
    }
    if (draft.kind === 'edit') return rows.withEdit(kept, draft.content, END)
    return rows.withReaction(kept, { user: own, at: END, emoji: JSON.parse(draft.content).emoji })
}

/** @param {any} draft @param {{user: string, device: string}} sender @returns {import('./records.js').Record} */
const recordOf = (draft, sender) => ({
    id: draft.id, conversation: draft.conversation, epoch: '', seq: 0, kind: 'message', target: null, sender,
    type: draft.type, suite: null, content: null, nonce: null, keys: null, replyTo: draft.replyTo, expiresAt: null,
    createdAt: draft.writtenAt, system: null,
})
