// @ts-check
/** What could not be opened when it came is opened when it can be, also by a page that is opened later. */
import { newKept, toRow } from '/client/rows.js'
import { ClientError } from '/client/errors.js'
import { same, test } from './harness.js'
import { conversation, GROUP, until, uuid, world } from './world.js'

/** @param {import('/client/client.js').Client} client @param {string} id */
const shown = async (client, id) =>
    (await client.messages.page(id)).messages.map(({ error, content }) => error ?? content?.text)

test('a message whose keys came when no page was open is opened by the next one', async () => {
    const { answers, client, merge, direct, alice, record, reload } = await world()
    await merge(conversation(direct, 'direct', [alice, 'bob']))
    await client.logs.update(direct, (log) => ({ ...log, epoch: 'e', holdsStart: true }))
    const keys = answers['keys/get']
    answers['keys/get'] = () => { throw new ClientError('unavailable') }
    await client.delivery.keep(direct, 'e', [await record(1)])
    same(await shown(client, direct), ['sender_keys_unknown'])
    client.close()
    answers['keys/get'] = keys
    // As the service worker has it, which ends before it could open anything else.
    const worker = await reload()
    await worker.delivery.opened([await record(2)], 0, [alice, 'bob'])
    same([worker.context.book.isKnown('bob'), await shown(worker, direct)], [true, ['sender_keys_unknown']])
    worker.close()
    const page = await reload()
    page.start()
    await until(async () => String(await shown(page, direct)) === 'from bob')
    page.close()
})

test('keys that never came are asked for once there is a connection', async () => {
    const { answers, client, merge, direct, alice, record, reload } = await world()
    await merge(conversation(direct, 'direct', [alice, 'bob']))
    await client.logs.update(direct, (log) => ({ ...log, epoch: 'e', holdsStart: true }))
    const keys = answers['keys/get']
    answers['keys/get'] = () => { throw new ClientError('unavailable') }
    await client.delivery.keep(direct, 'e', [await record(1)])
    client.close()
    answers['keys/get'] = keys
    Object.assign(answers, {
        'gateway/info': () => ({}), 'keys/publish': () => ({}),
        'sync/get': () => ({ conversations: [], left: [], complete: true, next_cursor: null }),
    })
    const page = await reload()
    page.start()
    await until(() => page.exchange.isAwaited('bob'))
    same(await shown(page, direct), ['sender_keys_unknown'])
    await page.session.handlers.connected()
    await until(async () => String(await shown(page, direct)) === 'from bob')
    page.close()
})

test('thousands of messages that nobody can open do not keep another one closed', async () => {
    const { answers, client, context, merge, direct, alice, record } = await world()
    // Behind all others in the order of the rows.
    const group = `ffffffff${GROUP.slice(8)}`
    for (const [id, type, other] of [[direct, 'direct', 'bob'], [group, 'group', 'eve']]) {
        await merge(conversation(id, type, [alice, other]))
        await client.logs.update(id, (log) => ({ ...log, epoch: 'e', holdsStart: true }))
    }
    const keys = answers['keys/get']
    answers['keys/get'] = () => { throw new ClientError('unavailable') }
    const hidden = await record(1)
    await client.delivery.keep(direct, 'e', [hidden])
    const rows = await Promise.all(Array.from({ length: 2100 }, (_, index) => toRow(newKept(
        { ...hidden, id: uuid(), conversation: group, sender: { user: 'eve', device: 'x' }, seq: index + 1 }, 0,
    ), context.vault, alice)))
    await context.database.transaction(['records'], 'readwrite', (transaction) => (
        Promise.all(rows.map((row) => transaction.put('records', row)))))
    answers['keys/get'] = keys
    await client.exchange.fetch('bob')
    await client.reopening.of('bob')
    same(await shown(client, direct), ['from bob'])
})
