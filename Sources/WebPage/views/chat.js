// @ts-check
/** One conversation: its head, its messages, and the composer. */
import { release } from './attachment.js'
import { Composer } from './composer.js'
import { el, fill, isolated } from './dom.js'
import { attempt } from './errors.js'
import { counted, formatAgo } from './format.js'
import { icon } from './icons.js'
import { LongList } from './long-list.js'
import { renderRow, rowsOf } from './message.js'
import { messageMenu } from './message-menu.js'
import { avatar, button, busy, emptyState, iconButton } from './parts.js'
import { summary } from './summary.js'

/** @typedef {import('../client/types.js').Message} Message */
/** @typedef {import('../client/types.js').Conversation} Conversation */

const PAGE = 60

export class Chat {
    /**
     * @param {HTMLElement} pane
     * @param {import('./shell.js').Context} context
     * @param {string} address the conversation's id, and perhaps a message's
     */
    constructor(pane, context, address) {
        this.pane = pane
        this.context = context
        const [id, message] = address.split('/')
        this.id = id
        this.target = message ?? null
        /** @type {Map<string, Message>} */
        this.messages = new Map()
        /** @type {Map<string, import('./message.js').Row>} */
        this.rows = new Map()
        /** @type {import('../client/types.js').Position|null} */
        this.before = null
        this.hasMore = false
        this.isLoading = false
        this.firstUnread = null
        this.typists = new Map()
        fill(pane, busy())
        this.begin()
    }

    async begin() {
        const { client, ending } = this.context
        const conversation = await client.conversations.get(this.id)
        if (ending.isOver) return
        if (!conversation) return fill(this.pane, emptyState('info', 'Not here',
            'This conversation is not among yours.'))
        this.conversation = conversation
        this.build()
        ending.add(client.on('messages', event => this.changed(event)))
        ending.add(client.on('conversations', () => this.refresh()))
        ending.add(client.on('members', ({ conversation: of }) => { if (of === this.id) this.refresh() }))
        ending.add(client.on('presence', ({ user }) => { if (user === this.conversation?.other) this.showStatus() }))
        ending.add(client.on('typing', event => this.setTyping(event)))
        ending.add(client.on('keys', () => this.refresh()))
        ending.add(client.on('history-reset', ({ conversation: of }) => { if (of === this.id) this.loadFirst() }))
        ending.listen(document, 'visibilitychange', () => this.markRead())
        ending.listen(window, 'focus', () => this.markRead())
        ending.every(60_000, () => this.showStatus())
        await this.loadFirst()
        if (this.target) this.reveal(this.target)
    }

    build() {
        const { context } = this
        this.list = new LongList({
            key: (/** @type {import('./message.js').Row} */ row) => row.key,
            render: row => this.render(row), reachBegin: () => this.loadMore(), ending: context.ending, release,
            onScroll: isAtEnd => { this.down.hidden = isAtEnd; if (isAtEnd) this.markRead() },
        })
        this.list.body.setAttribute('aria-label', 'Messages')
        this.list.element.addEventListener('keydown', event => this.handleKey(event))
        this.list.body.tabIndex = 0
        this.headElement = el('header', { class: 'chat-head' })
        this.notices = el('div', { class: 'notices', role: 'status' })
        this.status = el('span', { class: 'chat-status' })
        this.down = iconButton('To the newest', 'down', () => this.list?.toEnd(), 'to-end')
        this.down.hidden = true
        this.composer = new Composer(context, this.id, {
            recall: () => this.editLast(), isGroup: () => this.conversation?.type === 'group',
            name: user => this.name(user), conversation: () => this.conversation,
        })
        fill(this.pane, this.headElement, this.notices, el('div', { class: 'chat-body' }, this.list.element, this.down),
            this.composer.element)
        this.showHead()
    }

    /** @param {string} user */
    name(user) {
        return this.conversation?.members.find(member => member.user === user)?.name ?? user
    }

    showHead() {
        const each = this.conversation
        if (!each || !this.headElement) return
        this.showStatus()
        this.showNotices()
        this.composer?.setAvailable(each.isMember)
        const isOnline = each.other ? this.context.client.people.presence(each.other)?.isOnline : false
        // Made anew only if it looks different: a button that is replaced loses the focus, or half a click.
        const look = JSON.stringify([each.name, each.type, isOnline])
        if (look === this.shownHead) return
        this.shownHead = look
        const back = el('a', { class: 'icon-button back', href: '#/chats', 'aria-label': 'Back to all chats' },
            icon('back'))
        fill(this.headElement, back,
            el('button', { type: 'button', class: 'chat-who', 'aria-label': `${each.name}, details`,
                on: { click: () => this.showDetails() } },
                avatar(each.other ?? each.id, each.name, { isOnline, isGroup: each.type === 'group' }),
                el('span', { class: 'entry-text' }, el('h1', {}, isolated(each.name)), this.status ?? null)),
            iconButton('Details', 'info', () => this.showDetails()))
        document.title = `${each.name} · Parley`
    }

