// @ts-check
/** Opens messages later that could not be opened when they came. */

import { membersOf } from './log-state.js'
import * as rows from './rows.js'

/** @typedef {import('./rows.js').Kept} Kept */

/** Rows that are read at once. */
const PAGE = 200

export class Reopening {
    /**
     * @param {import('./context.js').Context} context
     * @param {import('./logs.js').Logs} logs
     * @param {import('./key-exchange.js').KeyExchange} exchange
     * @param {import('./delivery.js').Delivery} delivery
     */
    constructor(context, logs, exchange, delivery) {
        this.context = context
        this.logs = logs
        this.exchange = exchange
        this.delivery = delivery
        /** Called with what newer keys did not open either. @type {((id: string, kept: Kept[]) => void)[]} */
        this.after = []
        /** Whose keys have changed; null for everybody's. @type {Set<string|null>} */
        this.renewed = new Set()
        /** @type {Promise<void>} */
        this.running = Promise.resolve()
    }

    /**
     * Tries again what earlier keys did not open.
     *
     * @param {string|null} [user] whose keys have changed; null for everybody's, after a start
     */
    of(user = null) {
        this.renewed.add(user)
        // One walk at a time, for all whose keys have changed by then.
        const next = this.running.then(() => {
            const users = this.renewed
            this.renewed = new Set()
            return users.size > 0 ? this.#reopenOf(users) : undefined
        })
        this.running = next.catch(() => undefined)
        return next
    }

    /** @param {Set<string|null>} users */
    async #reopenOf(users) {
        const { database, vault } = this.context
        let after = null
        let page = []
        do {
            page = await database.transaction(['records'], 'readonly', (transaction) => (
                transaction.page('records', 'unopened', 1, after, PAGE)))
            for (const row of page) {
                after = [row.conversation, row.chapter, row.seq]
                const kept = await rows.fromRow(row, vault)
                const isMeant = users.has(null) || users.has(kept.record.sender.user)
                if (isMeant || this.delivery.isOwn(kept.record)) await this.#reopen(row, kept)
            }
        } while (page.length === PAGE)
    }

    /** @param {{conversation: string, chapter: number, seq: number}} row @param {Kept} kept */
    async #reopen({ conversation, chapter, seq }, kept) {
        const { database, vault } = this.context
        const state = this.logs.get(conversation)
        if (state === null) return
        const opened = await this.delivery.open(kept, membersOf(state))
        for (const user of this.delivery.awaited(opened, membersOf(state))) this.exchange.markAwaited(user)
        if (opened.content === null && opened.error === kept.error) return
        await this.logs.change(conversation, async (now) => {
            const again = await database.get('records', [conversation, chapter, seq])
            const present = again ? await rows.fromRow(again, vault) : null
            if (present === null || !rows.isSealed(present)) return { state: now, value: null }
            const { write } = await this.#again({ ...opened, changes: present.changes })
            return { state: now, value: null, more: write }
        })
        if (opened.content === null) for (const handler of this.after) handler(conversation, [opened])
        const ids = [kept.record.id, ...(kept.record.target === null ? [] : [kept.record.target])]
        this.context.emit('messages', { conversation, ids })
        this.context.tell({ kind: 'log', conversation, ids })
    }

    /** @param {Kept} kept */
    async #again(kept) {
        const { database, vault, address } = this.context
        const target = kept.record.target
        const targets = target === null ? [] : await database.transaction(['records'], 'readonly', (transaction) => (
            transaction.byIndex('records', 'id', target)))
        const changed = []
        for (const row of targets) {
            const old = await rows.fromRow(row, vault)
            const after = rows.withChange(old, kept)
            if (after !== old) changed.push(after)
        }
        const made = await Promise.all([kept, ...changed].map((each) => rows.toRow(each, vault, address.user)))
        return {
            write: async (/** @type {import('./database.js').Transaction} */ transaction) => {
                for (const row of made) await transaction.put('records', row)
            },
        }
    }
}

