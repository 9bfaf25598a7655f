// @ts-check
/** The list of groups that train together. */
import { arrows, el, fill, isolated } from './dom.js'
import { attempt } from './errors.js'
import { counted } from './format.js'
import { avatar, busy, button, dialog, emptyState, field, iconButton } from './parts.js'

export class GroupList {
    /** @param {HTMLElement} pane @param {import('./shell.js').Context} context */
    constructor(pane, context) {
        this.context = context
        this.list = el('ul', { 'aria-label': 'Groups' }, el('li', {}, busy()))
        arrows(this.list, 'a')
        fill(pane, el('header', { class: 'pane-head' }, el('h1', {}, 'Groups'),
            iconButton('Log a workout', 'dumbbell', async () => {
                const { logWorkout } = await import('./workouts.js')
                logWorkout(context)
            }),
            iconButton('New group', 'plus', () => this.add())),
        el('div', { class: 'scroll' }, this.list))
        context.ending.add(context.client.on('groups', () => this.load()))
        context.ending.listen(window, 'hashchange', () => this.mark())
        this.load()
    }

    async load() {
        const groups = await attempt(() => this.context.client.groups.all())
        if (this.context.ending.isOver) return
        if (!groups?.length) {
            return fill(this.list, el('li', {}, emptyState('trophy', 'No groups yet',
                'Make one, or come in by an invitation.',
                button('New group', () => this.add(), { kind: 'primary', icon: 'plus' }))))
        }
        fill(this.list, groups.map(group => el('li', {}, el('a', {
            class: 'entry', href: `#/groups/${group.id}`, 'data-id': group.id,
        }, avatar(group.id, group.name, { isGroup: true }), el('span', { class: 'entry-text' },
            isolated(group.name, 'entry-name'), el('span', { class: 'entry-last' },
                counted(group.members.length, 'member')))))))
        this.mark()
        return undefined
    }

    mark() {
        const open = location.hash.split('/')[2]
        for (const link of this.list.querySelectorAll('a')) {
            if (link.dataset.id === open) link.setAttribute('aria-current', 'page')
            else link.removeAttribute('aria-current')
        }
    }

    add() {
        const { client, go } = this.context
        const name = field('Name', { maxLength: 100, placeholder: 'Early birds' })
        const token = field('Invitation', { spellcheck: false }, 'The link or code that somebody has sent you.')
        dialog('Groups', close => {
            const enter = (/** @type {() => Promise<import('../client/types.js').Group>} */ body) =>
                attempt(async () => {
                const group = await body()
                close()
                await this.load()
                go(`groups/${group.id}`)
            })
            return [
                el('form', {
                    class: 'form', on: {
                        submit: (/** @type {Event} */ event) => {
                            event.preventDefault()
                            const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
                            enter(() => client.groups.create(name.input.value.trim(), zone))
                        },
                    },
                }, name.element, el('button', { type: 'submit', class: 'button primary' }, 'Make a group')),
                el('form', {
                    class: 'form', on: {
                        submit: (/** @type {Event} */ event) => {
                            event.preventDefault()
                            enter(() => client.groups.acceptInvite(token.input.value.trim().split('/').at(-1) ?? ''))
                        },
                    },
                }, token.element, el('button', { type: 'submit', class: 'button' }, 'Join')),
            ]
        })
        name.input.focus()
    }
}
