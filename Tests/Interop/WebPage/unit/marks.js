// @ts-check
/** What is marked as read: nothing that could not be opened, and nothing behind it. */
import { toBase64 } from '/crypto/bytes.js'
import { generateIdentity } from '/crypto/curves.js'
import { same, test } from './harness.js'
import { world } from './world.js'

test('marks stop before what could not be opened, until it can be or the person gives it up', async () => {
    const { client, begin, direct, record, context } = await world()
    await begin()
    const other = await generateIdentity()
    // The third is sealed for a key that this device has not any more.
    const identity = context.keys.identityKey
    const records = [await record(1), await record(2)]
    Object.defineProperty(context.keys, 'identityKey', { value: other.publicKey, configurable: true })
    records.push(await record(3))
    Object.defineProperty(context.keys, 'identityKey', { value: identity, configurable: true })
    records.push(await record(4))
    same(await client.delivery.keep(direct, 'e', records), true)
    const state = () => {
        const log = client.logs.get(direct)
        return [log?.readSeq, log?.unread, log?.pendingRead?.id]
    }
    same(await client.messages.markRead(direct, records[0].id), true)
    same(state(), [1, 3, records[0].id])
    same(await client.messages.markRead(direct, records[3].id), false)
    same(state(), [2, 2, records[1].id])
    same(await client.messages.markRead(direct, records[3].id), false)
    same(state(), [2, 2, records[1].id])
    same(await client.messages.markRead(direct, records[2].id, { passingUnopened: true }), true)
    same(state(), [3, 1, records[2].id])
    same(await client.messages.markRead(direct, records[3].id), true)
    same(state(), [4, 0, records[3].id])
})

test('what was not sealed for this device, and what is not bound to it, does not stop them', async () => {
    const { client, begin, direct, record } = await world()
    await begin()
    const elsewhere = [{ user_id: client.address.user, device_id: 'phone',
        encrypted_key: toBase64(new Uint8Array(60)) }]
    const leftOut = [{ user_id: client.address.user, device_id: 'web', encrypted_key: toBase64(new Uint8Array(16)) }]
    const records = [
        await record(1, { recipient_keys: elsewhere }), await record(2, { recipient_keys: leftOut }),
        await record(3, {}, { json: '{"no":"text"}' }), await record(4),
    ]
    same(await client.delivery.keep(direct, 'e', records), true)
    same(await client.messages.markRead(direct, records[3].id), true)
    same(client.logs.get(direct)?.unread, 0)
})
