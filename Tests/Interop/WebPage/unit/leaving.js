// @ts-check
/** The devices that a browser keeps, and what it keeps of one that has left. */
import * as accounts from '/client/accounts.js'
import { dropDevice, keepDevice, keptDevices } from '/client/database.js'
import { ClientError } from '/client/errors.js'
import { same, test, throws } from './harness.js'
import { until, world } from './world.js'

/** @param {string} user */
const databases = async (user) => (await indexedDB.databases()).filter(({ name }) => name?.includes(user)).length

test('a page that is opened enters the device that signed in last', async () => {
    const users = ['zoe', 'ann', 'zoe'].map((name) => `${name}${crypto.randomUUID().slice(0, 8)}`)
    users[2] = users[0]
    for (const [index, user] of users.entries()) {
        await accounts.useCredentials(JSON.stringify({
            client_id: `${user}:web`, username: user, password: 'token', expires_at: '2099-01-01T00:00:00.000Z',
        }))
        same((await accounts.kept())[0].user, user, `the device of attempt ${index}`)
        await until(async () => (await keptDevices())[0].signedInAt !== Date.now())
    }
})

test('what is kept of a device goes before the list forgets it', async () => {
    const { alice, context, client } = await world()
    await keepDevice({ user: alice, device: 'web', email: null, signedInAt: 0 })
    const isListed = async () => (await keptDevices()).some(({ user }) => user === alice)
    const remove = indexedDB.deleteDatabase
    client.close()
    // As if the page ended there.
    const value = () => { throw new Error('ended') }
    Object.defineProperty(indexedDB, 'deleteDatabase', { value, configurable: true })
    await dropDevice(context.address).catch(() => undefined)
    same([await isListed(), await databases(alice)], [true, 1])
    Reflect.deleteProperty(indexedDB, 'deleteDatabase')
    same(indexedDB.deleteDatabase, remove)
    await dropDevice(context.address)
    same([await isListed(), await databases(alice)], [false, 0])
})

test('an account that was deleted is removed here, also when the device has ended before the answer', async () => {
    const { alice, client, answers, reload } = await world()
    await keepDevice({ user: alice, device: 'web', email: null, signedInAt: 0 })
    const other = await reload()
    let removed = 0
    for (const each of [client, other]) each.on('removed', () => { removed++ })
    // A wrong password, and a token that has ended, have the same code.
    answers['account/delete'] = () => { throw new ClientError('unauthenticated') }
    answers['account/get'] = () => ({})
    await throws(() => client.account.delete('wrong'), 'unauthenticated')
    same([await databases(alice), removed], [1, 0])
    answers['account/get'] = answers['account/delete']
    await client.account.delete('right')
    await until(() => removed === 2)
    same([await databases(alice), (await keptDevices()).some(({ user }) => user === alice)], [0, false])
})
