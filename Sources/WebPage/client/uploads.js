// @ts-check
/**
 * Files on their way up. A file's sealed bytes are kept here until the gateway has all of them, so that an upload goes
 * on after the page was closed. Its message joins the outbox in the transaction that forgets the file, and so goes out
 * once.
 */

import { sealFile } from '../crypto/attachment.js'
import { writeContent } from './content.js'
import { ClientError } from './errors.js'
import { PATH } from './transfer.js'

/**
 * @typedef {{type: 'image'|'file'|'voice', name: string, caption?: string|null, width?: number, height?: number,
 *   durationMs?: number, replyTo?: string|null}} Description
 *
 * @typedef {object} Upload
 * @property {string} id
 * @property {string} conversation
 * @property {string} name
 * @property {number} sent bytes
 * @property {number} total
 * @property {boolean} isKept whether it goes on after the page was closed
 * @property {'sealing'|'sending'|'waiting'|'failed'} state `waiting`: for the one before it, another tab, a connection
 * @property {string|null} failure the code of what failed; `choose_again` if the file is not here any more
 *
 * @typedef {object} Plan what is kept sealed beside the file
 * @property {import('./outbox.js').NewDraft} draft
 * @property {Uint8Array} digest of the sealed file
 * @property {string} name
 * @property {string|null} failure why it was given up, until one tries again
 */

/** Sealed bytes that are kept at once; a larger file goes up as long as the page is open. */
const MOST_KEPT = 100e6
/** In milliseconds, where attempts have failed while there is a connection. */
const PAUSE = 30000

export class Uploads {
    /**
     * @param {import('./context.js').Context} context
     * @param {import('./outbox.js').Outbox} outbox
     * @param {Pick<import('./transfer.js').Transfer, 'upload'|'abandon'>} transfer
     * @param {number} [mostKept]
     */
    constructor(context, outbox, transfer, mostKept = MOST_KEPT) {
        this.context = context
        this.outbox = outbox
        this.transfer = transfer
        this.mostKept = mostKept
        /** In their order. @type {Map<string, Upload>} */
        this.shown = new Map()
        /** @type {Map<string, AbortController>} */
        this.aborts = new Map()
        /** Files that are too large to be kept. @type {Map<string, Blob>} */
        this.unkept = new Map()
        /** The last upload of each conversation: one goes after the other. @type {Map<string, Promise<void>>} */
        this.turns = new Map()
        /** Those of earlier pages. @type {Promise<void>|null} */
        this.loading = null
    }

