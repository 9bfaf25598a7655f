// @ts-check
/** The list of conversations, and what the person does with them. */

import { ClientError } from './errors.js'
import { membersOf } from './log-state.js'
import { timeText } from './read.js'
import { readConversation, readListed } from './records.js'

/**
 * @typedef {import('./log-state.js').LogState} LogState
 * @typedef {import('./types.js').Conversation} Conversation
 */

export class Conversations {
    /**
     * @param {import('./context.js').Context} context
     * @param {import('./logs.js').Logs} logs
     * @param {import('./sync.js').Sync} sync
     * @param {import('./messages.js').Messages} messages
     */
    constructor(context, logs, sync, messages) {
        this.context = context
        this.logs = logs
        this.sync = sync
        this.messages = messages
    }

    /** @param {{archived?: boolean}} [options] @returns {Promise<readonly Conversation[]>} */
    async all({ archived = false } = {}) {
        const states = [...this.logs.states.values()].filter(({ isOpen, settings }) => (
            isOpen && settings.isArchived === archived))
        const summaries = await Promise.all(states.map((state) => this.#summary(state)))
        return Object.freeze(summaries.sort((one, other) => activeAt(other) - activeAt(one)))
    }

    /** @param {string} id @returns {Promise<Conversation|null>} */
    async get(id) {
        const state = this.logs.get(id)
        return state === null ? null : this.#summary(state)
    }

    /** @param {LogState} state @returns {Promise<Conversation>} */
    async #summary(state) {
        const { id, object, settings } = state
        const own = this.context.address.user
        const others = object.members.filter(({ user }) => user !== own)
        const isDirect = object.type === 'direct'
        const names = others.slice(0, 3).map(({ name }) => name).join(', ')
        return Object.freeze({
            id, type: object.type, name: isDirect ? others[0]?.name ?? '' : object.name ?? names,
            other: isDirect ? others[0]?.user ?? null : null, members: object.members,
            lastMessage: await this.messages.newest(id), unread: state.unread, lastReadSeq: state.readSeq,
            isMuted: settings.isMuted, mutedUntil: settings.mutedUntil, isArchived: settings.isArchived,
            isUnread: settings.isUnread, isMember: state.isMember,
            isAdmin: object.members.some(({ user, role }) => user === own && role === 'admin'),
            updatedAt: object.updatedAt, heldUser: this.context.book.heldUser(membersOf(state), isDirect),
        })
    }

    /** @param {string} id */
    async #required(id) {
        const summary = await this.get(id)
        if (summary === null) throw new ClientError('not_found')
        return summary
    }

    /** @param {string} user */
    async direct(user) {
        const id = await this.logs.directID(user)
        if (this.logs.get(id) === null || !this.logs.get(id)?.isOpen) {
            const made = await this.#ask('conversations/create', { type: 'direct', participant_ids: [user] }, id)
            await this.logs.merge(made)
            await this.#follow(id)
        }
        return this.#required(id)
    }

    /** @param {string} name @param {string[]} users */
    async createGroup(name, users) {
        const id = crypto.randomUUID()
        this.logs.invited.set(id, new Set([...users, this.context.address.user]))
        try {
            const fields = { type: 'group', id, name, participant_ids: users }
            await this.logs.merge(await this.#ask('conversations/create', fields, id))
            // It may be told with other members by now; from here on somebody may join.
            await this.sync.fetch(id).catch((error) => {
                if (error instanceof ClientError && error.isPassing) return
                throw error
            })
        } finally {
            this.logs.invited.delete(id)
        }
        await this.#follow(id)
        return this.#required(id)
    }

    /** Its history, before the next sync. @param {string} id */
    async #follow(id) {
        await this.sync.older(id).catch(() => false)
    }

    /** @param {string} operation @param {Record<string, unknown>} fields @param {string} id */
    async #ask(operation, fields, id) {
        const object = readConversation(await this.context.door.ask(operation, fields))
        if (object.id !== id) {
            throw this.context.fault('other_conversation',
                `the gateway has answered with another conversation, ${object.id}`)
        }
        return object
    }

    /** @param {string} operation @param {string} id @param {Record<string, unknown>} [fields] */
    async #change(operation, id, fields = {}) {
        await this.logs.merge(await this.#ask(operation, { conversation_id: id, ...fields }, id))
    }

    /** @param {string} id @param {string} name */
    async rename(id, name) {
        await this.#update(id, { name })
    }

    /** @param {string} id @param {string[]} users */
    async addMembers(id, users) {
        await this.#change('conversations/add-members', id, { user_ids: users })
    }

    /** @param {string} id @param {string} user */
    async removeMember(id, user) {
        await this.#change('conversations/remove-member', id, { user_id: user })
    }

    /** @param {string} id @param {string} user @param {'admin'|'member'} role */
    async setRole(id, user, role) {
        await this.#change('conversations/set-role', id, { user_id: user, role })
    }

    /** @param {string} id */
    async leave(id) {
        await this.#ask('conversations/leave', { conversation_id: id }, id)
        await this.logs.leave(id)
    }

    /** @param {string} id @param {boolean} isMuted @param {number|null} [until] */
    async mute(id, isMuted, until = null) {
        const time = isMuted ? { muted_until: until === null ? null : timeText(until) } : {}
        await this.#update(id, { is_muted: isMuted, ...time })
    }

    /** @param {string} id @param {boolean} isArchived */
    async archive(id, isArchived) {
        await this.#update(id, { is_archived: isArchived })
    }

    /** @param {string} id @param {boolean} isUnread */
    async markUnread(id, isUnread) {
        await this.#update(id, { is_unread: isUnread })
    }

    /** @param {string} id @param {Record<string, unknown>} fields */
    async #update(id, fields) {
        const data = await this.context.door.ask('conversations/update', { conversation_id: id, ...fields })
        const { conversation, settings } = readListed(data)
        if (conversation.id !== id) throw new ClientError('bad_reply')
        await this.logs.merge(conversation, { settings })
    }
}

/** @param {Conversation} conversation */
const activeAt = ({ lastMessage, updatedAt }) => Math.max(lastMessage?.createdAt ?? 0, updatedAt)
