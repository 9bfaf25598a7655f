// @ts-check
/**
 * What waits to be sent: kept, sealed, with the id that it will have, and sent by one tab at a time.
 *
 * The sealed request is kept before it is sent the first time, and repeated as it is: another ciphertext under the same
 * id would be a conflict. It is sealed anew only where the gateway has refused it, and so has kept nothing.
 */

import { ClientError } from './errors.js'
import { membersOf } from './log-state.js'
import { Pacing } from './pacing.js'
import { only, sealedFields } from './sealer.js'

/**
 * @typedef {import('./sealer.js').Draft} Draft
 *
 * @typedef {Omit<Draft, 'id'|'writtenAt'|'resending'|'onlyFor'> & Partial<Draft>} NewDraft
 *
 * @typedef {object} Item
 * @property {number} position
 * @property {Draft} draft
 * @property {Record<string, unknown>|null} request sealed
 * @property {{user: string, device: string}[]} leftOut
 * @property {string[]} sealedFor users
 * @property {'pending'|'accepted'|'failed'} state
 * @property {string|null} failure
 * @property {number} faults of the gateway in a row
 */

const MOST_WAITING = 10000
/** Faulty answers, or refusals as sealed for the wrong devices, after which a message fails. */
const MOST_FAULTS = 8
/** Refusals of that kind in a row, each answered at once. */
const MOST_ATTEMPTS = 5
const OPERATIONS = {
    message: 'messages/send', edit: 'messages/edit', delete: 'messages/delete', reaction: 'messages/react',
}

export class Outbox {
    /**
     * @param {import('./context.js').Context} context
     * @param {import('./logs.js').Logs} logs
     * @param {import('./delivery.js').Delivery} delivery
     * @param {import('./key-exchange.js').KeyExchange} exchange
     * @param {import('./sync.js').Sync} sync
     */
    constructor(context, logs, delivery, exchange, sync) {
        this.context = context
        this.logs = logs
        this.delivery = delivery
        this.exchange = exchange
        this.sync = sync
        /** @type {Item[]} in their order */
        this.items = []
        this.isOnline = () => false
        this.isFlushing = false
        this.isAskedAgain = false
        this.pacing = new Pacing()
        /** @type {Promise<void>} */
        this.turn = Promise.resolve()
        /** @type {Item|null} */
        this.sending = null
        /** @type {ReturnType<typeof setTimeout>|undefined} */
        this.timer = undefined
    }

