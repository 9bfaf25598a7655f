// @ts-check
/** What comes over the WebSocket (docs/protocol.md, "Events"), each to the part that it concerns. */

import { notice } from './notices.js'
import { readConversation, readReceipt, readRecord, readSettings } from './records.js'

/**
 * @typedef {import('./read.js').Members} Members
 *
 * @typedef {object} Parts
 * @property {import('./context.js').Context} context
 * @property {import('./session.js').Session} session
 * @property {import('./logs.js').Logs} logs
 * @property {import('./sync.js').Sync} sync
 * @property {import('./receipts.js').Receipts} receipts
 * @property {import('./key-exchange.js').KeyExchange} exchange
 * @property {import('./typing.js').Typing} typing
 * @property {import('./people.js').People} people
 * @property {import('./linking.js').Linking} linking
 * @property {import('./notifications.js').Notifications} notifications
 */

/** Events that wait for the storage or an answer. Of more the connection is given up: the next sync has all of it. */
const MOST_WAITING = 4096

/** @param {Parts} parts @returns {(type: string, data: Members) => void} */
export function eventHandler(parts) {
    const { context, session, logs, sync, receipts, exchange, typing, people, linking, notifications } = parts
    const training = () => import('./training.js')
    /** What fails without a connection comes with the next sync. @param {Promise<unknown>} work */
    const later = (work) => {
        waiting++
        work.catch(() => undefined).finally(() => waiting--)
    }
    let waiting = 0

    /** @param {Members} data */
    const conversation = (data) => {
        const object = readConversation(data)
        later(sync.turn(object.id, async () => {
            const isNew = logs.get(object.id) === null
            await logs.merge(object, isNew ? {} : { isOpen: logs.get(object.id)?.isOpen ?? true })
            return isNew
        }).then((isNew) => isNew && sync.older(object.id)))
    }

    /** @param {Members} data */
    const created = (data) => {
        const object = readConversation(data)
        later(sync.turn(object.id, () => logs.merge(object)).then(() => (
            logs.get(object.id)?.epoch === null && sync.older(object.id))))
    }

    /** @param {Members} data */
    const keysChanged = (data) => {
        const user = data.id('user_id')
        exchange.markStale(user)
        // The user's own are told at once; others' are fetched where something waits for them, or before the next send.
        if (user === context.address.user || exchange.isAwaited(user)) later(exchange.fetch(user))
    }

    /** @param {Members} data */
    const device = (data) => {
        const isOwn = data.id('user_id') === context.address.user
        if (isOwn) context.emit('devices', {})
    }

    /** @type {Record<string, (data: Members) => unknown>} */
    const handlers = {
        'message.new': (data) => sync.receive(readRecord(data)),
        'message.edited': (data) => sync.receive(readRecord(data)),
        'message.deleted': (data) => sync.receive(readRecord(data)),
        'message.reaction': (data) => sync.receive(readRecord(data)),
        'message.read': (data) => later(receipts.mark(readReceipt(data, 'read'))),
        'message.delivered': (data) => later(receipts.mark(readReceipt(data, 'delivered'))),
        'conversation.read': (data) => later(receipts.merge(
            data.uuid('conversation_id'), data.count('seq'), data.countIfAny('unread_count', 1000) ?? 0)),
        'conversation.created': created,
        'conversation.updated': conversation,
        'conversation.removed': (data) => later(logs.leave(data.uuid('conversation_id'))),
        'conversation.settings': (data) => {
            const settings = readSettings(data)
            later(logs.update(data.uuid('conversation_id'), (state) => ({ ...state, settings })))
        },
        'message.request': (data) => {
            later(logs.update(data.uuid('conversation_id'), (state) => ({ ...state, isOpen: false })))
            context.emit('requests', {})
        },
        'typing.indicator': (data) => (
            typing.heard(data.uuid('conversation_id'), data.id('user_id'), data.flag('is_typing'))),
        'presence.updated': (data) => people.heardPresence(data),
        'keys.changed': keysChanged,
        'device.added': (data) => {
            device(data)
            const [user, name] = [data.id('user_id'), data.id('device_id')]
            if (user !== context.address.user || name === context.address.device) return
            context.disclose([notice('own-device-made', user, name, `a device of your own was made: ${user}/${name}`)])
        },
        'device.renewed': device,
        'device.revoked': (data) => {
            device(data)
            const { user, device: name } = context.address
            if (data.id('user_id') === user && data.id('device_id') === name) session.end('signed-out')
        },
        'link.offered': (data) => context.emit('link-offered', { device: data.id('device_id') }),
        'link.approved': (data) => later(linking.heardApproval(data)),
        'leaderboard.updated': (data) => later(training().then(({ readBoard }) => (
            context.emit('board', readBoard(data))))),
        'week.ended': (data) => (
            context.emit('week-ended', { group: data.uuid('group_id'), week: data.text('week', 64) })),
        'challenge.updated': (data) => later(training().then(({ readChallenge }) => (
            context.emit('challenge', readChallenge(data))))),
        'activity.new': () => context.emit('activity', {}),
        'activity.reaction': () => context.emit('activity', {}),
        // Only what is pushed, too, has the time of its badge: a message, which is not in the feed.
        'notification.new': (data) => data.raw('badge_at') === null && notifications.heardNew(),
        'notification.cleared': (data) => notifications.heardCleared(data),
    }
    for (const name of ['friend.added', 'friend.removed', 'user.blocked', 'user.unblocked']) {
        handlers[name] = (data) => context.emit('people', { user: data.id('user_id') })
    }
    const ofGroups = ['joined', 'deleted', 'updated', 'member_joined', 'member_left', 'member_removed', 'role_changed']
    for (const name of ofGroups) {
        handlers[`group.${name}`] = () => context.emit('groups', {})
    }
    return (type, data) => {
        if (waiting + sync.turns.size > MOST_WAITING) return session.restart()
        if (Object.hasOwn(handlers, type)) handlers[type](data)
    }
}
