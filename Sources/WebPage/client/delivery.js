// @ts-check
/** Opens, keeps and tells the records of each conversation's log, in their order. */

import { MessageCipher } from '../crypto/cipher.js'
import { LEGACY_SUITE } from '../crypto/suites.js'
import { textOf } from '../crypto/bytes.js'
import { legacyJSON, readContent } from './content.js'
import { OpeningError } from '../crypto/opening-error.js'
import { membersOf } from './log-state.js'
import * as rows from './rows.js'

/**
 * @typedef {import('./records.js').Record} Record
 * @typedef {import('./rows.js').Kept} Kept
 * @typedef {import('./log-state.js').LogState} LogState
 */

/** Codes that newer keys of the sender may change. */
const OF_KEYS = new Set(['not_authentic', 'sender_not_certified', 'sender_keys_unknown', 'sender_key_changed'])

export class Delivery {
    /**
     * @param {import('./context.js').Context} context
     * @param {import('./logs.js').Logs} logs
     * @param {import('./key-exchange.js').KeyExchange} exchange
     */
    constructor(context, logs, exchange) {
        this.context = context
        this.logs = logs
        this.exchange = exchange
        this.renewCipher()
        /** Called with what is new in a log. @type {((id: string, kept: Kept[]) => void)[]} */
        this.after = []
        /** What this device has queued under an id. @type {(id: string) => import('./outbox.js').Item|null} */
        this.queued = () => null
    }

    /** After this device's keys have changed. */
    renewCipher() {
        const { identity, retired } = this.context.keys.row
        this.cipher = new MessageCipher(this.context.address, identity, retired)
    }

    // Opening

    /**
     * Opens records; keys that are missing are fetched, at a limited rate.
     *
     * @param {readonly Record[]} records
     * @param {number} chapter
     * @param {readonly string[]} members
     * @returns {Promise<Kept[]>}
     */
    async opened(records, chapter, members) {
        const kept = []
        for (const record of records) kept.push(await this.open(rows.newKept(record, chapter), members))
        const users = new Set(kept.flatMap((message) => this.awaited(message, members)))
        for (const user of users) {
            // Without the keys the message is shown as not opened, and opened later.
            if (this.exchange.claimFetch(user)) await this.exchange.fetch(user).catch(() => undefined)
            else users.delete(user)
        }
        if (users.size === 0) return kept
        const again = []
        for (const message of kept) {
            again.push(rows.isSealed(message) ? await this.open(message, members) : message)
        }
        return again
    }

    /** The users whose newer keys may open it. @param {Kept} kept @param {readonly string[]} members */
    awaited({ error, record }, members) {
        if (error === null || !OF_KEYS.has(error)) return []
        return this.isOwn(record) ? members.filter((user) => !this.context.book.isKnown(user)) : [record.sender.user]
    }

    /** @param {Record} record */
    isOwn(record) {
        const own = this.context.address
        return record.sender.user === own.user && record.sender.device === own.device
    }

    /**
     * With the keys that are known now.
     *
     * @param {Kept} kept
     * @param {readonly string[]} members
     * @returns {Promise<Kept>}
     */
    async open(kept, members) {
        if (!rows.isSealed(kept)) return kept
        try {
            return rows.opened(kept, await this.#json(kept.record, members))
        } catch (error) {
            if (!(error instanceof OpeningError)) throw error
            return { ...kept, error: this.#reason(error.code, kept.record) }
        }
    }

    /** @param {Record} record @param {readonly string[]} members @returns {Promise<string>} */
    async #json(record, members) {
        const { suite, content, nonce, keys } = record
        if (suite === null) throw new OpeningError('malformed')
        if (content === null || nonce === null) throw new OpeningError('malformed')
        const sealed = { nonce, content, keys }
        if (suite === LEGACY_SUITE) return this.#legacy(record, sealed)
        const header = {
            suite, conversation: record.conversation, id: record.id, sender: record.sender, type: record.type,
            replyTo: record.replyTo, kind: record.kind, target: record.target,
            expiresIn: record.expiresAt === null ? null : Math.trunc((record.expiresAt - record.createdAt) / 1000),
        }
        const book = this.context.book
        const opened = await this.cipher.open(sealed, header, (address) => (
            address === null
                ? book.recipients(members).sealed.flatMap((recipient) => book.knownKeys(recipient))
                : book.knownKeys(address)))
        return this.#checked(record, () => textOf(opened))
    }

    /**
     * Only a message of the other one of two: it proves that one of the two has written the words, and nothing else.
     *
     * @param {Record} record
     * @param {import('../crypto/cipher.js').Sealed} sealed
     */
    async #legacy(record, sealed) {
        const { sender } = record
        if (record.kind !== 'message' || sender.user === this.context.address.user
            || await this.logs.directID(sender.user) !== record.conversation) throw new OpeningError('not_bound')
        if (sealed.keys !== null) throw new OpeningError('malformed')
        const opened = await this.cipher.openLegacy(sealed, this.context.book.knownKeys(sender))
        return this.#checked(record, () => legacyJSON(record.type, opened))
    }

