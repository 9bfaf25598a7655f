// @ts-check
/** Finding somebody to write to, and making a group. */
import { arrows, el, fill, isolated } from './dom.js'
import { attempt, describe } from './errors.js'
import { icon } from './icons.js'
import { avatar, button, dialog, field } from './parts.js'

/**
 * @param {import('./shell.js').Context} context
 */
export function newConversation(context) {
    const { client, go } = context
    const { body, close } = dialog('New conversation', () => [])
    const direct = () => {
        const who = field('Their name', {
            name: 'who', autocapitalize: 'none', spellcheck: false, required: true, placeholder: 'for example bob',
        }, 'As they chose it: letters, digits, - and _.')
        const error = el('p', { class: 'form-error', role: 'alert' })
        const open = async (/** @type {string} */ user) => {
            error.textContent = ''
            try {
                const conversation = await client.conversations.direct(user)
                close()
                go(`chats/${conversation.id}`)
            } catch (failure) {
                error.textContent = /** @type {any} */ (failure)?.code === 'not_found'
                    ? 'Nobody has this name.' : describe(failure)
            }
        }
        const friends = el('div', { class: 'choices' })
        fill(body, el('form', {
            class: 'form', on: {
                submit: (/** @type {Event} */ event) => {
                    event.preventDefault()
                    open(who.input.value.trim().replace(/^@/, ''))
                },
            },
        }, who.element, error, el('button', { type: 'submit', class: 'button primary' }, 'Write')),
        friends, button('New group', group, { icon: 'groups' }))
        who.input.focus()
        showFriends(context, friends, open)
    }
    const group = () => {
        const name = field('Name of the group', { required: true, maxLength: 100 })
        const members = field('Members', { autocapitalize: 'none', spellcheck: false, required: true,
            placeholder: 'bob, carol' },
            'Names, with commas between them.')
        fill(body, el('form', {
            class: 'form', on: {
                submit: (/** @type {Event} */ event) => {
                    event.preventDefault()
                    attempt(async () => {
                        const conversation = await client.conversations.createGroup(name.input.value.trim(),
                            namesOf(members.input.value))
                        close()
                        go(`chats/${conversation.id}`)
                    })
                },
            },
        }, name.element, members.element, el('div', { class: 'dialog-actions' }, button('Back', direct),
            el('button', { type: 'submit', class: 'button primary' }, 'Make the group'))))
        name.input.focus()
    }
    direct()
}

/** @param {string} text */
export const namesOf = text => text.split(/[\s,;]+/u).map(name => name.replace(/^@/, '')).filter(Boolean)

/** @param {import('./shell.js').Context} context @param {HTMLElement} place @param {(user: string) => void} choose */
async function showFriends(context, place, choose) {
    const list = await context.client.people.following().catch(() => null)
    if (!list?.items.length) return
    fill(place, el('h3', {}, 'People you follow'), list.items.slice(0, 50).map(person => el('button', {
        type: 'button', class: 'entry', on: { click: () => choose(person.user) },
    }, avatar(person.user, person.name || person.user, { size: 'small' }),
        isolated(person.name || person.user, 'entry-name'), icon('chats'))))
    arrows(place, 'button')
}
