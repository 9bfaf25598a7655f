// @ts-check
/**
 * Sealed files between here and the door: up by tus 1.0.0 in parts, so that a broken connection costs little, and down
 * by ranges. No other address is ever asked than this door's.
 */

import { toBase64, utf8 } from '../crypto/bytes.js'
import { sealedLength } from '../crypto/attachment.js'
import { boundedText, errorOf } from './door.js'
import { ClientError } from './errors.js'
import { parseObject } from './read.js'

export const PATH = 'blobs'
const PART = 4 << 20
/** A part has to move so fast at least; the door gives up at the same rate. */
const TIMEOUT = 120000
const SILENCE = 60000
/** In a row, without anything that has moved. */
const MOST_ATTEMPTS = 8
const TUS = { 'Tus-Resumable': '1.0.0' }

export class Transfer {
    /**
     * @param {Pick<import('./context.js').Context, 'door'|'credentials'>} context
     * @param {number} [silence] until a download that brings nothing is given up, in milliseconds
     */
    constructor(context, silence = SILENCE) {
        this.context = context
        this.silence = silence
    }

    /**
     * From where an earlier attempt has come to, if there was one.
     *
     * @param {string} id
     * @param {string} conversation
     * @param {Blob} sealed
     * @param {Uint8Array} digest
     * @param {{isResumed?: boolean, onProgress?: (sent: number, total: number) => void,
     *   signal?: AbortSignal}} [options]
     */
    async upload(id, conversation, sealed, digest, { isResumed = false, onProgress, signal } = {}) {
        const metadata = [
            `id ${toBase64(utf8(id))}`, `conversation_id ${toBase64(utf8(conversation))}`, `digest ${toBase64(digest)}`,
        ].join(',')
        await this.#repeated(signal, () => this.#ask('POST', PATH, signal, {
            'Upload-Length': String(sealed.size), 'Upload-Metadata': metadata,
        }))
        let offset = 0
        let isAsked = isResumed
        const path = `${PATH}/${id}`
        onProgress?.(0, sealed.size)
        while (offset < sealed.size) {
            await this.#repeated(signal, async (attempt) => {
                if (isAsked || attempt > 0) {
                    isAsked = false
                    const head = await this.#ask('HEAD', path, signal, {})
                    offset = Math.min(sealed.size, Number(head.headers.get('Upload-Offset')) || 0)
                    if (offset === sealed.size) return
                }
                const part = sealed.slice(offset, offset + PART)
                await this.#ask('PATCH', path, signal, {
                    'Upload-Offset': String(offset), 'Content-Type': 'application/offset+octet-stream',
                }, part)
                offset += part.size
            }, () => offset)
            onProgress?.(offset, sealed.size)
        }
    }

    /** Nobody needs it: it is not to wait for its time. @param {string} id */
    async abandon(id) {
        await this.#ask('DELETE', `${PATH}/${id}`, undefined, {})
    }

    /**
     * @param {string} id
     * @param {import('../crypto/attachment.js').OpeningFile} opening takes what comes
     * @param {{onProgress?: (got: number, total: number) => void, signal?: AbortSignal}} options
     */
    async download(id, opening, { onProgress, signal }) {
        const total = sealedLength(opening.size)
        while (opening.received < total) {
            await this.#repeated(signal, () => this.#downloadRest(id, opening, total, onProgress, signal),
                () => opening.received)
        }
    }

    /**
     * @param {string} id
     * @param {import('../crypto/attachment.js').OpeningFile} opening
     * @param {number} total
     * @param {((got: number, total: number) => void)|undefined} onProgress
     * @param {AbortSignal|undefined} signal
     */
    async #downloadRest(id, opening, total, onProgress, signal) {
        const from = opening.received
        /** @type {Record<string, string>} */
        const range = from > 0 ? { Range: `bytes=${from}-` } : {}
        const silence = new AbortController()
        const wait = () => setTimeout(() => silence.abort(), this.silence)
        let timer = wait()
        try {
            const response = await this.#ask('GET', `${PATH}/${id}`, signal, range, undefined, silence.signal)
            if (from > 0 && !response.headers.get('Content-Range')?.startsWith(`bytes ${from}-`)) {
                throw new ClientError('bad_reply')
            }
            // A size that is not the blob's is the sender's lie: nothing is fetched to see it.
            const length = response.headers.get('Content-Length')
            if (length !== null && Number(length) !== total - from) throw new ClientError('damaged')
            const reader = response.body?.getReader()
            while (opening.received < total) {
                const { done, value } = await (reader?.read() ?? { done: true, value: undefined })
                if (done) break
                clearTimeout(timer)
                timer = wait()
                if (!opening.update(value)) {
                    await reader?.cancel()
                    throw new ClientError('damaged')
                }
                onProgress?.(opening.received, total)
            }
            // A connection that does not end is not waited for.
            reader?.cancel().catch(() => undefined)
        } finally {
            clearTimeout(timer)
        }
        if (opening.received < total) throw new ClientError('offline')
    }

    // Requests

    /**
     * Attempts again where the connection broke or the door is busy, as long as something moves.
     *
     * @template T
     * @param {AbortSignal|undefined} signal
     * @param {(attempt: number) => Promise<T>} body
     * @param {() => number} [moved] the bytes
     * @returns {Promise<T>}
     */
    async #repeated(signal, body, moved = () => 0) {
        let [most, failures] = [moved(), 0]
        for (let attempt = 0; ; attempt++) {
            try {
                return await body(attempt)
            } catch (error) {
                signal?.throwIfAborted()
                const failure = error instanceof ClientError ? error : new ClientError('offline')
                const isPassing = failure.isPassing || [409, 423, 429, 503].includes(failure.status)
                if (moved() > most) [most, failures] = [moved(), 0]
                if (!isPassing || failures === MOST_ATTEMPTS) throw failure
                const pause = failure.retryAfter ?? Math.min(15000, 300 * 2 ** failures) * (0.5 + Math.random())
                failures++
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
     * @param {AbortSignal} [limit]
     */
    async #ask(method, path, signal, headers, body, limit = AbortSignal.timeout(TIMEOUT)) {
        const { door, credentials } = this.context
        let response
        try {
            response = await fetch(door.url(path), {
                method, body, cache: 'no-store', credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer',
                headers: {
                    ...(method === 'GET' ? {} : TUS), ...headers, Authorization: `Bearer ${credentials.token}`,
                },
                signal: AbortSignal.any([limit, ...(signal ? [signal] : [])]),
            })
        } catch {
            signal?.throwIfAborted()
            throw new ClientError('offline')
        }
        if (response.ok) return response
        const { status } = response
        const text = method === 'HEAD' ? '' : await boundedText(response).catch(() => '')
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
