// @ts-check
/** Which module shows which section. Modules are fetched when they are first shown. */

/** @typedef {import('./shell.js').Context} Context */

/**
 * @param {string} section
 * @param {HTMLElement} pane
 * @param {Context} context
 */
export async function showList(section, pane, context) {
    if (section === 'chats') return new (await import('./conversations.js')).Conversations(pane, context)
    if (section === 'groups') return new (await import('./groups.js')).GroupList(pane, context)
    return undefined
}

/**
 * @param {string} section
 * @param {string} id
 * @param {HTMLElement} pane
 * @param {Context} context
 */
export async function showMain(section, id, pane, context) {
    switch (section) {
        case 'chats':
            if (id === 'requests') return new (await import('./requests.js')).Requests(pane, context)
            return new (await import('./chat.js')).Chat(pane, context, id)
        case 'groups': return new (await import('./group.js')).GroupView(pane, context, id)
        case 'activity': return new (await import('./activity.js')).Activity(pane, context)
        case 'notifications': return new (await import('./notifications.js')).Notifications(pane, context)
        default: return new (await import('./settings.js')).Settings(pane, context, id)
    }
}
