// @ts-check
/** Another account key in place of the one that a device holds. */
import { toHex } from '/crypto/bytes.js'
import { ClientError } from '/client/errors.js'
import { same, test, throws } from './harness.js'
import { world } from './world.js'

test('a new account key takes the place of the old one once the gateway has accepted it', async () => {
    const { answers, client, context, asked } = await world()
    answers['keys/publish'] = () => ({})
    await client.exchange.publish()
    const held = async () => toHex(await context.keys.withSeed((seed) => seed.slice()))
    const [account, seed] = [context.keys.account, await held()]
    answers['keys/publish'] = () => { throw new ClientError('forbidden') }
    await throws(() => client.account.reset(), 'forbidden')
    same([context.keys.account, await held()], [account, seed])
    answers['keys/publish'] = () => ({})
    await client.account.reset()
    const shown = (/** @type {any} */ key) => toHex(key)
    same([shown(context.keys.account) === shown(account), await held() === seed], [false, false])
    const sent = asked.filter(({ operation }) => operation === 'keys/publish').at(-1)?.fields
    const { reset, ...fields } = sent
    same([reset, await context.keys.publication(context.now())], [true, fields])
})
