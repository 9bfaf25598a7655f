// @ts-check
/** Challenges: what they are about, how far they are, and how one is made. */
import { el, isolated } from './dom.js'
import { attempt } from './errors.js'
import { counted, formatNumber } from './format.js'
import { button, dialog, field } from './parts.js'

/** @typedef {import('../client/types.js').Challenge} Challenge */

const KINDS = new Map(Object.entries({
    steps: ['Most steps', 'steps'], calories: ['Calories', 'kcal'], workout_count: ['Workouts', 'workouts'],
    streak: ['Days in a row', 'days'],
}))

/** @param {string} type @param {number} target */
export function describeChallenge(type, target) {
    return `${formatNumber(target)} ${KINDS.get(type)?.[1] ?? type}`
}

/**
 * @param {Challenge} challenge
 * @param {string} me
 * @param {(user: string) => string} name
 */
export function progressOf(challenge, me, name) {
    const bars = [challenge.challenger, challenge.challenged].map(user => {
        const value = challenge.progress.get(user) ?? 0
        const part = challenge.target > 0 ? Math.min(1, value / challenge.target) : 0
        const filled = el('span', {})
        // Set by the object model, which the policy for styles leaves alone.
        filled.style.width = `${part * 100}%`
        const meter = el('div', {
            class: 'meter', role: 'meter', 'aria-label': user === me ? 'You' : name(user), 'aria-valuemin': '0',
            'aria-valuemax': String(challenge.target), 'aria-valuenow': String(Math.min(value, challenge.target)),
        }, filled)
        return el('div', { class: 'meter-line' },
            el('div', { class: 'entry-line' }, isolated(user === me ? 'You' : name(user), 'grow'),
                el('span', {}, `${formatNumber(value)} of ${formatNumber(challenge.target)}`)), meter)
    })
    const isRunning = challenge.status === 'active' || challenge.status === 'completed'
    return el('div', { class: 'progress' }, isRunning && bars,
        el('div', { class: 'help' }, stateOf(challenge, me, name)))
}

/** @param {Challenge} challenge @param {string} me @param {(user: string) => string} name */
function stateOf(challenge, me, name) {
    switch (challenge.status) {
        case 'pending': return challenge.challenged === me ? 'Will you take it?'
            : `Waiting for ${name(challenge.challenged)}`
        case 'active': {
            const days = challenge.endsAt ? Math.ceil((challenge.endsAt - Date.now()) / 86_400_000) : 0
            return days > 0 ? `${counted(days, 'day')} left` : 'Ends soon'
        }
        case 'declined': return 'Declined'
        case 'cancelled': return 'Withdrawn'
        case 'expired': return 'Not answered in time'
        default: return challenge.winner
            ? `${challenge.winner === me ? 'You have' : `${name(challenge.winner)} has`} won` : 'Over'
    }
}

/**
 * The card by which the others see it in the conversation.
 *
 * @param {Challenge} challenge
 */
const cardOf = ({ id, type, target, durationDays }) => ({
    type: 'challenge', content: {
        card: {
            challenge_id: id, title: KINDS.get(type)?.[0] ?? type, challenge_type: type, target,
            duration_days: durationDays,
        },
    },
})

/**
 * @param {import('./shell.js').Context} context
 * @param {import('../client/types.js').Conversation} conversation
 */
export function newChallenge(context, conversation) {
    const others = conversation.members.filter(member => member.user !== context.me)
    const who = el('select', { class: 'input', id: 'challenge-who' },
        others.map(member => el('option', { value: member.user }, member.name)))
    const type = el('select', { class: 'input', id: 'challenge-type' },
        [...KINDS].map(([value, [title]]) => el('option', { value }, title)))
    const target = field('Goal', { type: 'number', min: 1, value: 50000, required: true })
    const days = field('Days', { type: 'number', min: 1, max: 90, value: 7, required: true })
    type.addEventListener('change', () => {
        target.input.value = String({ steps: 50000, calories: 3000, workout_count: 5, streak: 7 }[type.value])
    })
    dialog('New challenge', close => [
        el('form', {
            class: 'form', on: {
                submit: async (/** @type {Event} */ event) => {
                    event.preventDefault()
                    const made = await attempt(() => context.client.challenges.create(conversation.id, {
                        challenged: who.value, type: type.value, target: Number(target.input.value),
                        durationDays: Number(days.input.value),
                    }))
                    if (!made) return
                    close()
                    await attempt(() => context.client.messages.send(conversation.id, cardOf(made)))
                },
            },
        }, others.length > 1 && el('div', { class: 'field' }, el('label', { htmlFor: who.id }, 'With'), who),
        el('div', { class: 'field' }, el('label', { htmlFor: type.id }, 'What counts'), type), target.element,
        days.element,
        el('div', { class: 'dialog-actions' }, button('Cancel', close),
            el('button', { type: 'submit', class: 'button primary' }, 'Challenge'))),
    ])
}
