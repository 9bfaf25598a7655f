// @ts-check
/** Files in messages: their way up is in uploads.js, and here they are downloaded, checked and opened. */

import { equal } from '../crypto/bytes.js'
import { OpeningFile } from '../crypto/attachment.js'
import { ClientError } from './errors.js'
import { isUUID } from './read.js'
import { Transfer } from './transfer.js'
import { Uploads } from './uploads.js'

/** @typedef {import('./types.js').FileReference} FileReference */

/** More than a door takes. */
const MOST_SIZE = 2 ** 31

/** The first bytes of what is shown or played, and its type. Everything else is only saved. */
const TYPES = /** @type {[number, string, string][]} */ ([
    [0, '89504e470d0a1a0a', 'image/png'], [0, 'ffd8ff', 'image/jpeg'], [0, '474946383761', 'image/gif'],
    [0, '474946383961', 'image/gif'], [8, '57454250', 'image/webp'], [4, '6674797061766966', 'image/avif'],
    [0, '4f676753', 'audio/ogg'], [0, '1a45dfa3', 'audio/webm'], [4, '667479704d3441', 'audio/mp4'],
    [4, '6674797069736f', 'audio/mp4'], [4, '667479706d7034', 'audio/mp4'], [0, '494433', 'audio/mpeg'],
    [0, 'fffb', 'audio/mpeg'], [8, '57415645', 'audio/wav'],
])

export class Attachments {
    /**
     * @param {import('./context.js').Context} context
     * @param {import('./outbox.js').Outbox} outbox
     */
    constructor(context, outbox) {
        this.transfer = new Transfer(context)
        this.pending = new Uploads(context, outbox, this.transfer)
    }

    /**
     * @param {string} conversation
     * @param {Blob} file
     * @param {import('./uploads.js').Description} description
     */
    async send(conversation, file, description) {
        return this.pending.add(conversation, file, description)
    }

    /** @param {string} conversation */
    async uploads(conversation) {
        return this.pending.of(conversation)
    }

    /** @param {string} id */
    async retry(id) {
        await this.pending.retry(id)
    }

    /** @param {string} id */
    async cancel(id) {
        await this.pending.cancel(id)
    }

    /** There is a connection. */
    async resume() {
        await this.pending.resume()
    }

    /**
     * @param {FileReference} file
     * @param {{onProgress?: (got: number, total: number) => void, signal?: AbortSignal}} [options]
     * @returns {Promise<Blob>}
     */
    async open(file, { onProgress, signal } = {}) {
        const id = blobOf(file.url)
        if (id === null) throw new ClientError('not_found', 'This file is not with this gateway.')
        if (file.size > MOST_SIZE) throw new ClientError('too_large')
        const opening = new OpeningFile(file.key, file.size)
        await this.transfer.download(id, opening, { onProgress, signal })
        const opened = opening.finish()
        if (opened === null || !equal(opened.digest, file.digest)) throw new ClientError('damaged')
        const start = new Uint8Array(await opened.content.slice(0, 16).arrayBuffer())
        return opened.content.slice(0, opened.content.size, typeOf(start))
    }
}

/** The blob that an address names, wherever its sender's door was. @param {string|null} url */
function blobOf(url) {
    const id = /\/api\/v1\/blobs\/([0-9a-f-]{36})$/.exec(url ?? '')?.[1]
    return isUUID(id) ? id : null
}

/** @param {Uint8Array} start of the content */
function typeOf(start) {
    const hex = Array.from(start, (byte) => byte.toString(16).padStart(2, '0')).join('')
    const isRIFF = hex.startsWith('52494646')
    const found = TYPES.find(([at, bytes]) => hex.startsWith(bytes, 2 * at) && (at !== 8 || isRIFF))
    return found?.[2] ?? 'application/octet-stream'
}
