// @ts-check
/** What one sees and sets of a conversation: the other or the members, mute, archive, leaving, blocking. */
import { el, fill, isolated } from './dom.js'
import { attempt } from './errors.js'
import { counted } from './format.js'
import { avatar, button, confirm, dialog, field, iconButton, menu, toast, toggle } from './parts.js'
import { namesOf } from './new-conversation.js'

/** @typedef {import('../client/types.js').Conversation} Conversation */

/**
 * @param {import('./shell.js').Context} context
 * @param {Conversation} conversation
 */
export function details(context, conversation) {
    const { client, go } = context
    const { conversations } = client
    const isGroup = conversation.type === 'group'
    const { body, close } = dialog(isGroup ? 'Group' : 'Conversation', () => [])
    const off = client.on('conversations', async () => {
        const now = await conversations.get(conversation.id)
        if (now) { conversation = now; show() }
    })
    body.closest('dialog')?.addEventListener('close', off)
    const show = () => {
        const id = conversation.other ?? conversation.id
        fill(body,
            el('div', { class: 'profile' }, avatar(id, conversation.name, { size: 'large', isGroup }),
                el('h3', {}, isolated(conversation.name)),
                conversation.other && el('p', { class: 'help' }, `@${conversation.other}`)),
            el('div', { class: 'settings-list' },
                toggle('Mute', conversation.isMuted, isOn => {
                    attempt(() => conversations.mute(conversation.id, isOn))
                }),
                toggle('Archive', conversation.isArchived, isOn => {
                    attempt(() => conversations.archive(conversation.id, isOn))
                })),
            el('div', { class: 'stacked' },
                conversation.other && button('Safety number', () => openSafety(conversation.other ?? ''),
                    { icon: 'shield' }),
                button('Mark as unread', () => {
                    attempt(() => conversations.markUnread(conversation.id, true))
                    close()
                    go('chats')
                }, { icon: 'chats' }),
                isGroup ? groupActions() : directActions()),
            isGroup && members())
    }
    const openSafety = async (/** @type {string} */ user) => {
        const { safety } = await import('./safety.js')
        close()
        safety(context, user, conversation.members.find(member => member.user === user)?.name ?? user)
    }
    const directActions = () => {
        const user = conversation.other ?? ''
        return [
            button('Follow', () => attempt(async () => {
                await client.people.follow(user)
                toast('You follow them now')
            }), { icon: 'person' }),
            button('Report', async () => {
                const { report } = await import('./report.js')
                report(context, { user, name: conversation.name })
            }, { icon: 'flag', kind: 'danger' }),
            button('Block', async () => {
                const text = 'They cannot write to you, and are not told.'
                if (!await confirm(`Block ${conversation.name}?`, text, 'Block', { isDanger: true })) return
                await attempt(() => client.people.block(user))
                close()
            }, { icon: 'block', kind: 'danger' }),
        ]
    }
    const groupActions = () => [
        conversation.isAdmin && button('Rename', rename, { icon: 'edit' }),
        conversation.isAdmin && button('Add members', addMembers, { icon: 'plus' }),
        conversation.isMember && button('Leave', async () => {
            const text = 'You keep what you have; what comes later is not for you.'
            if (!await confirm('Leave this group?', text, 'Leave', { isDanger: true })) return
            await attempt(() => conversations.leave(conversation.id))
            close()
        }, { icon: 'sign_out', kind: 'danger' }),
    ]
    const rename = () => asked('Rename', 'Name', conversation.name, name => conversations.rename(conversation.id, name))
    const addMembers = () => asked('Add members', 'Names, with commas between them', '',
        text => conversations.addMembers(conversation.id, namesOf(text)))
    const members = () => el('section', {}, el('h3', {}, counted(conversation.members.length, 'member')),
        el('ul', {}, conversation.members.map(member => {
            const more = iconButton(`Actions for ${member.name}`, 'more', () => menu(more, memberActions(member)))
            return el('li', { class: 'entry flat' }, avatar(member.user, member.name, { size: 'small' }),
                el('span', { class: 'entry-text' }, isolated(member.name, 'entry-name'),
                    el('span', { class: 'help' }, member.role === 'admin' ? 'Admin' : `@${member.user}`)),
                member.user !== context.me && more)
        })))
    /** @param {import('../client/types.js').Member} member @returns {Parameters<typeof menu>[1]} */
    const memberActions = member => [
        { label: 'Write', icon: 'chats', run: () => attempt(async () => {
            const direct = await conversations.direct(member.user)
            close()
            go(`chats/${direct.id}`)
        }) },
        { label: 'Safety number', icon: 'shield', run: () => { openSafety(member.user) } },
        ...(conversation.isAdmin ? /** @type {Parameters<typeof menu>[1]} */ ([
            { label: member.role === 'admin' ? 'No longer admin' : 'Make admin', icon: 'person',
                run: () => attempt(() =>
                conversations.setRole(conversation.id, member.user, member.role === 'admin' ? 'member' : 'admin')) },
            { label: 'Remove', icon: 'block', isDanger: true, run: () => attempt(() =>
                conversations.removeMember(conversation.id, member.user)) },
        ]) : []),
    ]
    show()
}

/**
 * One line of text, and what is done with it.
 *
 * @param {string} title
 * @param {string} label
 * @param {string} value
 * @param {(text: string) => Promise<any>} act
 */
export function asked(title, label, value, act) {
    const { input, element } = field(label, { value, required: true })
    dialog(title, close => [el('form', {
        class: 'form', on: {
            submit: (/** @type {Event} */ event) => {
                event.preventDefault()
                attempt(async () => { await act(input.value.trim()); close() })
            },
        },
    }, element, el('div', { class: 'dialog-actions' }, button('Cancel', close),
        el('button', { type: 'submit', class: 'button primary' }, 'OK')))])
    input.focus()
}
