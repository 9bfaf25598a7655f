// @ts-check
/** What is sealed and told while keys are not accepted, or are one's own: as HeldKeysTests of the other client. */
import { ClientError } from '/client/errors.js'
import { Gateway } from './gateway.js'
import { same, test } from './harness.js'
import { Device, until } from './world.js'

/** @param {Gateway} gateway @param {string} id */
const statusOf = async ({ client }, id) => (await client.messages.get(id))?.status

test('whoever is left out of what is sent to a group is named to its sender, and the others get it', async () => {
    const gateway = await Gateway.make()
    const { client, heard } = gateway
    await gateway.connect()
    const { id: group } = await client.conversations.createGroup('three', ['bob', 'dora'])
    await gateway.write(group, 'to both')
    await gateway.reset('bob')
    await gateway.settled()
    const id = await gateway.write(group, 'to one')
    same((await client.messages.get(id))?.leftOut.map(({ user }) => user), ['bob'])
    same(heard.map((users) => [...users].sort()), [['bob', 'dora'], ['dora']])
    client.close()
})

test('a message to somebody whose keys have changed waits, and goes out once they are accepted', async () => {
    const gateway = await Gateway.make()
    const { client, heard } = gateway
    await gateway.connect()
    const { id: chat } = await client.conversations.direct('bob')
    await gateway.write(chat, 'first')
    await gateway.reset('bob')
    await gateway.settled()
    const id = await client.messages.sendText(chat, 'second')
    await gateway.write((await client.conversations.direct('dora')).id, 'anything')
    same([await statusOf(gateway, id), (await client.conversations.get(chat))?.heldUser], ['held', 'bob'])
    await client.keys.accept(/** @type {any} */ (await client.keys.safetyNumber('bob')))
    await until(async () => await statusOf(gateway, id) === 'sent')
    same(heard.map((users) => [...users]), [['bob'], ['dora'], ['bob']])
    client.close()
})

test('what was sealed for keys that are no more is sealed anew once others are accepted, whatever the gateway takes',
    async () => {
    const gateway = await Gateway.make()
    const { client, answers, heard } = gateway
    await gateway.connect()
    const { id: chat } = await client.conversations.direct('bob')
    await gateway.write(chat, 'first')
    const send = answers['messages/send']
    answers['messages/send'] = (fields) => {
        if (fields.conversation_id === chat) throw new ClientError('unavailable')
        return send(fields)
    }
    const id = await client.messages.sendText(chat, 'second')
    await gateway.write((await client.conversations.direct('dora')).id, 'anything')
    await gateway.reset('bob')
    client.exchange.markStale('bob')
    const number = /** @type {any} */ (await client.keys.safetyNumber('bob'))
    // A gateway that takes anything does so by telling of nobody's other keys.
    gateway.takesAnything = true
    answers['messages/send'] = send
    await client.keys.accept(number)
    await until(async () => await statusOf(gateway, id) === 'sent')
    same([...heard.at(-1) ?? []], ['bob'])
    client.close()
})

test('another account key for oneself is not accepted where this device holds the true one', async () => {
    const gateway = await Gateway.make()
    const { client, context, alice } = gateway
    await gateway.connect()
    const account = context.keys.account
    await gateway.tell('keys.ownAccountClaimed')
    client.exchange.markStale(alice)
    same(await client.keys.safetyNumber(alice), null)
    same([context.keys.account, client.isLinked], [account, true])
    client.close()
})

test('a device that nobody has linked seals for no other of its user, whatever account key is listed', async () => {
    const gateway = await Gateway.make()
    const { client, alice, published, heard, readings, told } = gateway
    const phone = await Device.make(alice, 'phone', null)
    published.set(alice, { account: /** @type {any} */ (published.get('dora')).account, devices: [phone.listed] })
    await gateway.tell('keys.ownAccountClaimed')
    await gateway.connect()
    same([client.isLinked, told.some(({ value }) => value.kind === 'this-device-not-linked')], [false, true])
    await gateway.write((await client.conversations.direct('bob')).id, 'a secret')
    same([heard.map((users) => [...users]), readings.length], [[['bob']], 0])
    client.close()
})

test('of devices of one\'s own that the gateway has made up none is shown as certified', async () => {
    for (const name of ['keys.ownGhost', 'keys.ownGhostCertifiedByAnotherAccount', 'keys.ownAccountClaimed']) {
        const gateway = await Gateway.make()
        await gateway.connect()
        await gateway.tell(name)
        gateway.announceKeys(gateway.alice)
        await gateway.settled()
        const devices = await gateway.client.devices.all()
        same(devices.map(({ device, isCertified }) => [device, isCertified]), [['web', true], ['ghost', false]], name)
        gateway.client.close()
    }
})
