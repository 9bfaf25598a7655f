// @ts-check
/** The activity of friends. */

import { ClientError } from './errors.js'
import { at, readList } from './people.js'
import { Members, text } from './read.js'
import { NAME } from './records.js'

const KIND = 64
const EMOJI = 64

/** @param {Members} from */
const readItem = (from) =>
    Object.freeze({
        id: from.uuid('id'), user: from.id('user_id'), type: from.text('type', KIND), title: from.text('title', NAME),
        description: from.textIfAny('description', 4000), createdAt: from.time('timestamp'),
        reactions: Object.freeze([...from.byUser('reactions', 1000, text(EMOJI))]
            .map(([user, emoji]) => Object.freeze({ user, emoji }))),
    })

export class Activity {
    /** @param {import('./context.js').Context} context */
    constructor(context) {
        this.context = context
    }

    /** @param {string} [user] @param {string} [cursor] */
    async list(user, cursor) {
        const fields = { ...(user ? { user_id: user } : {}), ...at(cursor) }
        const list = readList(await this.context.door.ask('activity/list', fields), readItem)
        if (user && list.items.some((item) => item.user !== user)) throw new ClientError('bad_reply')
        return list
    }

    /** @param {{type: string, title: string, description?: string}} item */
    async post({ type, title, description }) {
        const fields = { id: crypto.randomUUID(), type, title, ...(description ? { description } : {}) }
        await this.context.door.ask('activity/post', fields)
    }

    /** @param {string} id @param {string} emoji */
    async react(id, emoji) {
        await this.context.door.ask('activity/react', { id, emoji })
    }

    /** @param {string} id */
    async unreact(id) {
        await this.context.door.ask('activity/unreact', { id })
    }

    /** @param {string} user */
    async summary(user) {
        const data = await this.context.door.ask('summary/get', { user_id: user })
        if (data.id('user_id') !== user) throw new ClientError('bad_reply')
        return Object.freeze({
            user, steps: data.countIfAny('steps'), calories: data.countIfAny('calories'),
            exerciseMinutes: data.countIfAny('exercise_minutes'), streakDays: data.countIfAny('streak_days'),
            activeChallenges: data.countIfAny('active_challenges'),
            achievements: data.objects('recent_achievements', 100, readItem),
        })
    }
}
