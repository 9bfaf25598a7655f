// @ts-check
/** The list of conversations. */
import { arrows, el, fill, isolated } from './dom.js'
import { formatWhen } from './format.js'
import { icon } from './icons.js'
import { avatar, button, busy, emptyState, iconButton, menu } from './parts.js'
import { statusIcon, summary } from './summary.js'

/** @typedef {import('../client/types.js').Conversation} Conversation */

export class Conversations {
    /**
     * @param {HTMLElement} pane
     * @param {import('./shell.js').Context} context
     */
    constructor(pane, context) {
        this.context = context
        /** @type {Map<string, {conversation: Conversation, element: HTMLElement}>} */
        this.entries = new Map()
        /** @type {Map<string, Map<string, number>>} who types, by conversation */
        this.typing = new Map()
        this.isArchive = false
        this.words = ''
        this.requests = el('div', {})
        this.entriesElement = el('ul', { class: 'entries', 'aria-label': 'Conversations' }, el('li', {}, busy()))
        this.title = el('h1', {}, 'Chats')
        const search = el('input', {
            type: 'search', placeholder: 'Search', 'aria-label': 'Search conversations and messages',
            on: { input: () => { this.words = search.value.trim(); this.show() } },
        })
        search.addEventListener('keydown', event => {
            if (event.key === 'ArrowDown') this.entriesElement.querySelector('a')?.focus()
            if (event.key === 'Escape') { search.value = this.words = ''; this.show() }
        })
        const more = iconButton('More', 'more', () => menu(more, [{
            label: this.isArchive ? 'All chats' : 'Archived chats', icon: 'archive',
            run: () => { this.isArchive = !this.isArchive; this.load() },
        }]))
        more.setAttribute('aria-haspopup', 'menu')
        fill(pane,
            el('header', { class: 'pane-head' }, this.title, more,
                iconButton('New conversation', 'plus', () => this.compose(), 'new-conversation')),
            el('div', { class: 'pane-search' }, el('div', { class: 'search' }, icon('search'), search)),
            el('div', { class: 'scroll' }, this.requests, this.entriesElement))
        arrows(this.entriesElement, 'a')
        const { client, ending } = context
        ending.add(client.on('conversations', () => this.load()))
        ending.add(client.on('presence', ({ user }) => this.update(each => each.other === user)))
        ending.add(client.on('typing', event => this.setTyping(event)))
        ending.add(client.on('requests', () => this.loadRequests()))
        ending.add(client.on('messages', ({ conversation }) => this.refresh(conversation)))
        ending.listen(window, 'hashchange', () => this.mark())
        // Times such as "yesterday" go on.
        ending.every(60_000, () => this.update(() => true))
        this.load()
        this.loadRequests()
    }

    async compose() {
        const { newConversation } = await import('./new-conversation.js')
        newConversation(this.context)
    }

    async load() {
        const all = await this.context.client.conversations.all({ archived: this.isArchive })
        if (this.context.ending.isOver) return
        this.title.textContent = this.isArchive ? 'Archive' : 'Chats'
        this.all = all.filter(each => each.isArchived === this.isArchive)
        this.show()
    }

    /** @param {string} id */
    async refresh(id) {
        const conversation = await this.context.client.conversations.get(id)
        if (!conversation || !this.all || this.context.ending.isOver) return
        if (!this.all.some(each => each.id === id)) return this.load()
        this.all = this.all.map(each => each.id === id ? conversation : each)
        this.all.sort((a, b) => b.updatedAt - a.updatedAt)
        this.show()
    }

    async loadRequests() {
        const list = await this.context.client.requests.list().catch(() => null)
        if (!list || this.context.ending.isOver) return
        fill(this.requests, list.items.length > 0 && el('a', { class: 'entry', href: '#/chats/requests' },
            el('span', { class: 'avatar' }, icon('person')),
            el('span', { class: 'entry-text' }, el('span', { class: 'entry-name' }, 'Message requests'),
                el('span', { class: 'entry-last' }, 'People you have not written to')),
            el('span', { class: 'badge' }, String(list.items.length))))
    }

    /** Shows those that fit the search, with as few new elements as will do. */
    async show() {
        const all = this.all
        if (!all) return
        const words = this.words.toLocaleLowerCase()
        const shown = all.filter(each => !words || each.name.toLocaleLowerCase().includes(words))
        if (!all.length && !words) return fill(this.entriesElement, el('li', {}, this.empty()))
        const elements = shown.map(each => this.entry(each))
        this.entriesElement.replaceChildren(...elements)
        if (words) {
            if (!shown.length) this.entriesElement.append(el('li', { class: 'empty' },
                'No conversation has this name.'))
            this.searchMessages(this.words)
        }
        this.mark()
    }

