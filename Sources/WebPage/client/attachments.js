// @ts-check
/**
 * Files: sealed here, uploaded to the door by tus 1.0.0 in parts, so that a broken connection costs little; downloaded
 * by ranges, and opened. No other address is ever asked than this door's.
 */

import { toBase64, utf8, equal } from '../crypto/bytes.js'
import { OpeningFile, sealFile, sealedLength } from '../crypto/attachment.js'
import { errorOf } from './door.js'
import { ClientError } from './errors.js'
import { isUUID, parseObject } from './read.js'

/** @typedef {import('./types.js').FileReference} FileReference */

const PATH = 'blobs'
const PART = 4 << 20
/** A part has to move so fast at least; the door gives up at the same rate. */
const TIMEOUT = 120000
const MOST_ATTEMPTS = 8
/** More than a door takes. */
const MOST_SIZE = 2 ** 31
const TUS = { 'Tus-Resumable': '1.0.0' }

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
     * @param {import('./messages.js').Messages} messages
     */
    constructor(context, messages) {
        this.context = context
        this.messages = messages
    }

    /**
     * @param {string} conversation
     * @param {Blob} file
     * @param {{type: 'image'|'file'|'voice', name: string, caption?: string|null, width?: number, height?: number,
     *   durationMs?: number, replyTo?: string|null}} description
     * @param {{onProgress?: (sent: number, total: number) => void, signal?: AbortSignal}} [options]
     * @returns {Promise<string>} the message's id
     */
    async send(conversation, file, description, { onProgress, signal } = {}) {
        const { sealed, key, digest, size } = await sealFile(file, signal)
        const id = crypto.randomUUID()
        await this.#upload(id, conversation, sealed, digest, onProgress, signal)
        const { type, name, caption, width, height, durationMs, replyTo } = description
        const reference = {
            url: this.context.door.url(`${PATH}/${id}`), key, digest, size, name: [...name].slice(0, 255).join(''),
            mimeType: file.type.slice(0, 255) || 'application/octet-stream',
        }
        const content = { file: reference, caption, width, height, durationMs }
        return this.messages.send(conversation, { type, content, replyTo }, [id])
    }

    // Up

    /**
     * @param {string} id
     * @param {string} conversation
     * @param {Blob} sealed
     * @param {Uint8Array} digest
     * @param {((sent: number, total: number) => void)|undefined} onProgress
     * @param {AbortSignal|undefined} signal
     */
    async #upload(id, conversation, sealed, digest, onProgress, signal) {
        const metadata = [
            `id ${toBase64(utf8(id))}`, `conversation_id ${toBase64(utf8(conversation))}`, `digest ${toBase64(digest)}`,
        ].join(',')
        await this.#repeated(signal, () => this.#ask('POST', PATH, signal, {
            'Upload-Length': String(sealed.size), 'Upload-Metadata': metadata,
        }))
        let offset = 0
        const path = `${PATH}/${id}`
        onProgress?.(0, sealed.size)
        while (offset < sealed.size) {
            await this.#repeated(signal, async (attempt) => {
                if (attempt > 0) {
                    const head = await this.#ask('HEAD', path, signal, {})
                    offset = Math.min(sealed.size, Number(head.headers.get('Upload-Offset')) || 0)
                    if (offset === sealed.size) return
                }
                const part = sealed.slice(offset, offset + PART)
                await this.#ask('PATCH', path, signal, {
                    'Upload-Offset': String(offset), 'Content-Type': 'application/offset+octet-stream',
                }, part)
                offset += part.size
            })
            onProgress?.(offset, sealed.size)
        }
    }

    // Down

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
        const total = sealedLength(file.size)
        while (opening.received < total) {
            await this.#repeated(signal, () => this.#download(id, opening, total, onProgress, signal))
        }
        const opened = opening.finish()
        if (opened === null || !equal(opened.digest, file.digest)) throw new ClientError('damaged')
        const start = new Uint8Array(await opened.content.slice(0, 16).arrayBuffer())
        return opened.content.slice(0, opened.content.size, typeOf(start))
    }

    /**
     * The rest of what is missing.
     *
     * @param {string} id
     * @param {OpeningFile} opening
     * @param {number} total
     * @param {((got: number, total: number) => void)|undefined} onProgress
     * @param {AbortSignal|undefined} signal
     */
    async #download(id, opening, total, onProgress, signal) {
        const from = opening.received
        /** @type {Record<string, string>} */
        const range = from > 0 ? { Range: `bytes=${from}-` } : {}
        const response = await this.#ask('GET', `${PATH}/${id}`, signal, range)
        if (from > 0 && !response.headers.get('Content-Range')?.startsWith(`bytes ${from}-`)) {
            throw new ClientError('bad_reply')
        }
        // A size that is not the blob's is the sender's lie: nothing is fetched to see it.
        const length = response.headers.get('Content-Length')
        if (length !== null && Number(length) !== total - from) throw new ClientError('damaged')
        const reader = response.body?.getReader()
        for (;;) {
            const { done, value } = await (reader?.read() ?? { done: true, value: undefined })
            if (done) break
            if (!opening.update(value)) {
                await reader?.cancel()
                throw new ClientError('damaged')
            }
            onProgress?.(opening.received, total)
        }
        if (opening.received < total) throw new ClientError('offline')
    }

    // Requests

    /**
     * Attempts again where the connection broke or the door is busy.
     *
     * @template T
     * @param {AbortSignal|undefined} signal
     * @param {(attempt: number) => Promise<T>} body
     * @returns {Promise<T>}
     */
    async #repeated(signal, body) {
        for (let attempt = 0; ; attempt++) {
            try {
                return await body(attempt)
            } catch (error) {
                signal?.throwIfAborted()
                const failure = error instanceof ClientError ? error : new ClientError('offline')
                const isPassing = failure.isPassing || [409, 423, 429, 503].includes(failure.status)
                if (!isPassing || attempt === MOST_ATTEMPTS) throw failure
                const pause = failure.retryAfter ?? Math.min(15000, 300 * 2 ** attempt) * (0.5 + Math.random())
                await new Promise((resolve) => setTimeout(resolve, Math.min(pause, 60000)))
            }
        }
    }

    /**
     * @param {string} method
     * @param {string} path
     * @param {AbortSignal|undefined} signal
     * @param {Record<string, string>} headers
     * @param {Blob} [body]
     */
    async #ask(method, path, signal, headers, body) {
        const { door, credentials } = this.context
        let response
        try {
            response = await fetch(door.url(path), {
                method, body, cache: 'no-store', credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer',
                headers: {
                    ...(method === 'GET' ? {} : TUS), ...headers, Authorization: `Bearer ${credentials.token}`,
                },
                signal: method === 'GET' ? signal
                    : AbortSignal.any([AbortSignal.timeout(TIMEOUT), ...(signal ? [signal] : [])]),
            })
        } catch {
            signal?.throwIfAborted()
            throw new ClientError('offline')
        }
        if (response.ok) return response
        const { status } = response
        const text = method === 'HEAD' ? '' : (await response.text().catch(() => '')).slice(0, 4096)
        const code = { 404: 'not_found', 413: 'too_large', 422: 'damaged', 507: 'rate_limited' }[status] ?? 'bad_reply'
        let failure = new ClientError(code, undefined, { status })
        try {
            failure = errorOf(parseObject(text), status)
        } catch {
            // Without a body of ours the status says enough.
        }
        throw failure
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
