// @ts-check
/** Profiles, who follows and blocks whom, presence, reports; and message requests. */

import { ClientError } from './errors.js'
import { NAME, readConversation, readRecord } from './records.js'
import { Members, text } from './read.js'
import { newKept } from './rows.js'

const SETTINGS = [
    'message_privacy', 'share_workout_data', 'send_read_receipts', 'send_typing', 'presence', 'quiet_hours',
    'time_zone',
]
const MOST_URL = 2048
const MOST_PRESENCES = 5000

/** @param {Members} from @returns {import('./types.js').Profile} */
function readProfile(from) {
    const settings = from.raw('message_privacy') === null ? null : Object.freeze(Object.fromEntries(
        SETTINGS.map((name) => [name, simple(from.raw(name))])))
    return Object.freeze({
        user: from.id('user_id'), name: from.text('display_name', NAME),
        photoUrl: from.textIfAny('photo_url', MOST_URL),
        followers: from.countIfAny('followers_count') ?? 0, following: from.countIfAny('following_count') ?? 0,
        settings,
    })
}

/** A value of the settings: a text, a flag, or an object of texts. @param {unknown} value */
function simple(value) {
    if (typeof value === 'boolean' || text(64)(value) !== null) return value
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
    const from = new Members(value)
    return Object.freeze({ from: from.text('from', 16), to: from.text('to', 16) })
}

/** @param {Members} from */
const readPerson = (from) =>
    Object.freeze({ user: from.id('user_id'), name: from.textIfAny('display_name', NAME) ?? from.id('user_id') })

/**
 * @template T
 * @param {Members} data
 * @param {(from: Members) => T} read
 */
export const readList = (data, read) =>
    Object.freeze({ items: data.objects('items', 200, read), next: data.textIfAny('next_cursor', 2048) })

/** @param {string} [cursor] */
export const at = (cursor) => (cursor ? { cursor } : {})

export class People {
    /** @param {import('./context.js').Context} context */
    constructor(context) {
        this.context = context
        /** @type {Map<string, Readonly<{isOnline: boolean, lastSeen: number|null}>>} */
        this.presences = new Map()
    }

    /** @param {string} [user] */
    async profile(user) {
        const profile = readProfile(await this.context.door.ask('profile/get', user ? { user_id: user } : {}))
        if (profile.user !== (user ?? this.context.address.user)) throw new ClientError('bad_reply')
        return profile
    }

    /** @param {Record<string, any>} settings */
    async setProfile(settings) {
        return readProfile(await this.context.door.ask('profile/set', settings))
    }

    /** @param {string} user */
    async follow(user) {
        await this.context.door.ask('social/follow', { user_id: user })
    }

    /** @param {string} user */
    async unfollow(user) {
        await this.context.door.ask('social/unfollow', { user_id: user })
    }

    /** @param {string} user */
    async block(user) {
        await this.context.door.ask('social/block', { user_id: user })
    }

    /** @param {string} user */
    async unblock(user) {
        await this.context.door.ask('social/unblock', { user_id: user })
    }

    /** @param {string} [user] @param {string} [cursor] */
    async followers(user, cursor) {
        const fields = { ...(user ? { user_id: user } : {}), ...at(cursor) }
        return readList(await this.context.door.ask('social/followers', fields), readPerson)
    }

    /** @param {string} [user] @param {string} [cursor] */
    async following(user, cursor) {
        const fields = { ...(user ? { user_id: user } : {}), ...at(cursor) }
        return readList(await this.context.door.ask('social/following', fields), readPerson)
    }

    /** @param {string} [cursor] */
    async blocked(cursor) {
        return readList(await this.context.door.ask('social/blocked', at(cursor)), readPerson)
    }

    /** @param {string} user */
    async canMessage(user) {
        const data = await this.context.door.ask('social/can-message', { user_id: user })
        return Object.freeze({
            canMessage: data.flag('can_message'), isLimited: data.flag('is_limited'),
            reason: data.textIfAny('reason', 64) ?? '',
        })
    }

    /** @param {string} user @param {string} reason */
    async report(user, reason) {
        await this.context.door.ask('reports/create', { id: crypto.randomUUID(), user_id: user, reason })
    }

    /** @param {string} user */
    presence(user) {
        return this.presences.get(user) ?? null
    }

    /** @param {Members} data of an event */
    heardPresence(data) {
        const user = data.id('user_id')
        const presence = Object.freeze({
            isOnline: data.text('state', 16) === 'online', lastSeen: data.timeIfAny('last_seen'),
        })
        if (this.presences.size >= MOST_PRESENCES) this.presences.clear()
        this.presences.set(user, presence)
        this.context.emit('presence', { user, ...presence })
    }
}

/** Strangers who ask to write. */
export class Requests {
    /**
     * @param {import('./context.js').Context} context
     * @param {import('./logs.js').Logs} logs
     * @param {import('./delivery.js').Delivery} delivery
     * @param {import('./sync.js').Sync} sync
     * @param {import('./conversations.js').Conversations} conversations
     */
    constructor(context, logs, delivery, sync, conversations) {
        this.context = context
        this.logs = logs
        this.delivery = delivery
        this.sync = sync
        this.conversations = conversations
    }

    /** @param {string} [cursor] */
    async list(cursor) {
        const data = await this.context.door.ask('requests/list', at(cursor))
        const read = readList(data, (from) => ({
            conversation: from.uuid('conversation_id'), user: from.id('user_id'), createdAt: from.time('created_at'),
            record: from.raw('message') === null ? null : readRecord(from.object('message')),
        }))
        const items = []
        for (const { record, ...item } of read.items) {
            // A request that is not in the conversation of the two is none.
            if (await this.logs.directID(item.user) !== item.conversation) continue
            items.push(Object.freeze({ ...item, message: await this.#opened(record, item) }))
        }
        return Object.freeze({ items: Object.freeze(items), next: read.next })
    }

    /**
     * @param {import('./records.js').Record|null} record
     * @param {{conversation: string, user: string}} item
     */
    async #opened(record, { conversation, user }) {
        if (record === null || record.conversation !== conversation || record.sender.user !== user) return null
        const members = [user, this.context.address.user]
        const [kept] = await this.delivery.opened([record], 0, members)
        return this.conversations.messages.view(kept ?? newKept(record, 0))
    }

    /** @param {string} conversation */
    async accept(conversation) {
        const fields = { conversation_id: conversation }
        const object = readConversation(await this.context.door.ask('requests/accept', fields))
        if (object.id !== conversation) {
            throw this.context.fault('other_conversation',
                `the gateway has answered with another conversation, ${object.id}`)
        }
        await this.logs.merge(object)
        await this.sync.older(conversation).catch(() => false)
        const accepted = await this.conversations.get(conversation)
        this.context.emit('requests', {})
        return /** @type {import('./types.js').Conversation} */ (accepted)
    }

    /** @param {string} conversation */
    async decline(conversation) {
        await this.context.door.ask('requests/decline', { conversation_id: conversation })
        this.context.emit('requests', {})
    }
}
