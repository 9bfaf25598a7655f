// @ts-check
/** The feed of what concerns oneself. */
import { arrows, el, fill, isolated } from './dom.js'
import { attempt } from './errors.js'
import { formatAgo } from './format.js'
import { icon } from './icons.js'
import { busy, button, emptyState } from './parts.js'

/** @type {Record<string, [Parameters<typeof icon>[0], string]>} by the type of docs/protocol.md */
const KINDS = {
    message: ['chats', 'has written'], mention: ['chats', 'has mentioned you'], reaction: ['smile', 'has reacted'],
    follow: ['person', 'follows you'], friend: ['person', 'is your friend now'], challenge: ['flame', 'has challenged you'],
    activity: ['activity', 'has reacted to your activity'], board: ['trophy', 'has overtaken you'], group: ['groups', 'has joined your group'],
    week: ['trophy', 'The week is over'], request: ['person', 'would like to write to you'], device: ['phone', 'A device of yours has changed'],
}

export class Notifications {
    /** @param {HTMLElement} pane @param {import('./shell.js').Context} context */
    constructor(pane, context) {
        this.context = context
        /** @type {any[]} */
        this.items = []
        this.list = el('ul', { 'aria-label': 'Notifications', class: 'feed-list' }, busy())
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
        if (!this.items.length) return fill(this.list, el('li', {}, emptyState('bell', 'All quiet', 'Here stands what concerns you.')))
        return fill(this.list, this.items.map(item => this.item(item)),
            list.next && el('li', {}, button('Show more', () => this.load(list.next ?? undefined))))
    }

    /** @param {any} item */
    item(item) {
        const kind = KINDS[item.type] ?? Object.entries(KINDS).find(([name]) => String(item.type).includes(name))?.[1] ?? ['bell', String(item.type).replaceAll(/[._]/g, ' ')]
        const route = item.conversation ? `chats/${item.conversation}${item.message ? `/${item.message}` : ''}`
            : item.group ? `groups/${item.group}` : item.activity ? 'activity' : 'notifications'
        return el('li', {}, el('a', {
            class: `entry ${item.isRead ? '' : 'unread'}`, href: `#/${route}`,
            on: { click: () => { if (!item.isRead) this.context.client.notifications.markRead([item.id]).catch(() => {}) } },
        }, el('span', { class: 'card-icon' }, icon(kind[0])),
        el('span', { class: 'entry-text' }, el('span', {}, item.actor && isolated(item.actor, 'entry-name'), item.actor ? ' ' : '', kind[1]),
            el('span', { class: 'help' }, formatAgo(item.createdAt))),
        !item.isRead && el('span', { class: 'badge', role: 'img', 'aria-label': 'unread' }, '•')))
    }
}
