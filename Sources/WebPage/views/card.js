// @ts-check
/** Messages that are cards: plans, and challenges with their progress. */
import { el, fill, isolated } from './dom.js'
import { attempt } from './errors.js'
import { counted, formatNumber } from './format.js'
import { icon } from './icons.js'
import { button } from './parts.js'
import { describeChallenge, progressOf } from './challenges.js'

/** @typedef {import('../client/types.js').Message} Message */

/**
 * @param {Message} message
 * @param {Readonly<Record<string, string|number|null>>} fields by the protocol's names
 * @param {import('./message.js').Surroundings} around
 */
export function card(message, fields, around) {
    if (message.type === 'challenge') return challengeCard(message, fields, around)
    const isDiet = message.type === 'diet_plan'
    const facts = [
        number(fields.calories) && `${formatNumber(number(fields.calories))} kcal a day`,
        number(fields.minutes) && `${formatNumber(number(fields.minutes))} min a day`,
        number(fields.days) && counted(number(fields.days), 'day'),
    ].filter(Boolean)
    return el('article', { class: `card ${isDiet ? 'diet' : 'workout'}` },
        el('header', {}, el('span', { class: 'card-icon' }, icon(isDiet ? 'food' : 'dumbbell')),
            el('div', {}, el('div', { class: 'card-kind' }, isDiet ? 'Diet plan' : 'Workout plan'),
                el('div', { class: 'card-title' }, isolated(String(fields.plan_title ?? ''))))),
        facts.length > 0 && el('ul', { class: 'facts' }, facts.map(fact => el('li', {}, String(fact)))),
        fields.summary && el('p', {}, isolated(String(fields.summary))))
}

/** @param {string|number|null|undefined} value */
const number = value => typeof value === 'number' ? value : 0

/**
 * @param {Message} message
 * @param {Readonly<Record<string, any>>} fields
 * @param {import('./message.js').Surroundings} around
 */
function challengeCard(message, fields, around) {
    const state = el('div', { class: 'challenge-state' })
    const id = String(fields.challenge_id ?? '')
    const element = el('article', { class: 'card challenge' },
        el('header', {}, el('span', { class: 'card-icon' }, icon('flame')),
            el('div', {}, el('div', { class: 'card-kind' }, 'Challenge'),
                el('div', { class: 'card-title' }, isolated(String(fields.title ?? ''))))),
        el('ul', { class: 'facts' },
            el('li', {}, describeChallenge(String(fields.challenge_type), number(fields.target))),
            el('li', {}, counted(number(fields.duration_days), 'day'))),
        state)
    const { challenges } = around.client
    /** @param {import('../client/types.js').Challenge} challenge */
    const show = challenge => fill(state, progressOf(challenge, around.me, around.name),
        challenge.status === 'pending' && challenge.challenged === around.me && el('div', { class: 'card-actions' },
            button('Accept', () => act(() => challenges.accept(id)), { kind: 'primary' }),
            button('Decline', () => act(() => challenges.decline(id)))),
        challenge.status === 'pending' && challenge.challenger === around.me &&
            el('div', { class: 'card-actions' }, button('Withdraw', () => act(() => challenges.cancel(id)))))
    /** @param {() => Promise<import('../client/types.js').Challenge>} body */
    const act = async body => {
        const challenge = await attempt(body)
        if (challenge) show(challenge)
    }
    around.ending.add(around.client.on('challenge', challenge => { if (challenge.id === id) show(challenge) }))
    challenges.get(id).then(show, () => {})
    return element
}
