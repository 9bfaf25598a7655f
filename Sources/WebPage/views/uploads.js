// @ts-check
/** Files on their way up, above the field of a conversation. */
import { el, isolated } from './dom.js'
import { attempt, describe } from './errors.js'
import { icon } from './icons.js'
import { iconButton } from './parts.js'

/** @typedef {import('../client/types.js').Upload} Upload */

export class UploadLines {
    /**
     * @param {import('./shell.js').Context} context
     * @param {string} conversation
     */
    constructor(context, conversation) {
        this.client = context.client
        this.conversation = conversation
        this.ending = context.ending
        this.element = el('div', { class: 'uploads' })
        /**
         * @type {Map<string, {element: HTMLElement, bar: HTMLProgressElement, note: HTMLElement, retry: HTMLElement}>}
         */
        this.lines = new Map()
        context.ending.add(context.client.on('uploads',
            event => { if (event.conversation === conversation) this.show() }))
        this.show()
    }

    async show() {
        const uploads = await this.client.attachments.uploads(this.conversation).catch(() => [])
        if (this.ending.isOver) return
        for (const [id, { element }] of this.lines) {
            if (uploads.some(upload => upload.id === id)) continue
            element.remove()
            this.lines.delete(id)
        }
        for (const upload of uploads) this.showOne(upload)
    }

    /** @param {Upload} upload */
    showOne(upload) {
        const line = this.lines.get(upload.id) ?? this.line(upload)
        const isFailed = upload.state === 'failed'
        line.bar.hidden = isFailed
        line.bar.value = upload.sent / Math.max(1, upload.total)
        line.retry.hidden = !isFailed || upload.failure === 'choose_again'
        const note = isFailed ? describe({ code: upload.failure, message: upload.failure })
            : upload.isKept ? '' : 'Keep this page open until it is sent: it is too large to go on later.'
        if (line.note.textContent !== note) line.note.textContent = note
    }

    /** @param {Upload} upload */
    line({ id, name }) {
        const { attachments } = this.client
        const bar = el('progress', { max: 1, value: 0, 'aria-label': `Sending ${name}` })
        const note = el('span', { class: 'help', role: 'status' })
        const retry = iconButton('Try again', 'send', () => attempt(() => attachments.retry(id)))
        const element = el('div', { class: 'composer-quote' }, icon('attach'),
            el('div', { class: 'entry-text' }, isolated(name, 'quote-name'), bar, note), retry,
            iconButton('Cancel', 'close', () => attempt(() => attachments.cancel(id))))
        const line = { element, bar, note, retry }
        this.lines.set(id, line)
        this.element.append(element)
        return line
    }
}
