// @ts-check
/** What one can do with a message: react, reply, copy, edit, delete, report. */
import { el } from './dom.js'
import { attempt } from './errors.js'
import { EMOJI, QUICK } from './emoji.js'
import { confirm, menu, toast } from './parts.js'

/**
 * @param {import('./shell.js').Context} context
 * @param {import('../client/types.js').Message} message
 * @param {HTMLElement} anchor
 * @param {{reply: () => void, edit: () => void, name: (user: string) => string}} actions
 */
export function messageMenu(context, message, anchor, actions) {
    const { messages } = context.client
    const isOpen = message.state === 'opened'
    const words = message.content?.text ?? message.content?.caption
    const isSent = message.position !== null
    /** @type {Parameters<typeof menu>[1]} */
    const items = []
    if (isOpen && isSent) items.push({ label: 'Reply', icon: 'reply', run: actions.reply })
    if (isOpen && words) {
        items.push({
            label: 'Copy', icon: 'copy', run: () => attempt(async () => {
                await navigator.clipboard.writeText(words)
                toast('Copied')
            }),
        })
    }
    if (isOpen && message.isOwn && words && isSent) items.push({ label: 'Edit', icon: 'edit', run: actions.edit })
    if (message.status === 'failed' && message.failure !== 'file_gone') {
        items.push({ label: 'Try again', icon: 'send', run: () => attempt(() => messages.retry(message.id)) })
    }
    if (message.isOwn && message.state !== 'removed') {
        items.push({
            label: isSent ? 'Delete for everybody' : 'Discard', icon: 'trash', isDanger: true,
            run: async () => {
                if (!isSent) return attempt(() => messages.discard(message.id))
                const text = 'Nobody can read it any more, on any device.'
                if (await confirm('Delete this message?', text, 'Delete', { isDanger: true })) {
                    await attempt(() => messages.remove(message.id))
                }
                return undefined
            },
        })
    }
    if (!message.isOwn && message.state === 'unopened') {
        const options = { passingUnopened: true }
        items.push({
            label: 'Mark as read', icon: 'check',
            run: () => attempt(() => messages.markRead(message.conversation, message.id, options)),
        })
    }
    if (!message.isOwn && message.state !== 'removed') {
        items.push({
            label: 'Report', icon: 'flag', isDanger: true, run: async () => {
                const { report } = await import('./report.js')
                report(context, { message: message.id, name: actions.name(message.sender.user) })
            },
        })
    }
    const own = message.reactions.find(reaction => reaction.user === context.me)?.emoji
    if (isOpen && isSent) menu(anchor, items, ({ close, settle }) => emojis(close, settle))
    else if (items.length) menu(anchor, items)

    /** @param {() => void} close @param {() => void} settle */
    function emojis(close, settle) {
        const choose = (/** @type {string} */ emoji) => {
            close()
            attempt(() => messages.react(message.id, emoji === own ? '' : emoji))
        }
        const choice = (/** @type {string} */ emoji) => el('button', {
            type: 'button', role: 'menuitem', 'aria-label': emoji === own ? `Take back ${emoji}`
                : `React with ${emoji}`,
            class: emoji === own ? 'chosen' : '', on: { click: () => choose(emoji) },
        }, emoji)
        const all = () => {
            list.replaceChildren(...EMOJI.map(choice))
            settle()
            list.querySelector('button')?.focus()
        }
        const list = el('div', { class: 'emojis', role: 'group', 'aria-label': 'React' }, QUICK.map(choice),
            el('button', {
            type: 'button', role: 'menuitem', 'aria-label': 'More emoji', on: { click: all },
        }, '+'))
        return list
    }
}
