// @ts-check
/** Files on their way up, against a door that takes them when a test says so. */
import { Client } from '/client/client.js'
import { Context } from '/client/context.js'
import { ClientError } from '/client/errors.js'
import { Uploads } from '/client/uploads.js'
import { directConversation } from '/crypto/names.js'
import { same, test, throws } from './harness.js'
import { until, world } from './world.js'

const FILE = new Blob(['some bytes'])
const [DESCRIPTION, SEALED] = [/** @type {const} */ ({ type: 'file', name: 'a.txt' }), 24 + 17 + FILE.size]

/** A device, and its uploads as a page has them that was opened then. @param {{user: string, device: string}} [of] */
async function page(of, most = 1000) {
    const address = of ?? { user: `a${crypto.randomUUID().slice(0, 8)}`, device: 'web' }
    const context = await Context.open(address, location.origin)
    const client = new Client(context)
    /** @type {{id: string, isResumed?: boolean}[]} */
    const asked = []
    /** @type {{answer: () => Promise<void>}} */
    const door = { answer: () => Promise.resolve() }
    const transfer = {
        upload: async (/** @type {string} */ id, /** @type {any} */ _, /** @type {any} */ __, /** @type {any} */ ___,
            options = {}) => {
            asked.push({ id, isResumed: /** @type {any} */ (options).isResumed })
            await door.answer()
        },
        abandon: async () => {},
    }
    const uploads = new Uploads(context, client.outbox, transfer, most)
    const conversation = await directConversation(address.user, 'bob')
    const shown = async () => (await uploads.of(conversation)).map(({ state, failure, isKept }) => [state, failure,
        isKept])
    return { address, context, client, uploads, conversation, asked, door, shown }
}

test('a file whose page was closed goes up from the next one, and is sent once', async () => {
    const first = await page()
    first.door.answer = () => new Promise(() => {})
    const id = await first.uploads.add(first.conversation, FILE, DESCRIPTION)
    await until(() => first.asked.length === 1)
    // Two more tabs: they wait for the lock of the first, which a closed page gives up.
    const { name, locks } = { name: `parley ${first.address.user}/web upload ${id}`, locks: navigator.locks }
    const others = [await page(first.address), await page(first.address)]
    for (const { uploads } of others) await uploads.resume()
    same(others.map(({ asked }) => asked.length), [0, 0])
    first.context.close()
    await locks.request(name, { steal: true }, () => undefined)
    await until(async () => (await Promise.all(others.map(({ shown }) => shown()))).every((shown) =>
        shown.length === 0))
    same(others.flatMap(({ asked }) => asked), [{ id, isResumed: true }])
    const queued = await others[0].context.database.transaction(['outbox'], 'readonly',
        (transaction) => transaction.all('outbox'))
    same(queued.length, 1)
    await others[0].client.outbox.load()
    same(others[0].client.outbox.items.map(({ draft }) => [draft.blobs, draft.type]), [[[id], 'file']])
})

test('a file that is too large to be kept says so, and after the page was closed that it is to be chosen again',
    async () => {
    const first = await page(undefined, SEALED)
    first.door.answer = () => new Promise(() => {})
    await first.uploads.add(first.conversation, FILE, DESCRIPTION)
    const id = await first.uploads.add(first.conversation, FILE, DESCRIPTION)
    await until(() => first.asked.length === 1)
    same(await first.shown(), [['sending', null, true], ['waiting', null, false]])
    first.context.close()
    for (const { name } of (await navigator.locks.query()).held ?? []) {
        if (name?.includes(first.address.user)) await navigator.locks.request(name, { steal: true }, () => undefined)
    }
    const second = await page(first.address)
    await second.uploads.resume()
    await until(async () => (await second.shown())[0]?.[0] === 'failed')
    same(await second.shown(), [['failed', 'choose_again', false]])
    await second.uploads.cancel(id)
    same(await second.shown(), [])
    const rows = await second.context.database.transaction(['uploads'], 'readonly',
        (transaction) => transaction.all('uploads'))
    same(rows.length, 0)
})

