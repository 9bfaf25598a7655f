// @ts-check
/** Small parts that all views use: avatars, buttons, empty states, menus, dialogs, toasts. */
import { arrows, el, fill, isolated } from './dom.js'
import { bucket, initials } from './format.js'
import { icon } from './icons.js'

const MOST_TOASTS = 6

/**
 * The circle of somebody's or a group's initials; pictures of profiles are foreign addresses, which the page asks for
 * nothing.
 *
 * @param {string} id
 * @param {string} name
 * @param {{isOnline?: boolean|null, size?: 'small'|'large', isGroup?: boolean}} [options]
 */
export function avatar(id, name, options = {}) {
    const circle = el('span', {
        class: `avatar tone-${bucket(id, 8)} ${options.size ?? ''} ${options.isGroup ? 'group' : ''}`,
        'aria-hidden': 'true',
    }, el('span', {}, initials(name)))
    if (options.isOnline) circle.append(el('span', { class: 'online' }))
    return circle
}

/**
 * @param {string} label
 * @param {Parameters<typeof icon>[0]} name
 * @param {(event: MouseEvent) => void} onClick
 * @param {string} [className]
 */
export function iconButton(label, name, onClick, className = '') {
    return el('button', {
        type: 'button', class: `icon-button ${className}`, 'aria-label': label, title: label, on: { click: onClick },
    }, icon(name))
}

/**
 * @param {string} text
 * @param {(event: MouseEvent) => void} onClick
 * @param {{kind?: 'primary'|'danger'|'plain', icon?: Parameters<typeof icon>[0]}} [options]
 */
export function button(text, onClick, options = {}) {
    return el('button', { type: 'button', class: `button ${options.kind ?? ''}`, on: { click: onClick } },
        options.icon && icon(options.icon), el('span', {}, text))
}

/**
 * @param {Parameters<typeof icon>[0]} name
 * @param {string} title
 * @param {string} text
 * @param {...Node} actions
 */
export function emptyState(name, title, text, ...actions) {
    return el('div', { class: 'empty' }, el('span', { class: 'empty-icon' }, icon(name)), el('h2', {}, title),
        el('p', {}, text), actions.length > 0 && el('div', { class: 'actions' }, actions))
}

/** While something is asked for. */
export function busy(text = 'Loading') {
    return el('div', { class: 'busy', role: 'status' }, el('span', { class: 'spinner' }),
        el('span', { class: 'visually-hidden' }, text))
}

/**
 * A labelled field of a form.
 *
 * @param {string} label
 * @param {Record<string, any>} properties of the input
 * @param {string} [help]
 */
export function field(label, properties, help) {
    const id = `field-${++fields}`
    const input = el('input', { id, class: 'input', autocomplete: 'off', ...properties })
    if (help) input.setAttribute('aria-describedby', `${id}-help`)
    const element = el('div', { class: 'field' }, el('label', { htmlFor: id }, label), input,
        help && el('p', { class: 'help', id: `${id}-help` }, help))
    return { element, input }
}
let fields = 0

/**
 * A choice that is on or off.
 *
 * @param {string} label
 * @param {boolean} isOn
 * @param {(isOn: boolean) => Promise<void>|void} change
 * @param {string} [help]
 */
export function toggle(label, isOn, change, help) {
    const input = el('input', {
        type: 'checkbox', role: 'switch', checked: isOn, on: { change: () => change(input.checked) },
    })
    return el('label', { class: 'toggle' },
        el('span', {}, el('span', { class: 'toggle-label' }, label), help && el('span', { class: 'help' }, help)),
        input)
}

/**
 * A menu at an element; it ends with the choice, Escape, or a click beside it.
 *
 * @param {HTMLElement} anchor
 * @param {{label: string, icon?: Parameters<typeof icon>[0], isDanger?: boolean, run: () => void}[]} items
 * @param {(menu: {close: () => void, settle: () => void}) => Node} [head] what stands above them; it calls `settle`
 *   when its size has changed
 */
