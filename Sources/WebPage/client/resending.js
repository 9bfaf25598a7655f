// @ts-check
/**
 * A message that this device cannot open is asked for, and what another asks for is sealed anew: once each
 * (docs/encryption.md, "Sealed anew"). An answer has the words of this device's own queue: a recipient and the gateway
 * together may forge the log.
 */

import { LEGACY_SUITE } from '../crypto/suites.js'
import { readContent } from './content.js'
import * as rows from './rows.js'

/**
 * @typedef {import('./rows.js').Kept} Kept
 * @typedef {import('./log-state.js').LogState} LogState
 */

const MOST_REQUESTS = 64
const MOST_ANSWERS = 1024
const LONGEST_AGE = 30 * 86400000
const REQUEST = '{"unopened":true}'

export class Resending {
    /**
     * @param {import('./context.js').Context} context
     * @param {import('./logs.js').Logs} logs
     * @param {import('./outbox.js').Outbox} outbox
     * @param {import('./key-exchange.js').KeyExchange} exchange
     */
    constructor(context, logs, outbox, exchange) {
        this.context = context
        this.logs = logs
        this.outbox = outbox
        this.exchange = exchange
    }

    /** @param {string} id of the conversation @param {Kept[]} messages that are new, or were tried again */
    async consider(id, messages) {
        for (const kept of messages) {
            const state = this.logs.get(id)
            if (state === null || !state.isOpen || !state.isMember) return
            if (rows.isSealed(kept)) await this.#request(state, kept)
            else if (kept.record.kind === 'reaction' && isRequest(kept)) await this.#answer(state, kept)
        }
    }

    /** @param {'request'|'answer'} step */
    #waiting(step) {
        return this.outbox.items.filter(({ draft, state }) => draft.resending === step && state === 'pending').length
    }

    /** @param {{user: string, device: string}} address */
    #isRecipient(address) {
        return this.context.book.statusOf(address)?.state === 'recipient'
    }

    /** @param {LogState} state @param {Kept} kept */
    async #request(state, kept) {
        const { record } = kept
        const own = this.context.address
        const named = record.keys?.find(({ user, device }) => user === own.user && device === own.device)
        const mark = state.marks.find(([user]) => user === own.user)?.[1]
        // Without names it was sealed for one device, which may be another one of the user's.
        const isMissed = record.keys === null ? record.seq > (mark?.delivered ?? 0) : named !== undefined
        // Old apps know no such requests.
        if (record.kind !== 'message' || kept.error !== 'not_authentic' || record.suite === LEGACY_SUITE || !isMissed
            || kept.chapter !== state.chapter || record.seq <= state.readSeq || !this.#isRecipient(record.sender)
            || this.#waiting('request') >= MOST_REQUESTS) return
        await this.#queue(kept, 'request', record.sender, { kind: 'reaction', content: REQUEST, onlyFor: null })
    }

    /** @param {LogState} state @param {Kept} asking */
    async #answer(state, asking) {
        const { sender, target } = asking.record
        const own = this.context.address
        if (target === null || (sender.user === own.user && sender.device === own.device)
            || !this.#isRecipient(sender) || this.#waiting('answer') >= MOST_ANSWERS) return
        const [row] = await this.context.database.transaction(['records'], 'readonly', (transaction) => (
            transaction.byIndex('records', 'id', target)))
        if (row?.conversation !== state.id) return
        const kept = await rows.fromRow(row, this.context.vault)
        const json = rows.ownJSON(kept)
        const isDirect = state.object.type === 'direct'
        const wasRecipient = isDirect || kept.sealedFor.includes(sender.user)
        if (json === null || !wasRecipient || kept.record.createdAt < this.context.now() - LONGEST_AGE) return
        this.exchange.markStale(sender.user)
        await this.#queue(kept, 'answer', sender, {
            kind: 'edit', content: `{"resent":true,${json.slice(1)}`,
            onlyFor: isDirect ? null : [...kept.sealedFor, own.user],
        })
    }

    /**
     * Queues it in one transaction with its cause.
     *
     * @param {Kept} given
     * @param {'request'|'answer'} step
     * @param {{user: string, device: string}} device
     * @param {{kind: 'reaction'|'edit', content: string, onlyFor: string[]|null}} draft
     */
    async #queue(given, step, device, draft) {
        const { conversation, id, seq, type } = given.record
        const { database, vault, address } = this.context
        const item = await this.logs.change(conversation, async (state) => {
            const row = await database.get('records', [conversation, given.chapter, seq])
            const kept = row ? await rows.fromRow(row, vault) : null
            if (kept === null || kept.resending) return { state, value: null }
            const prepared = await this.outbox.prepared({
                ...draft, conversation, type, target: id, replyTo: null, expiresIn: null, blobs: [], resending: step,
            })
            const marked = await rows.toRow({ ...kept, resending: step }, vault, address.user)
            return {
                state, value: prepared.item,
                more: async (/** @type {import('./database.js').Transaction} */ transaction) => {
                    await transaction.put('records', marked)
                    prepared.item.position = await transaction.put('outbox', prepared.row)
                },
            }
        })
        if (item === null) return
        await this.outbox.insert(item)
        this.context.emit('resend', { conversation, message: id, step, device })
    }
}

/** @param {Kept} kept */
function isRequest(kept) {
    try {
        return kept.content !== null && readContent('reaction', '', kept.content)?.isResendRequest === true
    } catch {
        return false
    }
}
