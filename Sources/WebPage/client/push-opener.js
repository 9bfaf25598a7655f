// @ts-check
/** Opens what was pushed, in the service worker: with the device's own keys, and what it keeps (docs/push.md). */

import { Client } from './client.js'
import { Context } from './context.js'
import { keptDevices } from './database.js'
import { Members, parseObject } from './read.js'
import { EPOCH, readRecord } from './records.js'

/**
 * @typedef {object} Shown
 * @property {string|null} title null where nothing is to be shown
 * @property {string} body
 * @property {string} tag a later notification of the same tag replaces it
 * @property {string} route of the page
 * @property {readonly string[]} cleared tags of what is to be taken away
 */

const MOST_TEXT = 16384
const MOST_BODY = 500

/** @type {Record<string, [string, string]>} what is told of the feed, and where it leads */
const FEED = {
    new_member: ['has come into a group of yours', 'groups'], rank_change: ['has passed you on a board', 'groups'],
    week_ended: ['The week of a group has ended', 'groups'], challenge_received: ['has challenged you', 'challenges'],
    challenge_accepted: ['has accepted a challenge', 'challenges'],
    challenge_declined: ['has declined a challenge', 'challenges'],
    challenge_cancelled: ['has taken a challenge back', 'challenges'],
    challenge_expired: ['A challenge was not answered in time', 'challenges'],
    challenge_completed: ['A challenge is over', 'challenges'], message_request: ['asks to write to you', 'requests'],
    reaction: ['has reacted', 'notifications'],
}

/** @type {Record<string, string>} */
const KINDS = {
    image: 'A picture', file: 'A file', voice: 'A voice message', diet_plan: 'A diet plan',
    workout_plan: 'A workout plan',
    challenge: 'A challenge',
}

/** @param {string} title @param {string} body @param {string} tag @param {string} route @returns {Shown} */
const shown = (title, body, tag, route) =>
    Object.freeze({ title, body: body.slice(0, MOST_BODY), tag, route, cleared: Object.freeze([]) })

/** @param {string[]} [cleared] @returns {Shown} */
const nothing = (cleared = []) =>
    Object.freeze({ title: null, body: '', tag: '', route: 'chats', cleared: Object.freeze(cleared) })

/** @param {string} conversation */
const tagOf = (conversation) => `conversation ${conversation}`

/**
 * @param {string} text as the push service has brought it
 * @returns {Promise<Shown>}
 */
export async function openPush(text) {
    try {
        if (text.length > MOST_TEXT) return nothing()
        const push = parseObject(text)
        const [user, device] = [push.id('user_id'), push.idIfAny('device_id')]
        const address = (await keptDevices()).find((each) => (
            each.user === user && (device === null || each.device === device)))
        if (!address) return nothing()
        return await opened(push, address)
    } catch {
        return shown('Parley', 'Something has come', 'something', 'chats')
    }
}

/** @param {Members} push @param {{user: string, device: string}} address @returns {Promise<Shown>} */
async function opened(push, address) {
    const type = push.text('type', 64)
    const conversation = push.uuidIfAny('conversation_id')
    if (type === 'clear') return nothing(conversation === null ? [] : [tagOf(conversation)])
    if (push.time('expires_at') <= Date.now()) return nothing()
    if (type === 'digest') return shown('Parley', 'There are unread messages', 'digest', 'chats')
    if (type === 'test') return shown('Parley', 'Notifications reach this device', 'test', 'chats')
    if (type === 'message' && conversation !== null) return message(push, conversation, address)
    if (Object.hasOwn(FEED, type)) {
        const actor = push.idIfAny('actor_id')
        const [sentence, route] = FEED[type]
        const body = actor === null || /^[A-Z]/.test(sentence) ? sentence : `${actor} ${sentence}`
        return shown('Parley', body, `feed ${type}`, route)
    }
    return shown('Parley', 'Something has come', 'something', 'chats')
}

/** @param {Members} push @param {string} conversation @param {{user: string, device: string}} address */
async function message(push, conversation, address) {
    const client = new Client(await Context.open(address, location.origin))
    try {
        await client.logs.load()
        return await messageOf(push, conversation, client)
    } finally {
        client.close()
    }
}

/** @param {Members} push @param {string} id of the conversation @param {Client} client @returns {Promise<Shown>} */
async function messageOf(push, id, client) {
    const [seq, epoch] = [push.count('seq'), push.text('epoch', EPOCH)]
    const route = `chats/${id}`
    const reference = shown('Parley', 'A message has come', tagOf(id), route)
    const state = client.logs.get(id)
    if (state !== null && state.epoch === epoch && seq <= state.readSeq) return nothing()
    const record = push.raw('message') === null ? null : readRecord(push.object('message'))
    const isAt = record === null || (record.conversation === id && record.epoch === epoch && record.seq === seq)
    if (!isAt || state === null) return reference
    // What is kept was checked when it came, and has later changes.
    const name = record?.id ?? push.uuidIfAny('message_id')
    let found = name === null ? null : await client.messages.get(name)
    if (found === null && record !== null) {
        const members = state.object.members.map(({ user }) => user)
        const [kept] = await client.delivery.opened([record], state.chapter, members)
        found = client.messages.view(kept)
    }
    if (found === null) return reference
    if (found.isOwn || found.state === 'removed' || found.conversation !== id) return nothing()
    if (found.expiresAt !== null && found.expiresAt <= Date.now()) return nothing()
    if (found.state !== 'opened') return reference
    const sender = state.object.members.find(({ user }) => user === found.sender.user)?.name ?? found.sender.user
    const title = state.object.type === 'direct' ? sender : `${sender}, ${state.object.name ?? 'group'}`
    const content = found.content
    const body = content?.text ?? content?.caption ?? KINDS[found.type] ?? 'A message'
    return shown(title, found.isLegacy ? `(old app: not bound to this conversation) ${body}` : body, tagOf(id), route)
}