export function menu(anchor, items, head) {
    const list = el('div', { class: 'menu', role: 'menu', popover: 'auto' })
    const close = () => list.hidePopover()
    const settle = () => place(list, anchor)
    if (head) list.append(head({ close, settle }))
    for (const item of items) {
        list.append(el('button', {
            type: 'button', role: 'menuitem', class: item.isDanger ? 'danger' : '',
            on: { click: () => { close(); item.run() } },
        }, item.icon && icon(item.icon), el('span', {}, item.label)))
    }
    // What is outside of an open dialog cannot be reached.
    ;(anchor.closest('dialog, main, section.list-pane') ?? document.body).append(list)
    list.showPopover()
    settle()
    arrows(list, '[role=menuitem]')
    list.addEventListener('toggle', event => {
        // @ts-ignore: of a ToggleEvent.
        if (event.newState === 'closed') {
            const hadFocus = list.contains(document.activeElement) || document.activeElement === document.body
            list.remove()
            anchor.setAttribute('aria-expanded', 'false')
            if (hadFocus && anchor.isConnected) anchor.focus()
        }
    })
    anchor.setAttribute('aria-expanded', 'true')
    list.querySelector('button')?.focus()
}

/**
 * @param {HTMLElement} floating
 * @param {HTMLElement} anchor
 */
function place(floating, anchor) {
    const [box, own] = [anchor.getBoundingClientRect(), floating.getBoundingClientRect()]
    const left = Math.min(Math.max(8, box.right - own.width), innerWidth - own.width - 8)
    const below = box.bottom + 4
    const top = below + own.height > innerHeight - 8 ? Math.max(8, box.top - own.height - 4) : below
    floating.style.left = `${Math.max(8, left)}px`
    floating.style.top = `${top}px`
}

/**
 * A dialog over everything; `close` ends it, as Escape does.
 *
 * @param {string} title
 * @param {(close: () => void) => (Node|false|null|undefined)[]} content
 * @param {{isWide?: boolean, onClose?: () => void}} [options]
 */
export function dialog(title, content, options = {}) {
    const heading = el('h2', { id: `dialog-${++fields}` }, title)
    const element = el('dialog', { class: `dialog ${options.isWide ? 'wide' : ''}`, 'aria-labelledby': heading.id })
    const close = () => element.close()
    element.append(el('header', {}, heading, iconButton('Close', 'close', close)))
    const body = el('div', { class: 'dialog-body' })
    element.append(body)
    fill(body, content(close))
    element.addEventListener('click', event => { if (event.target === element) close() })
    element.addEventListener('close', () => { element.remove(); options.onClose?.() })
    document.body.append(element)
    element.showModal()
    return { element, body, close }
}

/**
 * Asks before something that cannot be undone.
 *
 * @param {string} title
 * @param {string} text
 * @param {string} action
 * @param {{isDanger?: boolean}} [options]
 * @returns {Promise<boolean>}
 */
export function confirm(title, text, action, options = {}) {
    return new Promise(resolve => {
        let answer = false
        dialog(title, close => [
            el('p', {}, text),
            el('div', { class: 'dialog-actions' }, button('Cancel', close),
                button(action, () => { answer = true; close() }, { kind: options.isDanger ? 'danger' : 'primary' })),
        ], { onClose: () => resolve(answer) })
    })
}

/**
 * A line that goes by itself, and is read aloud.
 *
 * @param {string} text
 * @param {{isError?: boolean}} [options]
 */
export function toast(text, options = {}) {
    const place = document.getElementById('toasts')
    if (!place) return
    const line = el('div', { class: `toast ${options.isError ? 'error' : ''}` }, isolated(text))
    place.append(line)
    while (place.childElementCount > MOST_TOASTS) place.firstElementChild?.remove()
    setTimeout(() => line.remove(), options.isError ? 7000 : 4000)
}
