// @ts-check
/** One row of a conversation: the day, the bubble, its reactions. */
import { attachment } from './attachment.js'
import { card } from './card.js'
import { el, fill, isolated } from './dom.js'
import { describe, describeUnopened } from './errors.js'
import { bucket, counted, dayOf, formatDay, formatFull, formatTime } from './format.js'
import { icon } from './icons.js'
import { avatar } from './parts.js'
import { linked } from './text.js'
import { describeSystem, statusIcon, summary } from './summary.js'

/** @typedef {import('../client/types.js').Message} Message */

/**
 * @typedef {object} Row what is shown of a message
 * @property {string} key
 * @property {Message} message
 * @property {boolean} isFirst of a run of one sender's
 * @property {boolean} isLast
 * @property {boolean} isNewDay
 * @property {boolean} isFirstUnread
 */

/** Messages of one sender within this time stand close together, in milliseconds. */
const RUN = 5 * 60_000

/**
 * The rows of messages. Those that have not changed are the same objects as before.
 *
 * @param {readonly Message[]} messages
 * @param {string|null} firstUnread
 * @param {Map<string, Row>} before
 * @returns {Row[]}
 */
export function rowsOf(messages, firstUnread, before) {
    return messages.map((message, index) => {
        const [previous, next] = [messages[index - 1], messages[index + 1]]
        const row = {
            key: message.id, message, isFirst: !previous || !isRun(previous, message),
            isLast: !next || !isRun(message, next),
            isNewDay: !previous || dayOf(previous.createdAt) !== dayOf(message.createdAt),
            isFirstUnread: message.id === firstUnread,
        }
        const old = before.get(message.id)
        const isSame = old && old.message === message && old.isFirst === row.isFirst && old.isLast === row.isLast &&
            old.isNewDay === row.isNewDay && old.isFirstUnread === row.isFirstUnread
        return isSame ? old : row
    })
}

/** @param {Message} first @param {Message} second */
function isRun(first, second) {
    return first.state !== 'system' && second.state !== 'system' && first.sender.user === second.sender.user &&
        second.createdAt - first.createdAt < RUN && dayOf(first.createdAt) === dayOf(second.createdAt)
}

/**
 * @typedef {object} Surroundings
 * @property {import('../client/types.js').Client} client
 * @property {string} me
 * @property {boolean} isGroup
 * @property {(user: string) => string} name
 * @property {(id: string) => Message|undefined} find
 * @property {(id: string) => void} reveal
 * @property {(message: Message, emoji: string) => void} react
 * @property {(message: Message) => void} retry
 * @property {import('./dom.js').Ending} ending
 */

/**
 * @param {Row} row
 * @param {Surroundings} around
 */
export function renderRow(row, around) {
    const { message } = row
    const element = el('div', {
        class: `row ${message.isOwn ? 'own' : 'other'} ${row.isFirst ? 'first' : ''} ${row.isLast ? 'last' : ''}`,
        tabIndex: -1, 'data-id': message.id,
    })
    if (row.isNewDay) element.append(el('div', { class: 'day' }, el('span', {}, formatDay(message.createdAt))))
    if (row.isFirstUnread) element.append(el('div', { class: 'unread-line' }, el('span', {}, 'New messages')))
    if (message.state === 'system') {
        element.append(el('div', { class: 'system' }, isolated(describeSystem(message, around.name))))
        return element
    }
    const hasAvatar = around.isGroup && !message.isOwn
    element.append(el('div', { class: 'line' },
        hasAvatar && el('span', { class: 'row-avatar' },
            row.isLast && avatar(message.sender.user, around.name(message.sender.user), { size: 'small' })),
        el('div', { class: 'stack' }, bubble(row, around), reactions(message, around))))
    return element
}

