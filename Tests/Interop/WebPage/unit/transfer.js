// @ts-check
/** Sealed files up and down, over a line that breaks: what moves goes on, and what does not is given up. */
import { OpeningFile, sealFile } from '/crypto/attachment.js'
import { Transfer } from '/client/transfer.js'
import { same, test, throws } from './harness.js'

const door = { url: (/** @type {string} */ path) => `/api/${path}` }
const context = /** @type {any} */ ({ door, credentials: { token: '' } })
const [ID, CONVERSATION] = ['0b0c0000-0000-4000-8000-000000000001', '0b0c0000-0000-4000-8000-000000000002']

/**
 * With a door of the test's own, and pauses that last no time.
 *
 * @param {(url: string, options: any) => Promise<Response>} answer
 * @param {() => Promise<void>} body
 */
async function at(answer, body) {
    const { fetch, setTimeout } = globalThis
    globalThis.fetch = /** @type {any} */ (answer)
    const shortened = (/** @type {any} */ run, time = 0) => setTimeout(run, time > 100 ? 1 : time)
    globalThis.setTimeout = /** @type {any} */ (shortened)
    try {
        await body()
    } finally {
        Object.assign(globalThis, { fetch, setTimeout })
    }
}

test('an upload goes on as long as each attempt brings some bytes, and ends where none does', async () => {
    const sealed = new Blob([new Uint8Array(100)])
    let [offset, step, asked] = [0, 5, 0]
    const door = async (/** @type {string} */ _, /** @type {any} */ { method }) => {
        if (method === 'HEAD') return new Response(null, { headers: { 'Upload-Offset': String(offset) } })
        if (method !== 'PATCH') return new Response()
        asked++
        offset = Math.min(100, offset + step)
        throw new TypeError('cut')
    }
    const transfer = new Transfer(context)
    await at(door, () => transfer.upload(ID, CONVERSATION, sealed, new Uint8Array(32)))
    same([offset, asked], [100, 20])
    ;[offset, step, asked] = [0, 0, 0]
    await at(door, () => throws(() => transfer.upload(ID, CONVERSATION, sealed, new Uint8Array(32)), 'offline'))
    same([offset, asked], [0, 9])
})

test('a download goes on as long as bytes come, and one that brings nothing is given up', async () => {
    const content = crypto.getRandomValues(new Uint8Array(3000))
    const { sealed, key, size } = await sealFile(new Blob([content]))
    const bytes = new Uint8Array(await sealed.arrayBuffer())
    let [step, asked] = [200, 0]
    const door = async (/** @type {string} */ _, /** @type {any} */ { headers, signal }) => {
        asked++
        const from = Number(/bytes=(\d+)-/.exec(headers.Range ?? '')?.[1] ?? 0)
        const body = new ReadableStream({
            start: (controller) => {
                signal.addEventListener('abort', () => controller.error(signal.reason))
                if (step > 0) controller.enqueue(bytes.slice(from, from + step))
            },
        })
        return new Response(body, {
            status: from > 0 ? 206 : 200,
            headers: from > 0 ? { 'Content-Range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` } : {},
        })
    }
    const transfer = new Transfer(context, 20)
    const opening = new OpeningFile(key, size)
    await at(door, () => transfer.download(ID, opening, {}))
    same(new Uint8Array(await /** @type {any} */ (opening.finish()).content.arrayBuffer()), content)
    same(asked, Math.ceil(bytes.length / step))
    ;[step, asked] = [0, 0]
    await at(door, () => throws(() => transfer.download(ID, new OpeningFile(key, size), {}), 'offline'))
    same(asked, 9)
})
