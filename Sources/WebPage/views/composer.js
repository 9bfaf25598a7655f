// @ts-check
/** Where messages are written: text, pictures, files, recordings; as an answer, or as an edit. */
import { el, fill, isolated } from './dom.js'
import { EMOJI } from './emoji.js'
import { attempt } from './errors.js'
import { counted } from './format.js'
import { icon } from './icons.js'
import { iconButton, menu, toast } from './parts.js'
import { pictureSize } from './picture.js'
import { summary } from './summary.js'
import { UploadLines } from './uploads.js'

/** @typedef {import('../client/types.js').Message} Message */

/** How high the field grows, in pixels. */
const HIGHEST = 180
/** Files that are sent at once. */
const MOST_FILES = 10

export class Composer {
    /**
     * @param {import('./shell.js').Context} context
     * @param {string} conversation
     * @param {{recall: () => void, isGroup: () => boolean, name: (user: string) => string,
     *   conversation: () => import('../client/types.js').Conversation|undefined}} around
     */
    constructor(context, conversation, around) {
        this.context = context
        this.conversation = conversation
        this.around = around
        /** @type {Message|null} */
        this.replied = null
        /** @type {Message|null} */
        this.edited = null
        this.input = el('textarea', {
            class: 'composer-input', rows: 1, placeholder: 'Message', 'aria-label': 'Message', dir: 'auto',
            maxLength: 16000,
            enterKeyHint: 'send', on: { input: () => this.changed(), keydown: event => this.handleKey(event) },
        })
        this.above = el('div', { class: 'composer-above' })
        this.files = el('input', { type: 'file', multiple: true, hidden: true, 'aria-label': 'Files',
            on: { change: () => this.sendFiles(this.files.files) } })
        this.attach = iconButton('Attach', 'attach', () => this.showAttachMenu())
        this.attach.setAttribute('aria-haspopup', 'menu')
        this.smile = iconButton('Emoji', 'smile', () => this.showEmoji(), 'emoji-button')
        this.send = iconButton('Send', 'send', () => this.submit(), 'primary')
        this.mic = iconButton('Record a voice message', 'mic', () => this.record())
        this.line = el('div', { class: 'composer-line' }, this.attach,
            el('div', { class: 'composer-field' }, this.input, this.smile), this.mic, this.send)
        this.uploads = new UploadLines(context, conversation)
        this.element = el('div', { class: 'composer' }, this.uploads.element, this.above, this.line, this.files)
        this.element.addEventListener('paste', event => {
            const files = event.clipboardData?.files
            if (files?.length) { event.preventDefault(); this.sendFiles(files) }
        })
        context.ending.add(() => this.keep())
        const draft = context.drafts.get(conversation)
        if (draft) this.input.value = draft
        this.changed(false)
    }

    focus() {
        // On a phone the keyboard would cover what one came to read.
        if (matchMedia('(pointer: fine)').matches) this.input.focus({ preventScroll: true })
    }

    keep() {
        if (this.input.value.trim() && !this.edited) this.context.drafts.set(this.conversation, this.input.value)
        else this.context.drafts.delete(this.conversation)
    }

    /** @param {boolean} isAvailable */
    setAvailable(isAvailable) {
        this.element.hidden = !isAvailable
    }

    changed(isTyped = true) {
        const hasText = this.input.value.trim() !== ''
        this.send.hidden = !hasText && !this.edited
        this.mic.hidden = !this.send.hidden || !('MediaRecorder' in window)
        this.input.style.height = 'auto'
        if (this.input.value) this.input.style.height = `${Math.min(HIGHEST, this.input.scrollHeight)}px`
        else this.input.style.height = ''
        if (!isTyped || this.edited) return
        if (hasText) this.context.client.typing.start(this.conversation)
        else this.context.client.typing.stop(this.conversation)
    }

    /** @param {KeyboardEvent} event */
    handleKey(event) {
        if (event.isComposing) return
        if (event.key === 'Enter' && !event.shiftKey) {
            event.preventDefault()
            this.submit()
        } else if (event.key === 'Escape' && (this.replied || this.edited)) {
            event.preventDefault()
            this.reset()
        } else if (event.key === 'ArrowUp' && this.input.value === '') {
            event.preventDefault()
            this.around.recall()
        }
    }

