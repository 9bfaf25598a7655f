// @ts-check
/** What friends do, and reactions to it. */
import { el, fill, isolated } from './dom.js'
import { attempt } from './errors.js'
import { formatAgo, formatFull } from './format.js'
import { icon } from './icons.js'
import { QUICK } from './emoji.js'
import { avatar, busy, button, emptyState, iconButton } from './parts.js'

/** @type {Map<string, Parameters<typeof icon>[0]>} by the type of docs/protocol.md */
const ICONS = new Map([
    ['streak_milestone', 'flame'], ['challenge_won', 'trophy'], ['plan_completed', 'dumbbell'],
    ['goal_reached', 'check'],
])

export class Activity {
    /** @param {HTMLElement} pane @param {import('./shell.js').Context} context */
    constructor(pane, context) {
        this.context = context
        /** @type {any[]} */
        this.items = []
        this.feed = el('div', { class: 'page' }, busy())
        fill(pane, el('header', { class: 'page-head' }, el('h1', {}, 'Activity'),
            iconButton('Log a workout', 'dumbbell', async () => {
                const { logWorkout } = await import('./workouts.js')
                logWorkout(context)
            })), el('div', { class: 'scroll' }, this.feed))
        context.ending.add(context.client.on('activity', () => this.load()))
        this.load()
    }

    /** @param {string} [cursor] */
    async load(cursor) {
        const list = await attempt(() => this.context.client.activity.list(undefined, cursor))
        if (!list || this.context.ending.isOver) return
        this.items = cursor ? [...this.items, ...list.items] : [...list.items]
        if (!this.items.length) {
            return fill(this.feed, emptyState('activity', 'Nothing yet', 'Follow friends to see their workouts here.'))
        }
        return fill(this.feed, this.items.map(item => this.item(item)),
            list.next && button('Show more', () => this.load(list.next ?? undefined)))
    }

    /** @param {any} item */
    item(item) {
        const { client, me } = this.context
        const own = item.reactions.find((/** @type {any} */ each) => each.user === me)?.emoji
        const counts = new Map()
        for (const { emoji } of item.reactions) counts.set(emoji, (counts.get(emoji) ?? 0) + 1)
        const name = item.name ?? item.user
        return el('article', { class: 'card-box feed-item', 'aria-label': `${name}: ${item.title}` },
            el('div', { class: 'entry-line' }, avatar(item.user, name, { size: 'small' }),
                isolated(item.user === me ? 'You' : name, 'grow entry-name'),
                el('time', { class: 'entry-when', title: formatFull(item.createdAt) }, formatAgo(item.createdAt))),
            el('div', { class: 'feed-title' }, icon(ICONS.get(item.type) ?? 'activity'), isolated(item.title)),
            item.description && el('p', { class: 'help' }, isolated(item.description)),
            el('div', { class: 'feed-reactions', role: 'group', 'aria-label': 'React' },
                [...new Set([...counts.keys(), ...QUICK])].slice(0, 8).map(emoji => el('button', {
                    type: 'button', class: 'reaction', 'aria-pressed': String(emoji === own),
                    'aria-label': `${emoji}${counts.get(emoji) ? `, ${counts.get(emoji)}` : ''}`,
                    on: { click: () => attempt(async () => {
                        if (emoji === own) await client.activity.unreact(item.id)
                        else await client.activity.react(item.id, emoji)
                        this.load()
                    }) },
                }, el('span', {}, emoji), counts.get(emoji) && el('span', {}, String(counts.get(emoji)))))))
    }
}
