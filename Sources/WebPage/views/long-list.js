// @ts-check
/**
 * A list of any length, of which only the rows near what is seen are in the document. It begins at its end, stays there
 * while rows are appended, and keeps what is seen in its place when rows before it come, go or change their height.
 */
import { Ending, el } from './dom.js'
import { Heights } from './rows.js'

/** How far beyond what is seen rows are there, in pixels. */
const MARGIN = 700

/** @template Item */
export class LongList {
    /**
     * @param {object} options
     * @param {(item: Item) => string} options.key
     * @param {(item: Item, index: number) => HTMLElement} options.render
     * @param {() => void} options.reachBegin called when the first rows are near
     * @param {(isAtEnd: boolean) => void} options.onScroll
     * @param {(element: HTMLElement) => void} [options.release] gives up what a row that is gone has held
     * @param {Ending} options.ending
     * @param {number} [options.estimate]
     */
    constructor(options) {
        this.options = options
        /** @type {Item[]} */
        this.items = []
        /** @type {Map<string, {item: Item, element: HTMLElement, top: number, index: number, count: number}>} */
        this.shown = new Map()
        this.heights = new Heights(options.estimate ?? 58)
        this.isAtEnd = true
        this.frame = 0
        this.body = el('div', { class: 'rows', role: 'list' })
        this.element = el('div', { class: 'scroll rows-scroll' }, this.body)
        this.resizing = new ResizeObserver(entries => this.measure(entries))
        const seen = new ResizeObserver(() => this.isAtEnd ? this.toEnd() : this.schedule())
        seen.observe(this.element)
        options.ending.listen(this.element, 'scroll', () => this.scrolled(), { passive: true })
        options.ending.add(() => { this.resizing.disconnect(); seen.disconnect(); cancelAnimationFrame(this.frame) })
        options.ending.add(() => { for (const { element } of this.shown.values()) options.release?.(element) })
    }

    /**
     * Shows other items; rows of those that are the same object stay.
     *
     * @param {Item[]} items
     */
    show(items) {
        const anchor = this.isAtEnd ? null : this.anchor()
        this.items = items
        this.heights.reset(items.map(this.options.key))
        this.body.style.height = `${this.heights.total}px`
        if (anchor) this.restore(anchor)
        else this.element.scrollTop = this.element.scrollHeight
        this.render()
        if (!anchor) this.toEnd()
    }

    /** The first row that is seen, and how far it begins above. */
    anchor() {
        const top = this.element.scrollTop
        const index = this.heights.at(top)
        return { key: this.heights.keys[index], offset: top - this.heights.before(index) }
    }

    /** @param {{key: string, offset: number}} anchor */
    restore({ key, offset }) {
        const index = this.heights.keys.indexOf(key)
        if (index >= 0) this.element.scrollTop = this.heights.before(index) + offset
    }

    scrolled() {
        const { scrollTop, scrollHeight, clientHeight } = this.element
        const isAtEnd = scrollHeight - scrollTop - clientHeight < 40
        if (isAtEnd !== this.isAtEnd) {
            this.isAtEnd = isAtEnd
            this.options.onScroll(isAtEnd)
        }
        this.schedule()
    }

    schedule() {
        this.frame ||= requestAnimationFrame(() => { this.frame = 0; this.render() })
    }

    render() {
        const { scrollTop, clientHeight } = this.element
        const { heights, items } = this
        const first = heights.at(Math.max(0, scrollTop - MARGIN))
        const end = scrollTop + clientHeight + MARGIN
        const wanted = new Set()
        let top = heights.before(first)
        for (let index = first; index < items.length && top < end; index++) {
            const [item, key] = [items[index], heights.keys[index]]
            wanted.add(key)
            let row = this.shown.get(key)
            if (!row || row.item !== item) {
                const hadFocus = row?.element.contains(document.activeElement)
                const element = this.options.render(item, index)
                element.setAttribute('role', 'listitem')
                if (row) {
                    this.resizing.unobserve(row.element)
                    row.element.replaceWith(element)
                    this.options.release?.(row.element)
                } else {
                    this.body.append(element)
                }
                row = { item, element, top: -1, index: -1, count: -1 }
                this.shown.set(key, row)
                this.resizing.observe(element)
                if (hadFocus) element.focus({ preventScroll: true })
            }
            position(row, top, index, items.length)
            top += heights.known.get(key) ?? heights.estimate
        }
        for (const [key, row] of this.shown) {
            if (wanted.has(key) || row.element.contains(document.activeElement) && heights.keys.includes(key)) continue
            this.resizing.unobserve(row.element)
            row.element.remove()
            this.options.release?.(row.element)
            this.shown.delete(key)
        }
        if (first < 15 && items.length) this.options.reachBegin()
    }

    /** @param {ResizeObserverEntry[]} entries */
    measure(entries) {
        let [above, changed] = [0, false]
        const top = this.element.scrollTop
        /** @type {Map<Element, number>} */
        const sizes = new Map(entries.map(entry => [entry.target, entry.borderBoxSize[0].blockSize]))
        const anchor = this.heights.at(top)
        for (const [key, row] of this.shown) {
            const size = sizes.get(row.element)
            if (!size) continue
            const index = Number(row.element.ariaPosInSet) - 1
            if (this.heights.keys[index] !== key) continue
            const difference = this.heights.set(index, size)
            if (difference !== 0) changed = true
            if (index < anchor) above += difference
        }
        if (!changed) return
        this.body.style.height = `${this.heights.total}px`
        if (this.isAtEnd) this.element.scrollTop = this.element.scrollHeight
        else if (above !== 0) this.element.scrollTop = top + above
        this.render()
    }

    toEnd() {
        this.isAtEnd = true
        this.element.scrollTop = this.element.scrollHeight
        this.render()
        this.options.onScroll(true)
    }

    /**
     * Brings a row into the middle.
     *
     * @param {string} key
     */
    reveal(key) {
        const index = this.heights.keys.indexOf(key)
        if (index < 0) return null
        this.isAtEnd = false
        for (let round = 0; round < 3; round++) {
            this.element.scrollTop = this.heights.before(index) - this.element.clientHeight / 3
            this.render()
        }
        return this.shown.get(key)?.element ?? null
    }

    /**
     * Moves the focus by rows.
     *
     * @param {number} step
     */
    moveFocus(step) {
        const keys = this.heights.keys
        const now = [...this.shown].find(([, row]) => row.element.contains(document.activeElement))
        const index = now ? keys.indexOf(now[0]) + step : keys.length - 1
        if (index < 0 || index >= keys.length) return
        const top = this.heights.before(index)
        const bottom = top + (this.heights.known.get(keys[index]) ?? this.heights.estimate)
        if (top < this.element.scrollTop) this.element.scrollTop = top - 12
        if (bottom > this.element.scrollTop + this.element.clientHeight) {
            this.element.scrollTop = bottom - this.element.clientHeight + 12
        }
        this.render()
        this.shown.get(keys[index])?.element.focus({ preventScroll: true })
    }
}

/**
 * @param {{element: HTMLElement, top: number, index: number, count: number}} row
 * @param {number} top
 * @param {number} index
 * @param {number} count
 */
function position(row, top, index, count) {
    if (row.top !== top) {
        row.top = top
        row.element.style.transform = `translateY(${top}px)`
    }
    if (row.index !== index) row.element.ariaPosInSet = String(index + 1)
    if (row.count !== count) row.element.ariaSetSize = String(count)
    ;[row.index, row.count] = [index, count]
}