    async submit() {
        const text = this.input.value.trim()
        if (!text) return
        const { messages, typing } = this.context.client
        const [edited, replyTo] = [this.edited, this.replied?.id ?? null]
        this.reset()
        typing.stop(this.conversation)
        this.input.focus({ preventScroll: true })
        const done = await attempt(async () => {
            if (edited) await messages.edit(edited.id, text)
            else await messages.sendText(this.conversation, text, { replyTo })
            return true
        })
        // What was not taken is not lost.
        if (!done && !this.input.value) { this.input.value = text; this.changed(false) }
    }

    reset() {
        if (this.edited) this.input.value = ''
        else if (!this.replied || this.input.value.trim()) this.input.value = ''
        ;[this.replied, this.edited] = [null, null]
        fill(this.above)
        this.changed(false)
    }

    /** @param {Message} message */
    reply(message) {
        ;[this.replied, this.edited] = [message, null]
        this.showAbove('reply', message.isOwn ? 'You' : this.around.name(message.sender.user), summary(message))
    }

    /** @param {Message} message */
    edit(message) {
        ;[this.replied, this.edited] = [null, message]
        this.input.value = message.content?.text ?? message.content?.caption ?? ''
        this.showAbove('edit', 'Edit', summary(message))
        this.changed(false)
    }

    /** @param {'reply'|'edit'} name @param {string} title @param {string} text */
    showAbove(name, title, text) {
        fill(this.above, el('div', { class: 'composer-quote' }, icon(name),
            el('div', { class: 'entry-text' }, isolated(title, 'quote-name'), isolated(text, 'quote-text')),
            iconButton('Cancel', 'close', () => this.reset())))
        this.input.focus()
    }

    showAttachMenu() {
        const choose = (/** @type {string} */ accept) => { this.files.accept = accept; this.files.click() }
        /** @type {Parameters<typeof menu>[1]} */
        const items = [
            { label: 'Picture', icon: 'image', run: () => choose('image/png,image/jpeg,image/gif,image/webp') },
            { label: 'File', icon: 'file', run: () => choose('') },
        ]
        items.push({
            label: 'Challenge', icon: 'flame', run: async () => {
                const { newChallenge } = await import('./challenges.js')
                const conversation = this.around.conversation()
                if (conversation) newChallenge(this.context, conversation)
            },
        })
        menu(this.attach, items)
    }

    showEmoji() {
        const choose = (/** @type {string} */ emoji, /** @type {() => void} */ close) => {
            close()
            this.input.setRangeText(emoji, this.input.selectionStart, this.input.selectionEnd, 'end')
            this.changed()
            this.input.focus()
        }
        menu(this.smile, [], ({ close }) => el('div', { class: 'emojis' }, EMOJI.map(emoji => el('button', {
            type: 'button', role: 'menuitem', on: { click: () => choose(emoji, close) },
        }, emoji))))
    }

    /** @param {FileList|null} files */
    async sendFiles(files) {
        const all = [...files ?? []]
        if (all.length > MOST_FILES) {
            const rest = counted(all.length - MOST_FILES, 'file')
            toast(`The first ${MOST_FILES} are sent. Choose the other ${rest} again.`, { isError: true })
        }
        for (const file of all.slice(0, MOST_FILES)) {
            const size = await pictureSize(file)
            await this.upload(file, size ? { type: 'image', name: file.name, ...size }
                : { type: 'file', name: file.name })
        }
        this.files.value = ''
    }

    /**
     * @param {Blob} file
     * @param {{type: 'image'|'file'|'voice', name: string, width?: number, height?: number,
     *   durationMs?: number}} description
     */
    upload(file, description) {
        const replyTo = this.replied?.id ?? null
        return attempt(() => this.context.client.attachments.send(this.conversation, file, { ...description, replyTo }))
    }

    async record() {
        const { Recorder } = await import('./recorder.js')
        const recorder = new Recorder(this.context.ending)
        if (!await attempt(() => recorder.begin().then(() => true))) return
        const finish = async (/** @type {boolean} */ isSent) => {
            const made = await recorder.end()
            fill(this.line, this.attach, el('div', { class: 'composer-field' }, this.input, this.smile), this.mic,
                this.send)
            this.mic.focus()
            if (isSent && made.blob.size > 0) {
                await this.upload(made.blob, { type: 'voice', name: 'Voice message', durationMs: made.durationMs })
            }
        }
        const send = iconButton('Send the recording', 'send', () => finish(true), 'primary')
        fill(this.line, iconButton('Discard the recording', 'trash', () => finish(false)), recorder.element, send)
        send.focus()
    }
}
