// @ts-check
/** The states of all conversations: in memory, kept, and checked against what no honest gateway says. */

import { directConversation, isNameBased } from '../crypto/names.js'
import { membersOf, newState } from './log-state.js'

/** @typedef {import('./log-state.js').LogState} LogState */

/** More than a user may have open. */
export const MOST_CONVERSATIONS = 20000

export class Logs {
    /** @param {import('./context.js').Context} context */
    constructor(context) {
        this.context = context
        /** @type {Map<string, LogState>} */
        this.states = new Map()
        /** The direct conversations' ids by the other user. @type {Map<string, string>} */
        this.directIDs = new Map()
        /** Group conversations that this device makes now, and whom it has invited. @type {Map<string, Set<string>>} */
        this.invited = new Map()
        this.isSynced = false
    }

    async load() {
        for (const [id, row] of await this.context.database.entries('conversations')) {
            this.states.set(id, await this.context.vault.open(['conversations', id], row))
        }
    }

    /** @param {string} id */
    get(id) {
        return this.states.get(id) ?? null
    }

    /** What another tab has changed. @param {string} id */
    async reload(id) {
        const row = await this.context.database.get('conversations', id)
        if (row) this.states.set(id, await this.context.vault.open(['conversations', id], row))
    }

    /** @param {string} user */
    async directID(user) {
        const known = this.directIDs.get(user)
        if (known) return known
        const id = await directConversation(this.context.address.user, user)
        if (this.directIDs.size >= MOST_CONVERSATIONS) this.directIDs.clear()
        this.directIDs.set(user, id)
        return id
    }

    /**
     * Changes one state under the lock of the log, on what is kept now.
     *
     * @template T
     * @param {string} id
     * @param {(state: LogState|null) => Promise<{state: LogState|null, value: T, more?:
     *   (transaction: import('./database.js').Transaction) => Promise<void>}>} body `more` is written with it
     * @returns {Promise<T>}
     */
    change(id, body) {
        const { database, vault } = this.context
        return this.context.locked('log', async () => {
            await this.reload(id)
            const before = this.get(id)
            const { state, value, more } = await body(before)
            if (state === before && !more) return value
            const row = state === null ? null : await vault.seal(['conversations', id], state)
            await database.transaction(['conversations', 'records', 'outbox'], 'readwrite', async (transaction) => {
                if (row !== null) await transaction.put('conversations', row, id)
                await more?.(transaction)
            })
            if (state !== null) this.states.set(id, state)
            return value
        })
    }

    /**
     * Changes a state that exists.
     *
     * @param {string} id
     * @param {(state: LogState) => LogState} body
     * @returns {Promise<boolean>} whether it has changed
     */
    async update(id, body) {
        const isChanged = await this.change(id, async (state) => {
            const after = state === null ? null : body(state)
            return { state: after, value: after !== state }
        })
        if (isChanged) this.emit([id])
        return isChanged
    }

    /** @param {string[]} ids */
    emit(ids) {
        this.context.emit('conversations', { ids })
        this.context.tell({ kind: 'conversations', ids })
    }

    /**
     * Merges a conversation object.
     *
     * @param {import('./records.js').ConversationObject} object
     * @param {Partial<LogState>} [own] its reader's own part
     * @throws {import('./errors.js').ClientError} `gateway_fault`
     */
    async merge(object, own = {}) {
        await this.check(object)
        const user = this.context.address.user
        let added = /** @type {string[]} */ ([])
        let removed = /** @type {string[]} */ ([])
        const isChanged = await this.change(object.id, async (before) => {
            const state = before ?? newState(object)
            // A retained event may be older.
            const isNewer = state.object.updatedAt <= object.updatedAt
            const isMember = object.members.some((member) => member.user === user)
            const after = {
                ...state, ...own, object: isNewer ? object : state.object, isMember: isMember || state.isMember,
                isOpen: own.isOpen ?? true,
            }
            if (!state.isMember && isMember) Object.assign(after, { low: 1, high: 0, holdsStart: false })
            if (object.lastSeq !== null && object.epoch === state.epoch) {
                after.lastSeq = Math.max(state.lastSeq, object.lastSeq)
            }
            if (before !== null && isNewer) {
                const [olds, news] = [new Set(membersOf(before)), new Set(membersOf(after))]
                added = [...news].filter((name) => !olds.has(name))
                removed = [...olds].filter((name) => !news.has(name))
            }
            return { state: after, value: before === null || JSON.stringify(before) !== JSON.stringify(after) }
        })
        if (added.length > 0 || removed.length > 0) {
            this.context.emit('members', { conversation: object.id, added, removed })
        }
        if (isChanged) this.emit([object.id])
    }

    /**
     * @param {import('./records.js').ConversationObject} object
     * @throws {import('./errors.js').ClientError} `gateway_fault`
     */
    async check(object) {
        const user = this.context.address.user
        const { id, type } = object
        const users = object.members.map((member) => member.user)
        const known = this.get(id)
        const named = users.slice(0, 5).join(', ')
        if (known === null && this.states.size >= MOST_CONVERSATIONS) {
            throw this.context.fault('too_many_conversations',
                'the gateway tells of more conversations than can be; the others are left out')
        }
        if (known !== null && known.object.type !== type) {
            throw this.context.fault('other_type',
                `the gateway says that ${id} is another kind of conversation than it is: nothing is sent there`)
        }
        if (type === 'direct') {
            const other = users.find((name) => name !== user)
            if (users.length !== 2 || !users.includes(user) || other === undefined) {
                throw this.context.fault('direct_members',
                    `the gateway says that ${named} are in the conversation of two ${id}: nothing is sent there`)
            }
            if (await this.directID(other) !== id) {
                throw this.context.fault('direct_id', `the gateway says that ${id} is the conversation of ${named}, `
                    + 'which it is not: nothing is sent there')
            }
            return
        }
        if (isNameBased(id)) {
            throw this.context.fault('group_id',
                `the gateway says that ${id} is another kind of conversation than it is: nothing is sent there`)
        }
        if (!users.includes(user)) {
            throw this.context.fault('foreign_group', `the gateway tells of the group ${id}, in which the user is not`)
        }
        const invited = this.invited.get(id)
        const foreign = invited === undefined ? [] : users.filter((name) => !invited.has(name))
        if (foreign.length > 0) {
            throw this.context.fault('uninvited', `the gateway has put ${foreign.slice(0, 5).join(', ')} into the new `
                + `group ${id}, whom nobody has invited`)
        }
    }

    /** The user is no member any more. @param {string} id */
    async leave(id) {
        await this.update(id, (state) => (state.isMember ? { ...state, isMember: false } : state))
    }
}