/** @param {Row} row @param {Surroundings} around */
function bubble({ message, isFirst }, around) {
    const sender = around.isGroup && !message.isOwn && isFirst &&
        el('div', { class: `sender ink-${bucket(message.sender.user, 8)}` }, isolated(around.name(message.sender.user)))
    const content = contentOf(message, around)
    const kind = message.state === 'opened' ? message.type : message.state
    return el('div', { class: `bubble kind-${kind}` },
        el('span', { class: 'visually-hidden' }, message.isOwn ? 'You: ' : `${around.name(message.sender.user)}: `),
        sender, message.replyTo && quote(message.replyTo, around), content,
        el('span', { class: 'meta' },
            message.isLegacy && el('span', { class: 'legacy', title: 'Not bound to this conversation' }, 'old app'),
            message.expiresAt !== null && icon('clock', 'Disappears'),
            message.isEdited && message.state === 'opened' && el('span', {}, 'edited'),
            el('time', { dateTime: new Date(message.createdAt).toISOString(), title: formatFull(message.createdAt) },
                formatTime(message.createdAt)),
            message.isOwn && message.state !== 'removed' && statusIcon(message)),
        message.status === 'failed' && (message.failure === 'file_gone'
            ? el('div', { class: 'help' }, describe({ code: message.failure }))
            : el('button', {
                type: 'button', class: 'retry', on: { click: () => around.retry(message) },
            }, 'Not sent. Try again')),
        message.leftOut.length > 0 && el('div', { class: 'help' },
            `Not sealed for ${counted(message.leftOut.length, 'device')} whose keys are not accepted`))
}

/** @param {Message} message @param {Surroundings} around */
function contentOf(message, around) {
    switch (message.state) {
        case 'removed': return el('div', { class: 'text quiet' }, icon('trash'), 'Message deleted')
        case 'unopened': return el('div', { class: 'text quiet' }, icon('lock'), describeUnopened(message.error))
        case 'opened': break
        default: return el('div', { class: 'text quiet' }, icon('info'), 'Written by a newer version of Parley')
    }
    const { content, type } = message
    if (!content) return null
    if (content.file && (type === 'image' || type === 'file' || type === 'voice')) {
        return [attachment(message, content.file, around),
            content.caption && el('div', { class: 'text' }, linked(content.caption))].filter(Boolean)
    }
    if (content.card) return card(message, content.card, around)
    const text = content.text ?? ''
    return el('div', { class: `text ${isJumbo(text) ? 'jumbo' : ''}`, dir: 'auto' }, shortened(message.id, text))
}

/** A text longer than this is shown as far as the second number, until one asks for all of it; in UTF-16 units. */
const [LONG, SHOWN] = [3000, 1500]
/** @type {Set<string>} messages that are shown in full */
const unfolded = new Set()

/** @param {string} id @param {string} text */
function shortened(id, text) {
    if (text.length <= LONG || unfolded.has(id)) return linked(text)
    const begin = text.slice(0, SHOWN).replace(/\s?\S{0,20}$/u, '')
    const more = el('button', {
        type: 'button', class: 'unfold', on: {
            click: () => {
                unfolded.add(id)
                const place = more.parentElement
                /** @type {HTMLElement|null|undefined} */
                const row = place?.closest('.row')
                if (place) fill(place, linked(text))
                row?.focus({ preventScroll: true })
            },
        },
    }, 'Show all')
    return [...linked(begin), '… ', more]
}

/** Whether a text is one to three emoji and nothing else. @param {string} text */
function isJumbo(text) {
    return text.length <= 24 && /^(?:\p{RGI_Emoji}\s?){1,3}$/v.test(text)
}

/** @param {string} id @param {Surroundings} around */
function quote(id, around) {
    const message = around.find(id)
    return el('button', { type: 'button', class: 'quote', on: { click: () => around.reveal(id) } },
        el('span', { class: 'quote-name' }, message ? isolated(message.isOwn ? 'You' : around.name(message.sender.user))
            : 'Earlier message'),
        el('span', { class: 'quote-text' }, message ? isolated(summary(message)) : 'Show it'))
}

/** @param {Message} message @param {Surroundings} around */
function reactions(message, around) {
    if (!message.reactions.length || message.state !== 'opened') return null
    /** @type {Map<string, string[]>} */
    const byEmoji = new Map()
    for (const { user, emoji } of message.reactions) byEmoji.set(emoji, [...byEmoji.get(emoji) ?? [], user])
    const list = el('div', { class: 'reactions' })
    fill(list, [...byEmoji].map(([emoji, users]) => {
        const isMine = users.includes(around.me)
        const names = users.map(user => user === around.me ? 'you' : around.name(user)).join(', ')
        return el('button', {
            type: 'button', class: 'reaction', 'aria-pressed': String(isMine), 'aria-label': `${emoji} by ${names}`,
            title: names, on: { click: () => around.react(message, isMine ? '' : emoji) },
        }, isolated(emoji), users.length > 1 && el('span', {}, String(users.length)))
    }))
    return list
}
