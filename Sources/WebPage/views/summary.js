// @ts-check
/** A message in one line, and the icon of its status. */
import { describeUnopened } from './errors.js'
import { icon } from './icons.js'

/** @typedef {import('../client/types.js').Message} Message */

const KINDS = new Map(Object.entries({
    image: 'Picture', file: 'File', voice: 'Voice message', diet_plan: 'Diet plan', workout_plan: 'Workout plan',
    challenge: 'Challenge',
}))

/**
 * @param {Message} message
 * @param {import('../client/types.js').Conversation} [conversation] names the sender in a group
 * @param {string} [me]
 */
export function summary(message, conversation, me) {
    const text = body(message)
    if (message.state === 'system' || !conversation || conversation.type !== 'group' || message.isOwn) return text
    const sender = conversation.members.find(member => member.user === message.sender.user)?.name ?? message.sender.user
    return me === undefined ? text : `${sender}: ${text}`
}

/** @param {Message} message */
function body(message) {
    switch (message.state) {
        case 'removed': return 'Message deleted'
        case 'unopened': return describeUnopened(message.error)
        case 'unknown': return 'Written by a newer version of Parley'
        case 'system': return describeSystem(message)
        default: break
    }
    const { content, type } = message
    const kind = KINDS.get(type)
    const words = content?.text ?? content?.caption ?? content?.card?.plan_title ?? (type === 'file'
        ? content?.file?.name : '')
    if (!kind) return String(words ?? '')
    return words ? `${kind}: ${words}` : kind
}

/** @param {Message} message @param {(user: string) => string} [name] */
export function describeSystem(message, name = user => user) {
    const event = message.system
    if (!event) return 'Something has changed'
    const [by, who] = [name(event.by), event.user ? name(event.user) : '']
    switch (event.event) {
        case 'member.added': return `${by} has added ${who}`
        case 'member.joined': return `${who || by} has joined`
        case 'member.removed': return `${by} has removed ${who}`
        case 'member.left': return `${who || by} has left`
        case 'role.changed': return `${by} has changed the role of ${who}`
        case 'conversation.renamed': return `${by} has renamed the group`
        default: return 'The group has changed'
    }
}

const STATUS = /** @type {const} */ ({
    queued: ['clock', 'Waiting to be sent'], held: ['clock', 'Waits until you accept new keys'],
    sent: ['check', 'Sent'],
    delivered: ['checks', 'Delivered'], read: ['checks', 'Read'], failed: ['failed', 'Not sent'],
})

/** @param {Message} message of one's own */
export function statusIcon(message) {
    const status = message.status && STATUS[message.status]
    if (!status) return null
    const svg = icon(status[0], status[1])
    svg.classList.add('status', `status-${message.status}`)
    return svg
}