    /** @param {Record} record @param {() => string} json */
    #checked(record, json) {
        try {
            const text = json()
            readContent(record.kind, record.type, text)
            return text
        } catch {
            throw new OpeningError('bad_content')
        }
    }

    /** Keys that are not accepted were not tried: a better reason. @param {string} code @param {Record} record */
    #reason(code, record) {
        if (this.isOwn(record) || (code !== 'not_authentic' && code !== 'sender_keys_unknown')) return code
        const status = this.context.book.statusOf(record.sender)
        if (status?.state === 'held') return 'sender_key_changed'
        return status?.fault === 'uncertified' || status?.fault === 'outdated' ? 'sender_not_certified' : code
    }

    // Keeping

    /**
     * Keeps records of one epoch's log beside the held range, or begins it.
     *
     * @param {string} id
     * @param {string} epoch
     * @param {readonly Record[]} given consecutive
     * @param {{isOldest?: boolean, isOlder?: boolean}} [options]
     * @returns {Promise<boolean>} whether they fit
     */
    async keep(id, epoch, given, options = {}) {
        const state = this.logs.get(id)
        if (state === null || state.epoch !== epoch || !isLog(given, id, epoch)) return false
        const kept = await this.opened(given, state.chapter, membersOf(state))
        const told = await this.logs.change(id, async (now) => {
            const place = now === null || now.epoch !== epoch ? null : placed(now, kept, options.isOlder ?? false)
            if (place === null) return { state: now, value: null }
            const { messages, changed, write } = await this.#rows(place.kept)
            const after = { ...place.state, holdsStart: place.state.holdsStart || (options.isOldest ?? false) }
            if (!options.isOlder) advance(after, messages, this.context.address.user)
            return { state: after, value: { messages, changed }, more: write }
        })
        if (told === null) return false
        const ids = [...told.messages.map(({ record }) => record.id), ...told.changed]
        if (ids.length > 0) {
            this.context.emit('messages', { conversation: id, ids })
            this.context.tell({ kind: 'log', conversation: id, ids })
            this.logs.emit([id])
        }
        if (!options.isOlder) for (const handler of this.after) handler(id, told.messages)
        return true
    }

    /**
     * The rows of new records, and of the messages that they change.
     *
     * @param {Kept[]} given
     */
    async #rows(given) {
        const { database, vault, address } = this.context
        const found = await database.transaction(['records'], 'readonly', (transaction) => Promise.all(given.map(
            async (kept) => {
                const { id, conversation, target } = kept.record
                const [same, targets, changes] = await Promise.all([
                    transaction.byIndex('records', 'id', id),
                    target === null ? [] : transaction.byIndex('records', 'id', target),
                    transaction.byIndex('records', 'target', [conversation, id]),
                ])
                return { same, targets, changes }
            })))
        /** What is written, by the record's id. @type {Map<string, Kept>} */
        const written = new Map()
        const changed = new Set()
        /** @type {any[][]} */
        const moved = []
        for (const [index, kept] of given.entries()) {
            const { same, targets, changes } = found[index]
            let message = this.#written(kept)
            const before = same.length > 0 ? await rows.fromRow(same[0], vault) : written.get(kept.record.id)
            if (before) {
                const other = movedTo(before, kept)
                if (other === null) message = { ...kept, isReplay: true }
                else {
                    message = other
                    if (same.length > 0) moved.push([same[0].conversation, same[0].chapter, same[0].seq])
                }
            }
            for (const row of changes) message = rows.withChange(message, await rows.fromRow(row, vault))
            const { id, seq } = message.record
            written.set(message.isReplay ? `${id} replay ${seq}` : id, message)
            const target = message.record.target
            if (target === null || message.isReplay) continue
            const row = targets.find(({ conversation }) => conversation === message.record.conversation)
            const old = written.get(target) ?? (row ? await rows.fromRow(row, vault) : null)
            const after = old && rows.withChange(old, message)
            if (!after || after === old) continue
            written.set(target, after)
            changed.add(target)
        }
        const all = [...written.values()]
        const made = await Promise.all(all.map((kept) => rows.toRow(kept, vault, address.user)))
        const messages = all.filter((kept) => given.some(({ record }) => (
            record.seq === kept.record.seq && record.epoch === kept.record.epoch)))
        return {
            messages, changed: [...changed],
            write: async (/** @type {import('./database.js').Transaction} */ transaction) => {
                // A moved row may leave the place of another: all are deleted first.
                await Promise.all(moved.map((key) => transaction.delete('records', key)))
                const sent = await Promise.all(messages.filter(({ record }) => this.isOwn(record))
                    .map(({ record }) => transaction.byIndex('outbox', 'id', record.id)))
                await Promise.all([
                    ...made.map((row) => transaction.put('records', row)),
                    ...sent.flat().map(({ position }) => transaction.delete('outbox', position)),
                ])
            },
        }
    }

    /** Whether it is what this device has queued. @param {Kept} kept @returns {Kept} */
    #written(kept) {
        const item = this.isOwn(kept.record) ? this.queued(kept.record.id) : null
        if (item === null || kept.content === null || item.draft.content !== kept.content) return kept
        return { ...kept, isOwnWriting: true, sealedFor: item.sealedFor }
    }
}

