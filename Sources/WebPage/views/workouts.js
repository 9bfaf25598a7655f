// @ts-check
/** Logging a workout, and the numbers of a day. */
import { el } from './dom.js'
import { attempt } from './errors.js'
import { counted } from './format.js'
import { button, dialog, field, toast } from './parts.js'

/** @param {import('./shell.js').Context} context */
export function logWorkout(context) {
    const { workouts } = context.client
    const kind = field('What', { placeholder: 'Running', maxLength: 64 })
    const minutes = field('Minutes', { type: 'number', min: 1, max: 1440, value: 45 })
    const when = field('Ended', { type: 'datetime-local', value: localNow() })
    const steps = field('Steps today', { type: 'number', min: 0, max: 200_000 })
    const calories = field('Calories today', { type: 'number', min: 0, max: 30_000 })
    dialog('Log a workout', close => [
        el('form', {
            class: 'form', on: {
                submit: (/** @type {Event} */ event) => {
                    event.preventDefault()
                    attempt(async () => {
                        const logged = await workouts.log({
                            completedAt: new Date(when.input.value).getTime(),
                            kind: kind.input.value.trim() || undefined,
                            minutes: Number(minutes.input.value) || undefined,
                        })
                        toast(`${logged.checkIns} this week, ${counted(logged.streakDays, 'day')} in a row`)
                        close()
                    })
                },
            },
        }, kind.element, minutes.element, when.element, el('button', { type: 'submit', class: 'button primary' },
            'Log it')),
        el('details', {}, el('summary', {}, 'Numbers of today'),
            el('div', { class: 'form' }, steps.element, calories.element,
            button('Report them', () => attempt(async () => {
                await workouts.report({
                    date: localNow().slice(0, 10), steps: whole(steps.input.value),
                    calories: whole(calories.input.value),
                })
                toast('Reported')
                close()
            })))),
    ])
    kind.input.focus()
}

/** @param {string} text */
const whole = text => text.trim() === '' ? undefined : Math.round(Number(text))

function localNow() {
    const now = new Date()
    return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
