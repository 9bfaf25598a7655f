// @ts-check
/** Elements made by DOM calls: no text ever becomes markup. */

/** @typedef {Node|string|number|null|undefined|false} Child */

/**
 * Makes an element. `on` has listeners, `class`, `aria-…`, `data-…`, `role` and the like are attributes; a property
 * that the element has (`value`, `disabled`, `htmlFor`) is set as such. What is null, undefined or false is left out.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, any>} [properties]
 * @param {...(Child|Child[])} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function el(tag, properties = {}, ...children) {
    const element = document.createElement(tag)
    for (const [name, value] of Object.entries(properties)) {
        if (value === null || value === undefined || value === false) continue
        if (name === 'on') {
            for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener)
        } else if (name === 'class') {
            element.className = value
        } else if (name.includes('-') || !(name in element) || name === 'role' || name === 'list') {
            element.setAttribute(name, value === true ? '' : String(value))
        } else {
            // @ts-ignore: it is a property of this element.
            element[name] = value
        }
    }
    append(element, children)
    return element
}

/**
 * @param {Element|DocumentFragment} parent
 * @param {(Child|Child[])[]} children
 */
export function append(parent, children) {
    for (const child of children.flat()) {
        if (child === null || child === undefined || child === false || child === '') continue
        parent.append(child instanceof Node ? child : String(child))
    }
}

/**
 * Puts these children in the place of all others.
 *
 * @param {Element} parent
 * @param {...(Child|Child[])} children
 */
export function fill(parent, ...children) {
    parent.replaceChildren()
    append(parent, children)
}

/**
 * Text by people, whose direction of writing does not reach beyond it.
 *
 * @param {string} text
 * @param {string} [className]
 */
export function isolated(text, className) {
    return el('bdi', { class: className ?? '' }, text)
}

/**
 * What a view leaves behind: ends listeners and timers when the view goes.
 */
export class Ending {
    /** @type {(() => void)[]} */
    #ends = []
    isOver = false

    /** @param {...(() => void)} ends */
    add(...ends) {
        if (this.isOver) for (const end of ends) end()
        else this.#ends.push(...ends)
    }

    /**
     * @param {EventTarget} target
     * @param {string} event
     * @param {(event: any) => void} listener
     * @param {AddEventListenerOptions} [options]
     */
    listen(target, event, listener, options) {
        target.addEventListener(event, listener, options)
        this.add(() => target.removeEventListener(event, listener, options))
    }

    /**
     * @param {() => void} body
     * @param {number} milliseconds
     */
    every(milliseconds, body) {
        const timer = setInterval(body, milliseconds)
        this.add(() => clearInterval(timer))
    }

    end() {
        this.isOver = true
        for (const end of this.#ends.splice(0)) end()
    }
}

/**
 * Moves the focus in a list by the arrow keys, Home and End.
 *
 * @param {HTMLElement} list
 * @param {string} selector of its entries
 */
export function arrows(list, selector) {
    list.addEventListener('keydown', event => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
        if (!step && event.key !== 'Home' && event.key !== 'End') return
        /** @type {HTMLElement[]} */
        const entries = [...list.querySelectorAll(selector)].filter(entry => entry instanceof HTMLElement)
        if (!entries.length) return
        const now = entries.findIndex(entry => entry.contains(document.activeElement))
        const next = step ? Math.min(entries.length - 1, Math.max(0, now + step)) : event.key === 'Home' ? 0 : -1
        entries.at(next)?.focus()
        event.preventDefault()
    })
}