/**
 * Whether these are consecutive records of one conversation and epoch.
 *
 * @param {readonly Record[]} records
 * @param {string} id
 * @param {string} epoch
 */
const isLog = (records, id, epoch) =>
    records.every((record, index) => record.conversation === id && record.epoch === epoch && record.seq >= 1
        && (index === 0 || record.seq === records[index - 1].seq + 1))

/**
 * @param {LogState} state
 * @param {Kept[]} kept
 * @param {boolean} isOlder
 * @returns {{state: LogState, kept: Kept[]}|null} what is new of them; null where there would be a hole
 */
function placed(state, kept, isOlder) {
    if (kept.length === 0) return { state, kept }
    const [first, last] = [kept[0].record.seq, kept[kept.length - 1].record.seq]
    if (state.high === 0) {
        return { state: { ...state, low: first, high: last, holdsStart: first === 1 || state.holdsStart }, kept }
    }
    if (isOlder) {
        if (last < state.low - 1) return null
        const low = Math.min(first, state.low)
        return {
            state: { ...state, low, holdsStart: low === 1 || state.holdsStart },
            kept: kept.filter(({ record }) => record.seq < state.low),
        }
    }
    if (first > state.high + 1) return null
    const later = kept.filter(({ record }) => record.seq > state.high)
    return { state: { ...state, high: Math.max(state.high, last) }, kept: later }
}

/** @param {LogState} state to be changed @param {Kept[]} messages @param {string} user */
function advance(state, messages, user) {
    state.lastSeq = Math.max(state.lastSeq, state.high)
    for (const kept of messages) {
        if (kept.isReplay) continue
        if (rows.counts(kept, user) && kept.record.seq > state.readSeq) state.unread = Math.min(1000, state.unread + 1)
        if (kept.record.kind === 'message' && kept.record.type !== 'system' && state.settings.isArchived) {
            state.settings = { ...state.settings, isArchived: false }
        }
    }
}

/**
 * A kept message that comes again, at the same position or at that of a later epoch: what was kept stays, whatever the
 * gateway sends.
 *
 * @param {Kept} before
 * @param {Kept} now
 * @returns {Kept|null} null for a replay
 */
function movedTo(before, now) {
    const [old, record] = [before.record, now.record]
    const isSame = before.chapter === now.chapter && old.seq === record.seq
    if (before.isReplay || (!isSame && before.chapter >= now.chapter) || old.sender.user !== record.sender.user
        || old.sender.device !== record.sender.device || old.kind !== record.kind || old.target !== record.target) {
        return null
    }
    if (rows.isSealed(before) && now.content !== null) return { ...now, changes: before.changes }
    return { ...before, chapter: now.chapter, record: Object.freeze({ ...old, epoch: record.epoch, seq: record.seq }) }
}

