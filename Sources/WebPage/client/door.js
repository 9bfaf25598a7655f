// @ts-check
/** The web door's REST: each operation of the protocol is a POST at `/api/v1/{area}/{verb}` (docs/web.md). */

import { ClientError } from './errors.js'
import { Members, parseObject } from './read.js'

const BASE = '/api/v1/'
const TIMEOUT = 20000
/** More than a packet of the gateway. */
const MOST_BYTES = 1 << 20
const CODE = /^[a-z_]{1,40}$/

export class Door {
    /**
     * @param {string} origin
     * @param {() => Promise<string>|string} token empty for people who are not signed in
     */
    constructor(origin, token) {
        this.origin = origin
        this.token = token
    }

    /** @param {string} path */
    url(path) {
        return new URL(BASE + path, this.origin).href
    }

    /**
     * One operation.
     *
     * @param {string} operation `area/verb`
     * @param {Record<string, unknown>} [fields]
     * @param {{timeout?: number, key?: string, keepalive?: boolean}} [options] `key` is the `Idempotency-Key`
     * @returns {Promise<Members>} its `data`
     * @throws {ClientError}
     */
    async request(operation, fields = {}, options = {}) {
        const reply = await this.send(operation, JSON.stringify(fields), options)
        return reply.raw('data') === null ? new Members({}) : reply.object('data')
    }

    /**
     * Several attempts where the gateway says that one may help.
     *
     * @param {string} operation
     * @param {Record<string, unknown>} [fields]
     * @param {{timeout?: number, key?: string}} [options]
     */
    async ask(operation, fields, options) {
        for (let attempt = 0; ; attempt++) {
            try {
                return await this.request(operation, fields, options)
            } catch (error) {
                if (!(error instanceof ClientError) || attempt === 3) throw error
                const pause = error.retryAfter ?? 250 * 2 ** attempt
                if (!['unavailable', 'rate_limited'].includes(error.code) || pause > 5000) throw error
                await new Promise((resolve) => setTimeout(resolve, pause))
            }
        }
    }

    /**
     * @param {string} path
     * @param {string} body
     * @param {{timeout?: number, key?: string, keepalive?: boolean}} [options]
     * @returns {Promise<Members>}
     */
    async send(path, body, options = {}) {
        const token = await this.token()
        /** @type {Record<string, string>} */
        const headers = { 'Content-Type': 'application/json' }
        if (token !== '') headers.Authorization = `Bearer ${token}`
        if (options.key) headers['Idempotency-Key'] = options.key
        let response
        try {
            response = await fetch(this.url(path), {
                method: 'POST', headers, body, credentials: 'omit', cache: 'no-store', redirect: 'error',
                referrerPolicy: 'no-referrer', keepalive: options.keepalive ?? false,
                signal: AbortSignal.timeout(options.timeout ?? TIMEOUT),
            })
        } catch (error) {
            throw new ClientError(error instanceof Error && error.name === 'TimeoutError' ? 'timeout' : 'offline')
        }
        const reply = parseObject(await boundedText(response))
        if (response.ok) return reply
        throw errorOf(reply, response.status)
    }
}

/** @param {Response} response */
export async function boundedText(response) {
    const reader = response.body?.getReader()
    if (!reader) return ''
    const decoder = new TextDecoder('utf-8', { fatal: true })
    let text = ''
    let length = 0
    try {
        for (;;) {
            const { done, value } = await reader.read()
            if (done) return text + decoder.decode()
            length += value.length
            if (length > MOST_BYTES) throw new ClientError('bad_reply')
            text += decoder.decode(value, { stream: true })
        }
    } catch (error) {
        if (error instanceof ClientError) throw error
        throw new ClientError(error instanceof TypeError && length > 0 ? 'bad_reply' : 'offline')
    }
}

/** @param {Members} reply @param {number} status */
export function errorOf(reply, status) {
    const error = reply.objectIfAny('error')
    const code = error?.textIfAny('code', 64) ?? ''
    if (error === null || !CODE.test(code)) return new ClientError('bad_reply', undefined, { status })
    return new ClientError(code, error.textIfAny('message', 1000) ?? code, {
        retryAfter: error.countIfAny('retry_after_ms', 86400000) ?? undefined, details: error, status,
    })
}
