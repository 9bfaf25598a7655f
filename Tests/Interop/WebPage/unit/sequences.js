// @ts-check
/** Random sequences of lies about Bob, of honest changes and of what the client does: nothing opens for the attacker. */
import { EVENTS, OBJECTS } from './false-words.js'
import { LISTINGS } from './false-listings.js'
import { Gateway } from './gateway.js'
import { same, test } from './harness.js'
import { CONNECTING, isBelieved } from './play.js'

const COUNT = 40

/** Those of new groups need one, and those of a person without an account key another person. */
const OTHERS = /NewGroup|newGroup|accountAppears|^push|^link|olderKeysUnderOlderCertificate/
const LIES = [...new Set([...Object.keys(EVENTS), ...Object.keys(OBJECTS), ...Object.keys(LISTINGS)])]
    .filter((name) => !OTHERS.test(name))
/** Those that can be told where a conversation begins. */
const EARLY = [
    'conversation.thirdOnCreate', 'conversation.swappedUnderRandomID', 'conversation.swappedUnderTrueID',
    'conversation.anotherOnCreate', ...CONNECTING,
]

/** mulberry32. @param {number} seed */
function seeded(seed) {
    let state = seed
    return (/** @type {number} */ most) => {
        state = (state + 0x6D2B79F5) | 0
        let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
        mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
        return ((mixed ^ (mixed >>> 14)) >>> 0) % most
    }
}

/** @param {number} seed */
async function play(seed) {
    const random = seeded(seed)
    const gateway = await Gateway.make({ hasAccount: random(10) < 7 })
    const { client } = gateway
    const [steps, element] = [/** @type {string[]} */ ([]), (/** @type {string[]} */ all) => all[random(all.length)]]
    let chat = ''
    const tell = (/** @type {string} */ name) => {
        steps.push(name)
        return gateway.tell(name)
    }
    const contact = async () => {
        chat ||= await client.conversations.direct('bob').then(({ id }) => id, () => '')
    }
    const send = () => chat && client.messages.sendText(chat, 'a secret')
    const number = () => client.keys.safetyNumber('bob').catch(() => null)
    const actions = [
        () => tell(element(LIES)), () => tell(element(LIES)), () => tell(element(LIES)), () => gateway.beHonest(), send,
        send, () => gateway.connect(), async () => {
            for (const user of ['bob', gateway.alice]) gateway.announceKeys(user)
        }, async () => {
            // A careful person accepts what is the same on both sides, and nothing else.
            const shown = await number()
            if (shown === null || !await gateway.isTrue(shown.digits)) return
            if (random(2) === 0) await tell(element(LIES))
            await client.keys.accept(shown).catch(() => undefined)
        }, () => gateway.renewKeys('bob'), () => gateway.renewKeys('bob', 'tablet'), () => gateway.reset('bob'), number,
    ]
    if (random(10) < 3) {
        await tell(element(EARLY))
        await gateway.connect().catch(() => undefined)
        await contact()
        gateway.beHonest()
    }
    await gateway.connect()
    await contact()
    await gateway.write(chat, 'met')
    for (let count = 3 + random(6); count > 0; count--) {
        const action = random(actions.length)
        steps.push(`action ${action}`)
        await actions[action]()
        await gateway.settled()
    }
    await send()
    // When this is out, everything before has had its turn.
    await gateway.write((await client.conversations.direct('dora')).id, 'anything')
    await gateway.settled()
    const { messages } = await client.messages.page(chat)
    same([gateway.readings.length, messages.some(isBelieved)], [0, false], `sequence ${seed}: ${steps.join('; ')}`)
    client.close()
}

test('whatever a gateway says in whatever order, nothing is sealed for an attacker', async () => {
    const seeds = Array.from({ length: COUNT }, (_, index) => index)
    await Promise.all(Array.from({ length: 6 }, async () => {
        for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) await play(seed)
    }))
})
