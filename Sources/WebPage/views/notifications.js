// @ts-check
/** The feed of what concerns oneself. */
import { arrows, el, fill, isolated } from './dom.js'
import { attempt } from './errors.js'
import { formatAgo } from './format.js'
import { icon } from './icons.js'
import { busy, button, emptyState } from './parts.js'

/** @type {Record<string, [Parameters<typeof icon>[0], string]>} by the type of docs/protocol.md */
const KINDS = {
    new_member: ['groups', 'has come into a group of yours'], rank_change: ['trophy', 'has passed you on a board'],
    week_ended: ['trophy', 'The week of a group has ended'], challenge_received: ['flame', 'has challenged you'],
    challenge_accepted: ['flame', 'has accepted a challenge'],
    challenge_declined: ['flame', 'has declined a challenge'],
    challenge_cancelled: ['flame', 'has taken a challenge back'],
    challenge_expired: ['flame', 'A challenge was not answered in time'],
    challenge_completed: ['flame', 'A challenge is over'], message_request: ['person', 'asks to write to you'],
    reaction: ['smile', 'has reacted'],
}

export class Notifications {
    /** @param {HTMLElement} pane @param {import('./shell.js').Context} context */
    constructor(pane, context) {
        this.context = context
        /** @type {any[]} */
        this.items = []
        this.list = el('ul', { 'aria-label': 'Notifications', class: 'feed-list' }, el('li', {}, busy()))
        arrows(this.list, 'a')
        this.readAll = button('Mark all as read', () => attempt(async () => {
            await context.client.notifications.markRead('all')
            this.load()
        }), { kind: 'plain' })
        fill(pane, el('header', { class: 'page-head' }, el('h1', {}, 'Notifications'), this.readAll),
            el('div', { class: 'scroll' }, el('div', { class: 'page' }, this.list)))
        context.ending.add(context.client.on('notifications', () => this.load()))
        this.load()
    }

    /** @param {string} [cursor] */
    async load(cursor) {
        const list = await attempt(() => this.context.client.notifications.list(cursor))
        if (!list || this.context.ending.isOver) return
        this.items = cursor ? [...this.items, ...list.items] : [...list.items]
        this.readAll.hidden = !list.unread
        if (!this.items.length) return fill(this.list, el('li', {},
            emptyState('bell', 'All quiet', 'Here stands what concerns you.')))
        return fill(this.list, this.items.map(item => this.item(item)),
            list.next && el('li', {}, button('Show more', () => this.load(list.next ?? undefined))))
    }

    /** @param {any} item */
    item(item) {
        const kind = KINDS[item.type] ?? ['bell', 'Something that a newer version of Parley shows']
        // Sentences that begin with a capital have no actor in them.
        const isAbout = item.actor && !/^\p{Lu}/u.test(kind[1])
        const route = item.type === 'message_request' ? 'chats/requests' : item.conversation
            ? `chats/${item.conversation}${item.message ? `/${item.message}` : ''}`
            : item.group ? `groups/${item.group}` : item.activity ? 'activity' : 'notifications'
        return el('li', {}, el('a', {
            class: `entry ${item.isRead ? '' : 'unread'}`, href: `#/${route}`,
            on: {
                click: () => {
                    if (!item.isRead) this.context.client.notifications.markRead([item.id]).catch(() => {})
                },
            },
        }, el('span', { class: 'card-icon' }, icon(kind[0])),
        el('span', { class: 'entry-text' }, el('span', {}, isAbout && isolated(item.actor, 'entry-name'),
            isAbout ? ' ' : '', kind[1]),
            el('span', { class: 'help' }, formatAgo(item.createdAt))),
        !item.isRead && el('span', { class: 'badge', role: 'img', 'aria-label': 'unread' }, '•')))
    }
}