    empty() {
        if (this.isArchive) return emptyState('archive', 'Nothing here', 'Archived conversations are kept apart here.')
        return emptyState('chats', 'No conversations yet', 'Write to somebody by the name they chose.',
            button('New conversation', () => this.compose(), { kind: 'primary', icon: 'plus' }))
    }

    /** @param {string} words */
    async searchMessages(words) {
        const found = await this.context.client.messages.search(words, { limit: 30 }).catch(() => [])
        if (words !== this.words || !found.length) return
        this.entriesElement.append(el('li', { class: 'list-heading' }, 'Messages'))
        for (const message of found) {
            const conversation = this.all?.find(each => each.id === message.conversation)
            if (!conversation) continue
            this.entriesElement.append(el('li', {}, el('a', {
                class: 'entry', href: `#/chats/${conversation.id}/${message.id}`,
            }, el('span', { class: 'entry-text' },
                el('span', { class: 'entry-line' }, isolated(conversation.name, 'grow entry-name'),
                    el('span', { class: 'entry-when' }, formatWhen(message.createdAt))),
                isolated(summary(message), 'entry-last')))))
        }
    }

    /** @param {Conversation} conversation */
    entry(conversation) {
        const known = this.entries.get(conversation.id)
        if (known && known.conversation === conversation) return known.element
        const element = el('li', {}, this.line(conversation))
        if (known?.element.contains(document.activeElement)) queueMicrotask(() => element.querySelector('a')?.focus())
        this.entries.set(conversation.id, { conversation, element })
        return element
    }

    /** @param {Conversation} each */
    line(each) {
        const { client, me } = this.context
        const isOnline = each.other ? client.people.presence(each.other)?.isOnline : false
        const last = each.lastMessage
        const count = each.unread || (each.isUnread ? 1 : 0)
        const typing = this.typing.get(each.id)
        const text = typing?.size ? el('span', { class: 'typing' }, 'typing…')
            : last ? [last.isOwn && statusIcon(last), summary(last, each, me)] : 'No messages yet'
        return el('a', { class: `entry ${count ? 'unread' : ''}`, href: `#/chats/${each.id}`, 'data-id': each.id },
            avatar(each.other ?? each.id, each.name, { isOnline, isGroup: each.type === 'group' }),
            el('span', { class: 'entry-text' },
                el('span', { class: 'entry-line' }, isolated(each.name, 'grow entry-name'),
                    each.isMuted && el('span', { class: 'state' }, icon('mute', 'Muted')),
                    last && el('span', { class: 'entry-when' }, formatWhen(last.createdAt))),
                el('span', { class: 'entry-line entry-last' }, el('span', { class: 'grow' }, text),
                    count > 0 && el('span', {
                        class: `badge ${each.isMuted ? 'quiet' : ''}`,
                        'aria-label': `${each.unread || 'marked'} unread`,
                        role: 'img',
                    }, each.unread ? String(each.unread) : '•'))))
    }

    /** @param {(conversation: Conversation) => boolean} isMeant */
    update(isMeant) {
        for (const { conversation, element } of this.entries.values()) {
            if (!isMeant(conversation) || !element.isConnected) continue
            const hadFocus = element.contains(document.activeElement)
            fill(element, this.line(conversation))
            if (hadFocus) element.querySelector('a')?.focus()
        }
        this.mark()
    }

    /** @param {{conversation: string, user: string, isTyping: boolean}} event */
    setTyping({ conversation, user, isTyping }) {
        if (user === this.context.me) return
        const users = this.typing.get(conversation) ?? new Map()
        this.typing.set(conversation, users)
        clearTimeout(users.get(user))
        users.delete(user)
        // A stop that does not come.
        if (isTyping) users.set(user, setTimeout(() => this.setTyping({ conversation, user, isTyping: false }), 8000))
        this.update(each => each.id === conversation)
    }

    /** Marks the one that is open. */
    mark() {
        const open = location.hash.split('/')[2]
        for (const link of this.entriesElement.querySelectorAll('a')) {
            if (link.dataset.id === open) link.setAttribute('aria-current', 'page')
            else link.removeAttribute('aria-current')
        }
    }
}