test('what the door refuses is kept until one tries again, and what has no connection goes on with it', async () => {
    const { uploads, conversation, door, shown, asked, address } = await page()
    door.answer = () => Promise.reject(new ClientError('too_large'))
    const id = await uploads.add(conversation, FILE, DESCRIPTION)
    await until(async () => (await shown())[0]?.[0] === 'failed')
    const later = await page(address)
    await later.uploads.resume()
    same([await later.shown(), later.asked.length], [[['failed', 'too_large', true]], 0])
    door.answer = () => Promise.reject(new ClientError('offline'))
    await uploads.retry(id)
    await until(async () => asked.length === 2 && (await shown())[0]?.[0] === 'waiting')
    door.answer = () => Promise.resolve()
    await uploads.resume()
    await until(async () => (await shown()).length === 0)
    same(asked.length, 3)
})

test('a file that was given up is not sent', async () => {
    const { uploads, conversation, door, shown, client } = await page()
    /** @type {() => void} */
    let go = () => {}
    door.answer = () => new Promise((resolve) => { go = () => resolve(undefined) })
    const id = await uploads.add(conversation, FILE, DESCRIPTION)
    await until(async () => (await shown())[0]?.[0] === 'sending')
    await uploads.cancel(id)
    go()
    await new Promise((resolve) => setTimeout(resolve, 50))
    same([await shown(), client.outbox.items.length], [[], 0])
    await throws(() => uploads.add(conversation, FILE, { type: 'voice', name: 'no duration' }), 'bad_request')
    same(await shown(), [])
})

test('files that would be lost with the page are counted', async () => {
    const { uploads, conversation, door, context, shown } = await page(undefined, SEALED)
    /** @type {number[]} */
    const counts = []
    context.on('uploads', ({ unkept }) => counts.push(unkept))
    /** @type {() => void} */
    let go = () => {}
    door.answer = () => new Promise((resolve) => { go = () => resolve(undefined) })
    await uploads.add(conversation, FILE, DESCRIPTION)
    same(counts.slice(0, 2), [1, 0], 'one that is sealed, and then kept')
    await uploads.add(conversation, FILE, DESCRIPTION)
    same(counts.at(-1), 1, 'one that is too large to be kept')
    await until(async () => (await shown())[0]?.[0] === 'sending')
    go()
    await until(async () => (await shown())[0]?.[2] === false && (await shown())[0]?.[0] === 'sending')
    go()
    await until(async () => (await shown()).length === 0)
    same(counts.at(-1), 0)
})

test('a message whose file is gone says so, and is not tried in vain', async () => {
    const { begin, answers, client, direct } = await world()
    await begin()
    answers['messages/send'] = () => { throw new ClientError('not_found') }
    const failure = async (/** @type {string} */ id) => (await client.messages.get(id))?.failure
    const file = {
        url: null, key: new Uint8Array(32), digest: new Uint8Array(32), size: 5, name: 'a', mimeType: 'text/plain',
    }
    const id = await client.messages.send(direct, { type: 'file', content: { file } }, [crypto.randomUUID()])
    await until(async () => await failure(id) === 'file_gone')
    const other = await client.messages.sendText(direct, 'words')
    await until(async () => await failure(other) === 'not_found')
})

test('a database of an earlier page gets what is new, and keeps what it had', async () => {
    const address = { user: `a${crypto.randomUUID().slice(0, 8)}`, device: 'web' }
    await new Promise((resolve, reject) => {
        const request = indexedDB.open(`parley ${address.user}/web`, 1)
        request.onerror = reject
        request.onupgradeneeded = () => {
            for (const name of ['device', 'peers', 'conversations']) request.result.createObjectStore(name)
            const records = request.result.createObjectStore('records', { keyPath: ['conversation', 'chapter', 'seq'] })
            for (const name of ['id', 'target', 'expiry', 'unopened']) records.createIndex(name, name)
            request.result.createObjectStore('outbox', { keyPath: 'position', autoIncrement: true }).createIndex('id',
                'id')
        }
        request.onsuccess = () => {
            const transaction = request.result.transaction(['device'], 'readwrite')
            transaction.objectStore('device').put('kept', 'push')
            transaction.oncomplete = () => resolve(request.result.close())
        }
    })
    const { context, shown } = await page(address)
    same([await context.database.get('device', 'push'), await shown()], ['kept', []])
})