    /**
     * One after the other: what is added while the rows are read must not be lost.
     *
     * @param {() => Promise<void>} body
     */
    #turn(body) {
        const next = this.turn.then(body)
        this.turn = next.catch(() => undefined)
        return next
    }

    load() {
        return this.#turn(async () => {
            const rows = await this.context.database.transaction(['outbox'], 'readonly', (transaction) => (
                transaction.all('outbox')))
            const sending = this.sending
            this.items = await Promise.all(rows.map(async (row) => (
                row.position === sending?.position ? sending
                    : { position: row.position, ...await this.context.vault.open(['outbox', row.id], row) })))
        })
    }

    /** What another tab has changed. */
    async reload() {
        const before = this.items
        await this.load()
        this.#emit([...before, ...this.items])
    }

    /** @param {Item[]} items */
    #emit(items) {
        /** @type {Map<string, string[]>} */
        const changed = new Map()
        for (const { draft } of items) {
            const ids = draft.target === null ? [draft.id] : [draft.target]
            changed.set(draft.conversation, [...changed.get(draft.conversation) ?? [], ...ids])
        }
        for (const [conversation, ids] of changed) {
            this.context.emit('messages', { conversation, ids: [...new Set(ids)] })
        }
        if (changed.size > 0) this.context.emit('conversations', { ids: [...changed.keys()] })
    }

    /** @param {Item} item */
    async #row(item) {
        const { position, ...kept } = item
        const row = { id: item.draft.id, ...await this.context.vault.seal(['outbox', item.draft.id], kept) }
        return position === 0 ? row : { position, ...row }
    }

    /**
     * Keeps a draft; it is durable when this returns.
     *
     * @param {NewDraft} given
     * @returns {Promise<string>} its id
     */
    async add(given) {
        if (this.items.length >= MOST_WAITING) throw new ClientError('storage', 'Too many messages wait to be sent.')
        const { item, row } = await this.prepared(given)
        await this.#turn(async () => {
            item.position = await this.context.database.put('outbox', row)
            this.items.push(item)
        })
        this.#added(item)
        return item.draft.id
    }

    /** An item that somebody else keeps, with its cause. @param {NewDraft} given */
    async prepared(given) {
        const draft = {
            resending: null, onlyFor: null, ...given, id: crypto.randomUUID(),
            writtenAt: Math.floor(this.context.now()),
        }
        /** @type {Item} */
        const item = {
            position: 0, draft, request: null, leftOut: [], sealedFor: [], state: 'pending', failure: null, faults: 0,
        }
        return { item, row: await this.#row(item) }
    }

    /** An item that was kept. @param {Item} item */
    async insert(item) {
        await this.#turn(async () => {
            if (!this.items.some(({ position }) => position === item.position)) this.items.push(item)
        })
        this.#added(item)
    }

    /** @param {Item} item */
    #added(item) {
        this.#emit([item])
        this.context.tell({ kind: 'outbox' })
        this.flush()
    }

    /** @param {Item} item */
    async #keep(item) {
        const row = await this.#row(item)
        // What was discarded, or came back as a record, is not put there again.
        const isThere = await this.context.database.transaction(['outbox'], 'readwrite', async (transaction) => {
            const old = await transaction.get('outbox', item.position)
            if (old) await transaction.put('outbox', row)
            return old !== undefined
        })
        if (!isThere) this.drop(new Set([item.draft.id]))
        this.#emit([item])
        this.context.tell({ kind: 'outbox' })
    }

    /** @param {Item} item */
    async #remove(item) {
        await this.context.database.delete('outbox', item.position)
        this.pacing.delete(item.draft.id)
        this.items = this.items.filter((each) => each !== item)
        this.#emit([item])
        this.context.tell({ kind: 'outbox' })
    }

    /** Records came: their items are gone from the database. @param {Set<string>} ids */
    drop(ids) {
        for (const id of ids) this.pacing.delete(id)
        this.items = this.items.filter(({ draft }) => !ids.has(draft.id))
    }

    /** @param {string} id */
    find(id) {
        return this.items.find(({ draft }) => draft.id === id) ?? null
    }

    /** Unsent messages of a conversation. @param {string} conversation */
    messagesOf(conversation) {
        return this.items.filter(({ draft }) => draft.conversation === conversation && draft.kind === 'message')
    }

    /** Unsent changes to a message. @param {string} message */
    changesOf(message) {
        return this.items.filter(({ draft, state }) => (
            draft.target === message && draft.resending === null && state !== 'failed'))
    }

    /** @param {string} id */
    async retry(id) {
        const item = this.find(id)
        if (item?.state !== 'failed') return
        Object.assign(item, { state: 'pending', failure: null, request: null, faults: 0 })
        this.pacing.delete(id)
        await this.#keep(item)
        this.flush()
    }

    /** @param {string} id */
    async discard(id) {
        const item = this.find(id)
        if (item !== null && item.state !== 'accepted') await this.#remove(item)
    }

    /** Keys were accepted: what was sealed for others is sealed anew. @param {string} user */
    async forgetSealed(user) {
        for (const item of this.items) {
            const state = this.logs.get(item.draft.conversation)
            if (item.request === null || item.state !== 'pending') continue
            if (state === null || !membersOf(state).includes(user)) continue
            // One that has arrived all the same is a conflict, which the log resolves.
            item.request = null
            this.pacing.delete(item.draft.id)
            await this.#keep(item)
        }
        this.flush()
    }

    // Sending

    /** There is a connection: what waits for another attempt is due at once. */
    connected() {
        this.pacing.reset()
        this.flush()
    }

    /** Sends what can be sent. Only one tab at a time does. */
    flush() {
        if (!this.isOnline()) return
        if (this.isFlushing) {
            this.isAskedAgain = true
            return
        }
        this.isFlushing = true
        clearTimeout(this.timer)
        this.context.locked('outbox', async () => {
            // Another tab may have sent some of it.
            await this.load()
            await this.#sendAll()
        }).catch(() => undefined).finally(() => {
            this.isFlushing = false
            if (!this.isAskedAgain) return
            this.isAskedAgain = false
            this.flush()
        })
    }

    /** One after the other, in each conversation in order; one that waits holds up only its conversation. */
    async #sendAll() {
        /** @type {Set<string>} */
        const waiting = new Set()
        let next = Infinity
        while (this.isOnline()) {
            if (this.pacing.isLimited) {
                next = this.pacing.limitedUntil
                break
            }
            const item = this.items.find(({ draft, state }) => state === 'pending' && !waiting.has(draft.conversation))
            if (item === undefined) break
            const { id, conversation } = item.draft
            let isDone = false
            if (this.pacing.isDue(id)) {
                this.sending = item
                isDone = await this.#send(item).finally(() => {
                    this.sending = null
                })
            }
            if (isDone) this.pacing.delete(id)
            else waiting.add(conversation)
            next = Math.min(next, this.pacing.due(id))
        }
        if (next < Infinity) this.timer = setTimeout(() => this.flush(), Math.max(0, next - Date.now()))
    }

    /** @param {Item} item @returns {Promise<boolean>} whether it waits no more */
    async #send(item) {
        const { id, conversation } = item.draft
        for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
            try {
                if (item.request === null && !await this.#seal(item)) return false
            } catch (error) {
                return this.#failed(item, error)
            }
            try {
                await this.context.door.request(OPERATIONS[item.draft.kind], item.request ?? {})
                item.state = 'accepted'
                await this.#keep(item)
                return true
            } catch (error) {
                if (!(error instanceof ClientError)) throw error
                if (error.code !== 'stale_devices') return this.#failed(item, error)
                if (this.pacing.countRefusal(id) > MOST_FAULTS) return this.#failed(item, error)
                item.request = null
                const state = this.logs.get(conversation)
                if (state) for (const user of membersOf(state)) this.exchange.markStale(user)
                await this.sync.fetch(conversation).catch(() => undefined)
            }
        }
        this.context.fault('other_devices', `the gateway wants what is sent to ${conversation} sealed for other `
            + 'devices than it lists: nothing is sealed for them')
        this.pacing.postpone(id, null)
        return false
    }

    /** @param {Item} item @param {unknown} error @returns {Promise<boolean>} */
    async #failed(item, error) {
        const failure = error instanceof ClientError ? error : new ClientError('internal', String(error))
        switch (failure.code) {
            case 'rate_limited':
                this.pacing.limit(failure.retryAfter)
                return false
            case 'unavailable': case 'offline': case 'timeout': case 'storage': case 'unauthenticated':
                if (item.faults === 0) await this.#countFault(item)
                this.pacing.postpone(item.draft.id, failure.retryAfter)
                return false
            case 'internal': case 'bad_reply':
                await this.#countFault(item)
                if (item.faults >= MOST_FAULTS) break
                this.pacing.postpone(item.draft.id, null)
                return false
            case 'conflict':
                if (await this.sync.around(item.draft.conversation, item.draft.id).catch(() => false)) {
                    item.state = 'accepted'
                    await this.#keep(item)
                    return true
                }
                break
            default: break
        }
        // The gateway removes a file for which no message came within a day.
        const isGone = failure.code === 'not_found' && item.draft.blobs.length > 0
            && this.logs.get(item.draft.conversation)?.isMember
        Object.assign(item, { state: 'failed', failure: isGone ? 'file_gone' : failure.code })
        await this.#keep(item)
        return true
    }

    /** Kept, as the items are read anew before each attempt. @param {Item} item */
    async #countFault(item) {
        item.faults++
        // Without room it counts as long as the item is in memory.
        await this.#keep(item).catch(() => undefined)
    }

    /**
     * Seals a draft with the keys that are known now, and keeps the request.
     *
     * @param {Item} item
     * @returns {Promise<boolean>} false where keys wait to be accepted
     */
    async #seal(item) {
        const { draft } = item
        let state = this.logs.get(draft.conversation)
        if (state === null && await this.sync.fetch(draft.conversation)) state = this.logs.get(draft.conversation)
        if (state === null) throw new ClientError('not_found')
        /** @type {Record<string, unknown>} */
        const fields = { id: draft.id, conversation_id: draft.conversation }
        if (draft.target !== null) fields.message_id = draft.target
        if (draft.kind !== 'delete') {
            const { address, book } = this.context
            const members = membersOf(state)
            const isDirect = state.object.type === 'direct'
            await this.exchange.freshen([...members, address.user])
            if (book.heldUser(members, isDirect) !== null) {
                this.#emit([item])
                return false
            }
            const recipients = only(book.recipients(members), draft.onlyFor)
            if (!recipients.sealed.some(({ user }) => user !== address.user)) {
                throw new ClientError(book.lack(recipients))
            }
            Object.assign(fields, await sealedFields(this.delivery.cipher, address, draft, isDirect, recipients))
            item.sealedFor = [...new Set(recipients.sealed.map(({ user }) => user))]
            item.leftOut = recipients.leftOut.map(({ user, device }) => ({ user, device }))
        }
        item.request = fields
        await this.#keep(item)
        return true
    }
}
