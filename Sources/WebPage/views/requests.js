// @ts-check
/** Messages from people one has not written to. */
import { el, fill, isolated } from './dom.js'
import { attempt } from './errors.js'
import { icon } from './icons.js'
import { avatar, busy, button, emptyState } from './parts.js'
import { summary } from './summary.js'

export class Requests {
    /** @param {HTMLElement} pane @param {import('./shell.js').Context} context */
    constructor(pane, context) {
        this.context = context
        this.body = el('div', { class: 'page' }, busy())
        fill(pane, el('header', { class: 'page-head' },
            el('a', { class: 'icon-button back', href: '#/chats', 'aria-label': 'Back to all chats' }, icon('back')),
            el('h1', {}, 'Message requests')), el('div', { class: 'scroll' }, this.body))
        context.ending.add(context.client.on('requests', () => this.load()))
        this.load()
    }

    async load() {
        const { client, go } = this.context
        const list = await attempt(() => client.requests.list())
        if (!list) return
        if (!list.items.length) {
            return fill(this.body, emptyState('person', 'No requests',
                'Here stands who writes to you for the first time.'))
        }
        return fill(this.body, el('p', { class: 'help' },
            'They do not learn that you have seen this until you accept.'),
            list.items.map(each => el('article', { class: 'card-box' },
                el('div', { class: 'entry-line' }, avatar(each.user, each.user), el('span', { class: 'entry-text' },
                    isolated(each.user, 'entry-name'), isolated(each.message ? summary(each.message) : '', 'help'))),
                el('div', { class: 'dialog-actions' },
                    button('Block', () => attempt(async () => { await client.people.block(each.user); this.load() }),
                        { kind: 'danger' }),
                    button('Decline', () => attempt(async () => {
                        await client.requests.decline(each.conversation)
                        this.load()
                    })),
                    button('Accept', () => attempt(async () => {
                        const conversation = await client.requests.accept(each.conversation)
                        go(`chats/${conversation.id}`)
                    }), { kind: 'primary' })))))
    }
}
