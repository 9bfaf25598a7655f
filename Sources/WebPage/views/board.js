// @ts-check
/** A group's board of a week. It moves while one looks. */
import { el, fill, isolated } from './dom.js'
import { describe } from './errors.js'
import { formatNumber } from './format.js'
import { icon } from './icons.js'
import { avatar, iconButton } from './parts.js'

/** @typedef {import('../client/types.js').Board} Board */
/** @typedef {'check-ins'|'streak'} Kind */

export class BoardView {
    /**
     * @param {{client: import('../client/types.js').Client, ending: import('./dom.js').Ending}} context
     * @param {string} group
     * @param {Kind} type
     */
    constructor(context, group, type) {
        this.context = context
        ;[this.group, this.type] = [group, type]
        /** @type {string|null} the week that is shown; null for the present one */
        this.week = null
        /** @type {Map<string, HTMLElement>} */
        this.entries = new Map()
        this.title = el('span', { class: 'board-week', 'aria-live': 'polite' })
        this.older = iconButton('The week before', 'back', () => this.step(-1))
        this.newer = iconButton('The week after', 'back', () => this.step(1), 'turned')
        this.list = el('ol', { class: 'board', 'aria-label': type === 'streak' ? 'Streaks' : 'Check-ins' })
        this.note = el('p', { class: 'help' })
        this.element = el('section', { class: 'board-view' },
            el('div', { class: 'board-head' }, this.older, this.title, this.newer), this.list, this.note)
        context.ending.add(context.client.on('board', board => {
            if (board.group === group && board.type === this.type
                && (this.week === null || this.week === board.week)) this.show(board)
        }))
        context.ending.add(context.client.on('week-ended', event => {
            if (event.group === group && this.week === null) this.load()
        }))
        this.load()
    }

    async load() {
        try {
            const board = await this.context.client.boards.get(this.group, this.type, this.week ?? undefined)
            if (this.week === null || this.week === board.week) this.show(board)
        } catch (error) {
            const isUnknown = this.week !== null && /** @type {any} */ (error)?.code === 'not_found'
            if (isUnknown) this.note.textContent = 'Nothing is known of that week.'
            else this.note.textContent = describe(error)
        }
    }

    /** @param {number} weeks */
    step(weeks) {
        const shown = this.week ?? this.current
        if (!shown) return
        const next = weekAfter(shown, weeks)
        this.week = this.current && next >= this.current ? null : next
        this.load()
    }

    /** @param {Board} board */
    show(board) {
        if (this.week === null) this.current = board.week
        const isPresent = board.week === this.current
        this.title.textContent = isPresent ? 'This week' : weekTitle(board.week)
        this.newer.disabled = isPresent
        this.note.textContent = board.entries.length ? '' : isPresent ? 'Nobody has worked out this week yet.'
            : 'Nobody has worked out in that week.'
        const before = new Map([...this.entries].map(([user, element]) => [user, element.getBoundingClientRect().top]))
        const elements = board.entries.map(entry => this.entry(entry))
        this.list.replaceChildren(...elements)
        this.entries = new Map(board.entries.map((entry, index) => [entry.user, elements[index]]))
        if (matchMedia('(prefers-reduced-motion: reduce)').matches) return
        for (const [user, element] of this.entries) {
            const { top } = element.getBoundingClientRect()
            const moved = (before.get(user) ?? top) - top
            if (moved) element.animate([{ transform: `translateY(${moved}px)` }, { transform: 'none' }],
                { duration: 450, easing: 'ease-in-out' })
        }
    }

    /** @param {Board['entries'][number]} entry */
    entry({ rank, previousRank, user, name, value }) {
        const unit = this.type === 'streak' ? (value === 1 ? 'day' : 'days') : value === 1 ? 'workout' : 'workouts'
        const change = previousRank === null || previousRank === rank ? null : previousRank - rank
        return el('li', { class: `board-entry place-${Math.min(rank, 4)}`, 'data-user': user },
            el('span', { class: 'rank' }, String(rank)), avatar(user, name),
            el('span', { class: 'entry-text' }, isolated(name, 'entry-name'),
                change !== null && el('span', { class: `help ${change > 0 ? 'up' : 'down'}` },
                    change > 0 ? `▲ ${change} up` : `▼ ${-change} down`)),
            el('span', { class: 'score' }, el('strong', {}, formatNumber(value)), el('span', { class: 'help' }, unit)),
            rank === 1 && value > 0 && el('span', { class: 'crown' },
                icon(this.type === 'streak' ? 'flame' : 'trophy')))
    }
}

/** The Monday of a week such as 2026-W48 (ISO 8601). @param {string} week */
function monday(week) {
    const [year, number] = week.split('-W').map(Number)
    const fourth = new Date(Date.UTC(year, 0, 4))
    return new Date(fourth.getTime() + ((number - 1) * 7 - (fourth.getUTCDay() + 6) % 7) * 86_400_000)
}

/** @param {string} week @param {number} weeks */
export function weekAfter(week, weeks) {
    const day = new Date(monday(week).getTime() + weeks * 7 * 86_400_000)
    const thursday = new Date(day.getTime() + 3 * 86_400_000)
    const first = monday(`${thursday.getUTCFullYear()}-W01`)
    const number = Math.round((day.getTime() - first.getTime()) / 604_800_000) + 1
    return `${thursday.getUTCFullYear()}-W${String(number).padStart(2, '0')}`
}

/** @param {string} week */
function weekTitle(week) {
    const format = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })
    const begin = monday(week)
    return format.formatRange(begin, new Date(begin.getTime() + 6 * 86_400_000))
}
