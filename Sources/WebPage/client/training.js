// @ts-check
/** Groups that train together, their invites, boards, workouts and challenges. */

import { ClientError } from './errors.js'
import { Members, count, timeText } from './read.js'
import { at, readList } from './people.js'
import { NAME, readMember } from './records.js'

const KIND = 64

export class Groups {
    /** @param {import('./context.js').Context} context */
    constructor(context) {
        this.context = context
    }

    /** @param {Members} from @returns {import('./types.js').Group} */
    #read(from) {
        const members = from.objects('members', 1024, readMember)
        const own = members.find(({ user }) => user === this.context.address.user)
        if (from.uuid('conversation_id') !== from.uuid('id') || own === undefined) {
            throw this.context.fault('foreign_group', `the gateway tells of the group ${from.uuid('id')}, in which the `
                + 'user is not, or which has another conversation')
        }
        return Object.freeze({
            id: from.uuid('id'), name: from.text('name', NAME), conversation: from.uuid('conversation_id'),
            timeZone: from.text('time_zone', KIND), members, isAdmin: own.role === 'admin',
        })
    }

    /** @param {string} operation @param {string} id @param {Record<string, unknown>} [fields] */
    #ask(operation, id, fields = {}) {
        return this.#answered(operation, id, fields, 'group_id')
    }

    /** @param {string} operation @param {string} id @param {Record<string, unknown>} fields @param {string} name */
    async #answered(operation, id, fields, name) {
        const group = this.#read(await this.context.door.ask(operation, { [name]: id, ...fields }))
        this.#check(group.id, id)
        return group
    }

    /** @param {string} group that an answer is about @param {string} asked */
    #check(group, asked) {
        if (group === asked) return
        throw this.context.fault('other_group', `the gateway has answered with another group, ${group}`)
    }

    async all() {
        const data = await this.context.door.ask('groups/list')
        return data.objects('groups', 1000, (from) => this.#read(from))
    }

    /** @param {string} name @param {string} timeZone */
    async create(name, timeZone) {
        const fields = { name, time_zone: timeZone }
        const group = await this.#answered('groups/create', crypto.randomUUID(), fields, 'id')
        const others = group.members.filter(({ user }) => user !== this.context.address.user).slice(0, 5)
        if (others.length === 0) return group
        const named = others.map(({ user }) => user).join(', ')
        throw this.context.fault('uninvited',
            `the gateway has put ${named} into the new group ${group.id}, whom nobody has invited`)
    }

    /** @param {string} id */
    get(id) {
        return this.#ask('groups/get', id)
    }

    /** @param {string} id @param {string} name */
    rename(id, name) {
        return this.#ask('groups/update', id, { name })
    }

    /** @param {string} id */
    async leave(id) {
        await this.context.door.ask('groups/leave', { group_id: id })
    }

    /** @param {string} id */
    async delete(id) {
        await this.context.door.ask('groups/delete', { group_id: id })
    }

    /** @param {string} id @param {string} user */
    async removeMember(id, user) {
        await this.#ask('groups/remove-member', id, { user_id: user })
    }

    /** @param {string} id @param {string} user @param {'admin'|'member'} role */
    async setRole(id, user, role) {
        await this.#ask('groups/set-role', id, { user_id: user, role })
    }

    /** @param {string} id @param {{uses?: number, expiresIn?: number}} [options] */
    async invite(id, { uses, expiresIn } = {}) {
        const name = crypto.randomUUID()
        const data = await this.context.door.ask('invites/create', {
            id: name, group_id: id, ...(uses ? { uses } : {}),
            ...(expiresIn ? { expires_in: expiresIn } : {}),
        })
        this.#check(data.uuid('group_id'), id)
        const [token, url] = [data.text('token', 256), data.text('url', 2048)]
        if (data.uuid('id') !== name || !url.endsWith(token)) throw new ClientError('bad_reply')
        return Object.freeze({ id: name, token, url, expiresAt: data.time('expires_at') })
    }

    /** @param {string} id */
    async invites(id) {
        const data = await this.context.door.ask('invites/list', { group_id: id, limit: 200 })
        return readList(data, (from) => {
            this.#check(from.uuid('group_id'), id)
            return Object.freeze({
                id: from.uuid('id'), expiresAt: from.time('expires_at'), usesLeft: from.countIfAny('uses_left'),
                createdBy: from.id('created_by'), createdAt: from.time('created_at'),
            })
        }).items
    }

    /** @param {string} id of the invite */
    async revokeInvite(id) {
        await this.context.door.ask('invites/revoke', { id })
    }

    /** @param {string} token */
    async preview(token) {
        const data = await this.context.door.ask('invites/preview', { token })
        return Object.freeze({
            name: data.text('name', NAME), memberCount: data.count('member_count'), invitedBy: data.id('invited_by'),
            inviterName: data.text('inviter_name', NAME),
        })
    }

    /** @param {string} token */
    async acceptInvite(token) {
        return this.#read(await this.context.door.ask('invites/accept', { token }))
    }
}