    /**
     * Seals and keeps a file; it goes up and is sent from then on.
     *
     * @param {string} conversation
     * @param {Blob} file
     * @param {Description} description
     * @returns {Promise<string>} the upload's id
     */
    async add(conversation, file, description) {
        await this.#load()
        const id = crypto.randomUUID()
        const abort = this.#aborting(id)
        this.#show({
            id, conversation, name: description.name, sent: 0, total: 0, isKept: true, state: 'sealing', failure: null,
        })
        try {
            const { sealed, key, digest, size } = await sealFile(file, abort.signal)
            const { type, name, caption, width, height, durationMs, replyTo = null } = description
            const reference = {
                url: this.context.door.url(`${PATH}/${id}`), key, digest, size, name: [...name].slice(0, 255).join(''),
                mimeType: file.type.slice(0, 255) || 'application/octet-stream',
            }
            const content = writeContent(type, { file: reference, caption, width, height, durationMs })
            /** @type {import('./outbox.js').NewDraft} */
            const draft = {
                conversation, kind: 'message', type, content, target: null, replyTo, expiresIn: null, blobs: [id],
            }
            const isKept = await this.#keep(id, { draft, digest, name, failure: null }, sealed)
            abort.signal.throwIfAborted()
            if (!isKept) this.unkept.set(id, sealed)
            this.#change(id, { state: 'waiting', total: sealed.size, isKept })
        } catch (error) {
            this.aborts.delete(id)
            await this.#forget(id)
            throw error
        }
        this.#begin(id, false)
        return id
    }

    /** @param {string} conversation @returns {Promise<readonly Upload[]>} */
    async of(conversation) {
        await this.#load()
        return [...this.shown.values()].filter((upload) => upload.conversation === conversation)
    }

    /** What waits for a connection goes on, and what an earlier page has left. */
    async resume() {
        // Another tab may have left some.
        this.loading = null
        await this.#load()
        for (const { id, state } of this.shown.values()) if (state === 'waiting') this.#begin(id, true)
    }

    /** @param {string} id */
    async retry(id) {
        const upload = this.shown.get(id)
        if (upload === undefined || !['failed', 'waiting'].includes(upload.state)) return
        this.#change(id, { state: 'waiting', failure: null })
        await this.#fail(id, null)
        this.#begin(id, true)
    }

    /** @param {string} id */
    async cancel(id) {
        this.aborts.get(id)?.abort()
        await this.#forget(id)
        await this.transfer.abandon(id).catch(() => undefined)
    }

    // One upload

    /** @param {string} id @param {boolean} isResumed */
    #begin(id, isResumed) {
        const upload = this.shown.get(id)
        if (upload === undefined || this.aborts.has(id) && isResumed) return
        this.#aborting(id)
        const before = this.turns.get(upload.conversation) ?? Promise.resolve()
        // One tab at a time; another waits until that one is done, or gone.
        const turn = before.then(() => this.context.locked(`upload ${id}`, () => this.#run(id, isResumed)))
            .catch((error) => this.#failed(id, error)).finally(() => this.aborts.delete(id))
        this.turns.set(upload.conversation, turn)
    }

    /** @param {string} id @param {boolean} isResumed */
    async #run(id, isResumed) {
        const { database, vault } = this.context
        const signal = this.aborts.get(id)?.signal
        const row = await database.get('uploads', id)
        // Another tab has sent it, or it was given up.
        if (!row) return this.#hide(id)
        const sealed = row.file ?? this.unkept.get(id)
        if (!sealed) throw new ClientError('choose_again')
        /** @type {Plan} */
        const { draft, digest } = await vault.open(['uploads', id], row)
        this.#change(id, { state: 'sending' })
        await this.transfer.upload(id, draft.conversation, sealed, digest, {
            isResumed, signal, onProgress: (sent, total) => this.#change(id, { sent, total }),
        })
        const { item, row: queued } = await this.outbox.prepared(draft)
        const position = await database.transaction(['outbox', 'uploads'], 'readwrite', async (transaction) => {
            if (!await transaction.get('uploads', id)) return null
            await transaction.delete('uploads', id)
            return transaction.put('outbox', queued)
        })
        this.#hide(id)
        if (position === null) return
        item.position = position
        await this.outbox.insert(item)
    }

    /** @param {string} id @param {unknown} error */
    async #failed(id, error) {
        if (!this.shown.has(id)) return
        const failure = error instanceof ClientError ? error : new ClientError('internal', String(error))
        // It goes on with the next connection.
        if (failure.isPassing) {
            this.#change(id, { state: 'waiting' })
            setTimeout(() => this.resume().catch(() => undefined), PAUSE)
            return
        }
        this.#change(id, { state: 'failed', failure: failure.code })
        await this.#fail(id, failure.code).catch(() => undefined)
    }

    /** @param {string} id */
    #aborting(id) {
        const abort = this.aborts.get(id) ?? new AbortController()
        this.aborts.set(id, abort)
        return abort
    }

    // What is kept

    /** Once, what earlier pages and other tabs have left. */
    #load() {
        this.loading ??= this.#loadRows()
        return this.loading
    }

    async #loadRows() {
        const rows = await this.#rows()
        for (const row of rows.sort((one, other) => one.addedAt - other.addedAt)) {
            /** @type {Plan} */
            const { draft, name, failure } = await this.context.vault.open(['uploads', row.id], row)
            if (this.shown.has(row.id)) continue
            this.#show({
                id: row.id, conversation: draft.conversation, name, sent: 0, total: row.size,
                isKept: row.file !== undefined, state: failure === null ? 'waiting' : 'failed', failure,
            })
        }
    }

    #rows() {
        return this.context.database.transaction(['uploads'], 'readonly', (transaction) => transaction.all('uploads'))
    }

    /**
     * @param {string} id
     * @param {Plan} plan
     * @param {Blob} sealed
     * @returns {Promise<boolean>} whether the file is kept, too
     */
    async #keep(id, plan, sealed) {
        const { database, vault } = this.context
        const row = { id, addedAt: Date.now(), size: sealed.size, ...await vault.seal(['uploads', id], plan) }
        const kept = (await this.#rows()).reduce((sum, each) => sum + (each.file ? each.size : 0), 0)
        if (kept + sealed.size <= this.mostKept) {
            // This browser may have no room for it.
            const isKept = await database.put('uploads', { ...row, file: sealed }).then(() => true, () => false)
            if (isKept) return true
        }
        await database.put('uploads', row)
        return false
    }

    /** Keeps why it was given up. @param {string} id @param {string|null} failure */
    async #fail(id, failure) {
        const { database, vault } = this.context
        const row = await database.get('uploads', id)
        if (!row) return
        const plan = { ...await vault.open(['uploads', id], row), failure }
        const changed = { ...row, ...await vault.seal(['uploads', id], plan) }
        await database.transaction(['uploads'], 'readwrite', async (transaction) => {
            if (await transaction.get('uploads', id)) await transaction.put('uploads', changed)
        })
    }

    /** @param {string} id */
    async #forget(id) {
        this.#hide(id)
        await this.context.database.delete('uploads', id)
    }

    // What is shown

    /** @param {Upload} upload */
    #show(upload) {
        this.shown.set(upload.id, Object.freeze(upload))
        this.#emit(upload.conversation)
    }

    /** @param {string} id @param {Partial<Upload>} change */
    #change(id, change) {
        const upload = this.shown.get(id)
        if (upload) this.#show({ ...upload, ...change })
    }

    /** @param {string} id */
    #hide(id) {
        const upload = this.shown.get(id)
        this.unkept.delete(id)
        if (!this.shown.delete(id) || !upload) return
        this.#emit(upload.conversation)
    }

    /** @param {string} conversation */
    #emit(conversation) {
        const sealing = [...this.shown.values()].filter(({ state }) => state === 'sealing').length
        this.context.emit('uploads', { conversation, unkept: sealing + this.unkept.size })
    }
}