    showStatus() {
        const each = this.conversation
        if (!each || !this.status) return
        const typists = [...this.typists.keys()]
        this.status.classList.toggle('typing', typists.length > 0)
        if (typists.length) {
            this.status.textContent = each.type === 'direct' ? 'typing…'
                : `${typists.slice(0, 2).map(user => this.name(user)).join(', ')} `
                    + `${typists.length > 1 ? 'are' : 'is'} typing…`
            return
        }
        if (each.type === 'group') {
            this.status.textContent = counted(each.members.length, 'member')
            return
        }
        const presence = each.other ? this.context.client.people.presence(each.other) : null
        this.status.textContent = !presence ? '' : presence.isOnline ? 'online'
            : presence.lastSeen ? `last seen ${formatAgo(presence.lastSeen)}` : ''
    }

    showNotices() {
        const each = this.conversation
        if (!each || !this.notices) return
        const held = each.heldUser
        fill(this.notices, held && el('div', { class: 'notice' }, icon('shield'),
            el('p', {}, 'The keys of ', isolated(this.name(held)),
                ' have changed. Nothing is sent until you accept them.'),
            button('Compare', () => this.showSafety(held))),
        !each.isMember && el('div', { class: 'notice' }, icon('info'),
            el('p', {}, 'You are not in this group any more.')))
    }

    async showDetails() {
        const { details } = await import('./details.js')
        if (this.conversation) details(this.context, this.conversation)
    }

    /** @param {string} user */
    async showSafety(user) {
        const { safety } = await import('./safety.js')
        safety(this.context, user, this.name(user))
    }

    // Messages.

    async loadFirst() {
        const page = await attempt(() => this.context.client.messages.page(this.id, { limit: PAGE }))
        if (!page || this.context.ending.isOver) return
        this.messages = new Map(page.messages.map(message => [message.id, message]))
        ;[this.hasMore, this.before] = [page.hasMore, page.before]
        const last = this.conversation?.lastReadSeq ?? 0
        const unread = page.messages.find(each => !each.isOwn && each.state !== 'system'
            && (each.position?.seq ?? 0) > last)
        this.firstUnread = this.conversation?.unread && unread ? unread.id : null
        this.show()
        this.list?.toEnd()
        this.markRead()
        this.composer?.focus()
    }

    async loadMore() {
        if (this.isLoading || !this.hasMore) return false
        this.isLoading = true
        try {
            const page = await this.context.client.messages.page(this.id, { before: this.before, limit: PAGE })
            if (this.context.ending.isOver) return false
            this.messages = new Map([...page.messages.map(message => /** @type {const} */ ([message.id, message])),
                ...this.messages])
            ;[this.hasMore, this.before] = [page.hasMore, page.before]
            this.show()
            return true
        } catch {
            return false
        } finally {
            this.isLoading = false
        }
    }

    show() {
        const rows = rowsOf([...this.messages.values()], this.firstUnread, this.rows)
        this.rows = new Map(rows.map(row => [row.key, row]))
        this.list?.show(rows)
        this.list?.element.classList.toggle('none', rows.length === 0)
    }

    /** @param {{conversation: string, ids: readonly string[]}} event */
    async changed({ conversation, ids }) {
        if (conversation !== this.id) return
        const found = await Promise.all(ids.map(id => this.context.client.messages.get(id)))
        if (this.context.ending.isOver) return
        const oldest = [...this.messages.values()].find(message => message.position)?.position
        let isNew = false
        for (const [index, id] of ids.entries()) {
            const message = found[index]
            if (!message) {
                this.messages.delete(id)
                continue
            }
            if (!this.messages.has(id)) {
                // Older than what is loaded: its page will bring it.
                if (this.hasMore && message.position && oldest && order(message.position, oldest) < 0) continue
                isNew = true
                if (!message.isOwn && message.state !== 'system') {
                    this.context.announce(`${this.name(message.sender.user)}: ${summary(message)}`)
                    this.typists.delete(message.sender.user)
                }
            }
            this.messages.set(id, message)
        }
        this.sort()
        this.show()
        this.markRead()
        if (isNew && found.some(message => message?.isOwn && !message.position)) this.list?.toEnd()
        this.showStatus()
    }