/** @param {Members} from @returns {import('./types.js').Board} */
export function readBoard(from) {
    const type = from.text('type', KIND)
    if (type !== 'check-ins' && type !== 'streak') throw new ClientError('bad_reply')
    return Object.freeze({
        group: from.uuid('group_id'), type, week: from.text('week', KIND), version: from.count('version'),
        isFinal: from.flag('is_final'), endsAt: from.timeIfAny('ends_at'),
        entries: from.objects('entries', 1024, (entry) => Object.freeze({
            rank: entry.count('rank'), previousRank: entry.countIfAny('previous_rank'), user: entry.id('user_id'),
            name: entry.text('display_name', NAME), value: entry.count('value'),
            reachedAt: entry.timeIfAny('reached_at'),
        })),
    })
}

export class Boards {
    /** @param {import('./context.js').Context} context */
    constructor(context) {
        this.context = context
    }

    /** @param {string} group @param {'check-ins'|'streak'} type @param {string} [week] */
    async get(group, type, week) {
        const fields = { group_id: group, type, ...(week ? { week } : {}) }
        const board = readBoard(await this.context.door.ask('leaderboards/get', fields))
        const isAsked = board.group === group && board.type === type && (week === undefined || board.week === week)
        if (!isAsked) throw new ClientError('bad_reply')
        return board
    }
}

export class Workouts {
    /** @param {import('./context.js').Context} context */
    constructor(context) {
        this.context = context
    }

    get #timeZone() {
        return Intl.DateTimeFormat().resolvedOptions().timeZone
    }

    /** @param {{completedAt: number, kind?: string, minutes?: number}} workout */
    async log({ completedAt, kind, minutes }) {
        const id = crypto.randomUUID()
        const data = await this.context.door.ask('workouts/log', {
            id, completed_at: timeText(completedAt), time_zone: this.#timeZone,
            ...(kind ? { kind } : {}), ...(minutes === undefined ? {} : { minutes }),
        })
        if (data.uuid('id') !== id) throw new ClientError('bad_reply')
        return Object.freeze({
            id, week: data.text('week', KIND), checkIns: data.count('check_ins'),
            streakDays: data.count('streak_days'),
        })
    }

    /** @param {string} id */
    async delete(id) {
        await this.context.door.ask('workouts/delete', { id })
    }

    /** @param {{date: string, steps?: number, calories?: number, exerciseMinutes?: number}} day */
    async report({ date, steps, calories, exerciseMinutes }) {
        const values = { steps, calories, exercise_minutes: exerciseMinutes }
        await this.context.door.ask('metrics/report', {
            date, time_zone: this.#timeZone, version: Math.floor(this.context.now()),
            ...Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)),
        })
    }
}

/** @param {Members} from @returns {import('./types.js').Challenge} */
export const readChallenge = (from) =>
    Object.freeze({
        id: from.uuid('id'), conversation: from.uuid('conversation_id'), challenger: from.id('challenger_id'),
        challenged: from.id('challenged_id'), type: from.text('type', KIND), target: from.count('target'),
        durationDays: from.count('duration_days'), status: from.text('status', KIND),
        progress: from.byUser('progress', 16, count(Number.MAX_SAFE_INTEGER)), winner: from.idIfAny('winner_id'),
        outcome: from.textIfAny('outcome', KIND), createdAt: from.time('created_at'), endsAt: from.timeIfAny('ends_at'),
    })

export class Challenges {
    /** @param {import('./context.js').Context} context */
    constructor(context) {
        this.context = context
    }

    /**
     * @param {string} conversation
     * @param {{challenged: string, type: string, target: number, durationDays: number}} challenge
     */
    async create(conversation, { challenged, type, target, durationDays }) {
        return this.#ask('create', crypto.randomUUID(), {
            conversation_id: conversation, challenged_id: challenged, type, target, duration_days: durationDays,
        })
    }

    /** @param {string} verb @param {string} id @param {Record<string, unknown>} [fields] */
    async #ask(verb, id, fields = {}) {
        const challenge = readChallenge(await this.context.door.ask(`challenges/${verb}`, { id, ...fields }))
        if (challenge.id !== id) throw new ClientError('bad_reply')
        return challenge
    }

    /** @param {string} id */
    get(id) {
        return this.#ask('get', id)
    }

    /** @param {string} id */
    accept(id) {
        return this.#ask('accept', id)
    }

    /** @param {string} id */
    decline(id) {
        return this.#ask('decline', id)
    }

    /** @param {string} id */
    cancel(id) {
        return this.#ask('cancel', id)
    }

    /** @param {string} [conversation] @param {string} [cursor] */
    async list(conversation, cursor) {
        const fields = { ...(conversation ? { conversation_id: conversation } : {}), ...at(cursor) }
        const list = readList(await this.context.door.ask('challenges/list', fields), readChallenge)
        const isAsked = !conversation || list.items.every((challenge) => challenge.conversation === conversation)
        if (!isAsked) throw new ClientError('bad_reply')
        return list
    }
}
