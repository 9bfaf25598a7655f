// @ts-check
/** Reporting a message or somebody. */
import { el } from './dom.js'
import { attempt } from './errors.js'
import { button, dialog, toast, toggle } from './parts.js'

const REASONS = [['spam', 'Spam'], ['harassment', 'Harassment'], ['inappropriate', 'Inappropriate'],
    ['other', 'Something else']]

/**
 * @param {import('./shell.js').Context} context
 * @param {{message?: string, user?: string, name: string}} about
 */
export function report(context, { message, user, name }) {
    const { messages, people } = context.client
    let isBlocking = false
    dialog(`Report ${name}`, close => {
        const reasons = REASONS.map(([value, label], index) => {
            const input = el('input', { type: 'radio', name: 'reason', value, checked: index === 0 })
            return { input, element: el('label', { class: 'choice' }, input, label) }
        })
        return [
            el('p', {}, message ? 'Those who run this service get this message as you see it.'
                : 'Those who run this service look at it.'),
            el('div', { role: 'radiogroup', 'aria-label': 'Reason' }, reasons.map(each => each.element)),
            message ? toggle('Block them, too', false, isOn => { isBlocking = isOn }) : null,
            el('div', { class: 'dialog-actions' }, button('Cancel', close), button('Report', () => attempt(async () => {
                const reason = reasons.find(each => each.input.checked)?.input.value ?? 'other'
                if (message) await messages.report(message, reason, { block: isBlocking })
                else if (user) await people.report(user, reason)
                toast('Reported')
                close()
            }), { kind: 'danger' })),
        ]
    })
}
