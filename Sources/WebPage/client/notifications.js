// @ts-check
/** The user's notifications. */

import { at, readList } from './people.js'
import { Members } from './read.js'

const KIND = 64

/** @param {Members} from */
const readNotification = (from) =>
    Object.freeze({
        id: from.uuid('id'), type: from.text('type', KIND), actor: from.idIfAny('actor_id'),
        conversation: from.uuidIfAny('conversation_id'), group: from.uuidIfAny('group_id'), seq: from.countIfAny('seq'),
        message: from.uuidIfAny('message_id'), challenge: from.uuidIfAny('challenge_id'),
        activity: from.uuidIfAny('activity_id'), board: from.textIfAny('board', KIND),
        week: from.textIfAny('week', KIND),
        isRead: from.flag('is_read'), createdAt: from.time('created_at'),
    })

export class Notifications {
    /** @param {import('./context.js').Context} context */
    constructor(context) {
        this.context = context
        this.unread = 0
    }

    /** @param {string} [cursor] */
    async list(cursor) {
        const data = await this.context.door.ask('notifications/list', at(cursor))
        this.unread = data.count('unread_count')
        return Object.freeze({ ...readList(data, readNotification), unread: this.unread })
    }

    /** @param {string[]|'all'} ids */
    async markRead(ids) {
        const data = await this.context.door.ask('notifications/mark-read', ids === 'all' ? { all: true } : { ids })
        this.#set(data.count('unread_count'))
    }

    /** @param {number} unread */
    #set(unread) {
        this.unread = unread
        this.context.emit('notifications', { unread })
    }

    /** An event `notification.new`. */
    heardNew() {
        this.#set(this.unread + 1)
    }

    /** An event `notification.cleared`. @param {Members} data */
    heardCleared(data) {
        this.#set(data.countIfAny('unread_count') ?? this.unread)
    }
}