    sort() {
        const all = [...this.messages.values()]
        const isSorted = all.every((message, index) => index === 0 || compare(all[index - 1], message) <= 0)
        if (!isSorted) this.messages = new Map(all.sort(compare).map(message => [message.id, message]))
    }

    async refresh() {
        const conversation = await this.context.client.conversations.get(this.id)
        if (!conversation || this.context.ending.isOver) return
        this.conversation = conversation
        this.showHead()
    }

    async markRead() {
        if (document.visibilityState !== 'visible' || !this.list?.isAtEnd || this.context.ending.isOver) return
        const last = [...this.messages.values()].findLast(message => message.position && !message.isOwn
            && message.state !== 'system')
        if (!last || last.id === this.lastRead || !last.position) return
        this.lastRead = last.id
        const isRead = await this.context.client.messages.markRead(this.id, last.id).catch(() => false)
        // What could not be opened may be opened later.
        if (!isRead) this.lastRead = undefined
    }

    /** @param {{conversation: string, user: string, isTyping: boolean}} event */
    setTyping({ conversation, user, isTyping }) {
        if (conversation !== this.id || user === this.context.me) return
        clearTimeout(this.typists.get(user))
        this.typists.delete(user)
        // A stop that does not come.
        if (isTyping) this.typists.set(user, setTimeout(() => this.setTyping({ conversation, user, isTyping: false }),
            8000))
        this.showStatus()
    }

    /** @param {import('./message.js').Row} row */
    render(row) {
        const { client, me, ending } = this.context
        const element = renderRow(row, {
            client, me, ending, isGroup: this.conversation?.type === 'group', name: user => this.name(user),
            find: id => this.messages.get(id), reveal: id => this.reveal(id),
            react: (message, emoji) => attempt(() => client.messages.react(message.id, emoji)),
            retry: message => attempt(() => client.messages.retry(message.id)),
        })
        if (row.message.state === 'system') return element
        const open = (/** @type {HTMLElement} */ anchor) => this.openMenu(row.message, anchor)
        element.addEventListener('contextmenu', event => {
            if (/** @type {Element} */ (event.target).closest('a, img')) return
            event.preventDefault()
            open(element.querySelector('.bubble') ?? element)
        })
        const more = iconButton('Message actions', 'more', () => open(more), 'row-more')
        more.tabIndex = -1
        element.querySelector('.line')?.append(more)
        return element
    }

    /** @param {Message} message @param {HTMLElement} anchor */
    openMenu(message, anchor) {
        messageMenu(this.context, message, anchor, {
            reply: () => this.composer?.reply(message), edit: () => this.composer?.edit(message),
            name: user => this.name(user),
        })
    }

    /** @param {KeyboardEvent} event */
    handleKey(event) {
        const row = /** @type {HTMLElement} */ (event.target).closest('.row')
        if (event.key === 'ArrowUp' || event.key === 'ArrowDown') this.list?.moveFocus(event.key === 'ArrowUp' ? -1 : 1)
        else if (event.key === 'Enter' && row === event.target) {
            const message = this.messages.get(/** @type {HTMLElement} */ (row).dataset.id ?? '')
            if (message) this.openMenu(message, /** @type {HTMLElement} */ (row))
        } else if (event.key === 'Escape') this.composer?.focus()
        else return
        event.preventDefault()
    }

    editLast() {
        const last = [...this.messages.values()].findLast(each => each.isOwn && each.state === 'opened'
            && each.type === 'text')
        if (last) this.composer?.edit(last)
    }

    /** Shows a message in the middle, with pages before it as they are needed. @param {string} id */
    async reveal(id) {
        for (let pages = 0; !this.messages.has(id) && pages < 40; pages++) if (!await this.loadMore()) break
        const row = this.list?.reveal(id)
        if (!row) return
        row.classList.add('found')
        row.focus({ preventScroll: true })
        setTimeout(() => row.classList.remove('found'), 1600)
    }
}

/** @param {import('../client/types.js').Position} a @param {import('../client/types.js').Position} b */
const order = (a, b) => a.chapter - b.chapter || a.seq - b.seq

/** By position; what waits to be sent comes last. @param {Message} a @param {Message} b */
function compare(a, b) {
    if (a.position && b.position) return order(a.position, b.position)
    if (!a.position && !b.position) return a.createdAt - b.createdAt
    return a.position ? -1 : 1
}
