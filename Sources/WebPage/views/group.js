// @ts-check
/** One group that trains together: its boards, its members, invitations. */
import { BoardView } from './board.js'
import { el, fill, isolated } from './dom.js'
import { asked } from './details.js'
import { attempt } from './errors.js'
import { counted } from './format.js'
import { icon } from './icons.js'
import { avatar, busy, button, confirm, dialog, iconButton, menu, toast } from './parts.js'

export class GroupView {
    /** @param {HTMLElement} pane @param {import('./shell.js').Context} context @param {string} id */
    constructor(pane, context, id) {
        ;[this.pane, this.context, this.id] = [pane, context, id]
        fill(pane, busy())
        context.ending.add(context.client.on('groups', () => this.load()))
        this.load()
    }

    async load() {
        const group = await attempt(() => this.context.client.groups.get(this.id))
        if (!group || this.context.ending.isOver) return
        const isFirst = !this.group
        this.group = group
        if (isFirst) this.build()
        this.showHead()
        this.showMembers()
    }

    build() {
        const { context, id } = this
        this.head = el('header', { class: 'page-head' })
        this.members = el('section', { class: 'card-box' })
        const place = el('div', { role: 'tabpanel', tabIndex: 0, 'aria-label': 'Board' })
        const boards = { 'check-ins': new BoardView(context, id, 'check-ins'),
            streak: new BoardView(context, id, 'streak') }
        const tabs = /** @type {const} */ (['check-ins', 'streak']).map(type => el('button', {
            type: 'button', role: 'tab', on: { click: () => choose(type) }, 'data-type': type,
        }, type === 'streak' ? 'Streaks' : 'Check-ins'))
        const choose = (/** @type {'check-ins'|'streak'} */ type) => {
            for (const tab of tabs) {
                tab.setAttribute('aria-selected', String(tab.dataset.type === type))
                tab.tabIndex = tab.dataset.type === type ? 0 : -1
            }
            fill(place, boards[type].element)
        }
        const list = el('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Boards' }, tabs)
        list.addEventListener('keydown', event => {
            if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
            const tab = tabs[event.key === 'ArrowLeft' ? 0 : 1]
            tab.click()
            tab.focus()
        })
        choose('check-ins')
        fill(this.pane, this.head, el('div', { class: 'scroll' }, el('div', { class: 'page' },
            el('div', { class: 'quick-actions' },
                button('Log a workout', async () => {
                    const { logWorkout } = await import('./workouts.js')
                    logWorkout(context)
                }, { kind: 'primary', icon: 'dumbbell' }),
                button('Chat', () => context.go(`chats/${this.group?.conversation}`), { icon: 'chats' }),
                el('a', { class: 'button', href: `/board/${encodeURIComponent(id)}`, target: '_blank' }, icon('screen'),
                    'Second screen')),
            el('section', { class: 'card-box' }, list, place), this.members)))
    }

    showHead() {
        const { group, context } = this
        if (!group || !this.head) return
        const more = iconButton('Group actions', 'more', () => menu(more, [
            ...(group.isAdmin ? /** @type {Parameters<typeof menu>[1]} */ ([
                { label: 'Invite', icon: 'link', run: () => this.invite() },
                { label: 'Rename', icon: 'edit', run: () =>
                    asked('Rename', 'Name', group.name, name => context.client.groups.rename(group.id, name)) },
                { label: 'Delete the group', icon: 'trash', isDanger: true,
                    run: () => this.leave('Delete', () => context.client.groups.delete(group.id)) },
            ]) : []),
            { label: 'Leave', icon: 'sign_out', isDanger: true,
                run: () => this.leave('Leave', () => context.client.groups.leave(group.id)) },
        ]))
        fill(this.head, el('a', { class: 'icon-button back', href: '#/groups', 'aria-label': 'Back to all groups' },
            icon('back')),
            avatar(group.id, group.name, { isGroup: true }), el('h1', {}, isolated(group.name)), more)
        document.title = `${group.name} · Parley`
    }

    showMembers() {
        const { group } = this
        if (!group || !this.members) return
        fill(this.members, el('div', { class: 'entry-line' },
            el('h2', { class: 'grow' }, counted(group.members.length, 'member')),
            group.isAdmin && button('Invite', () => this.invite(), { icon: 'link' })),
        el('ul', {}, group.members.map(member => el('li', { class: 'entry flat' },
            avatar(member.user, member.name, { size: 'small' }),
            el('span', { class: 'entry-text' }, isolated(member.name, 'entry-name')),
            member.role === 'admin' && el('span', { class: 'help' }, 'Admin')))))
    }

    async invite() {
        const made = await attempt(() => this.context.client.groups.invite(this.id))
        if (!made) return
        const { qrCode } = await import('./qr.js')
        dialog('Invitation', close => [
            el('p', {}, 'Whoever has this link may join, for seven days.'), qrCode(made.url, 'Invitation as a QR code'),
            el('p', { class: 'copyable', dir: 'ltr' }, made.url),
            el('div', { class: 'dialog-actions' }, button('Close', close), button('Copy', () => attempt(async () => {
                await navigator.clipboard.writeText(made.url)
                toast('Copied')
            }), { kind: 'primary', icon: 'copy' })),
        ])
    }

    /** @param {string} action @param {() => Promise<void>} body */
    async leave(action, body) {
        if (!await confirm(`${action} this group?`, 'Its boards are not yours to see any more.', action,
            { isDanger: true })) return
        await attempt(async () => { await body(); this.context.go('groups') })
    }
}
