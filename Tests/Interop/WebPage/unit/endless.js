// @ts-check
/** A gateway that never comes to an end, by the names of Tests/Adversaries/LyingGateway: all is given up, and told. */
import { newState } from '/client/log-state.js'
import { unknownPeer } from '/client/peer.js'
import { Members } from '/client/read.js'
import { readConversation } from '/client/records.js'
import { Gateway } from './gateway.js'
import { same, test, throws } from './harness.js'
import { GROUP, TIME, conversation, until, uuid, world } from './world.js'

const MOST = 20000

/** @param {Gateway} gateway */
const isTold = ({ told }) => told.some(({ name, value }) => name === 'fault' && value.code === 'endless')

/** @param {Gateway} gateway @param {string} operation */
const count = ({ asked }, operation) => asked.filter((each) => each.operation === operation).length

/** @param {string} id @param {object} [more] */
const entry = (id, more = {}) => ({
    conversation_id: id, recovered: true, epoch: 'e', last_seq: 0, messages: [], watermarks: {}, unread_count: 0,
    conversation: null, ...more,
})

test('a list that goes round, is never complete or has another page behind each is given up, and the rest goes on',
    async () => {
    /** @type {[string, (gateway: Gateway, page: number) => any][]} */
    const lies = [
        ['endless.list', ({ threads }, page) => ({
            conversations: [...threads.keys()].map((id) => entry(id)), complete: true, next_cursor: `page-${page % 3}`,
        })],
        ['endless.sync', (_, page) => ({ conversations: [], complete: false, next_cursor: `page-${page}` })],
        ['endless.sync', (_, page) => ({ conversations: [], complete: true, next_cursor: `page-${page}` })],
        ['endless.sync', ({ threads }, page) => ({
            conversations: [...threads.keys()].map((id) => entry(id, { last_seq: page })), complete: false,
            next_cursor: `page-${page}`,
        })],
    ]
    for (const [name, lie] of lies) {
        const gateway = await Gateway.make()
        const { client, answers } = gateway
        await gateway.directWith()
        await gateway.connect()
        let page = 0
        answers['sync/get'] = () => ({ left: [], ...lie(gateway, ++page) })
        await throws(() => client.sync.all(), 'gateway_fault')
        await gateway.settled()
        same([isTold(gateway), page <= 20], [true, true], `${name}, ${page} pages`)
        await gateway.write((await client.conversations.direct('bob')).id, 'nevertheless')
        same([gateway.heard.length, gateway.readings.length], [1, 0], name)
        client.close()
    }
})

test('of a list without end no more is kept than a device keeps', async () => {
    const name = 'endless.total'
    const gateway = await Gateway.make()
    const { client, alice, answers } = gateway
    await gateway.connect()
    const before = client.logs.states
    // As many as there may be, but for a few.
    for (let index = 0; index < MOST - 5; index++) {
        const id = uuid()
        before.set(id, newState(readConversation(new Members(conversation(id, 'group', [alice, 'bob'])))))
    }
    let page = 0
    answers['sync/get'] = () => ({
        left: [], complete: true, next_cursor: `page-${++page}`,
        conversations: Array.from({ length: 1000 }, () => {
            const id = uuid()
            return entry(id, { conversation: conversation(id, 'group', [alice, 'mallory']) })
        }),
    })
    await throws(() => client.sync.all(), 'gateway_fault')
    await gateway.settled()
    same([isTold(gateway), client.logs.states.size, page <= 21], [true, MOST, true], `${name}: ${page} pages`)
    const told = gateway.told.map(({ value }) => value.code)
    same(told.filter((code) => code === 'too_many_conversations').length, 1)
    client.close()
})

test('a history of empty pages, of the same pages again, or of epochs without end is given up, and told', async () => {
    const lie = 'endless.history'
    const record = (/** @type {number} */ seq, /** @type {string} */ id, epoch = 'e') => ({
        id: uuid(), conversation_id: id, epoch, seq, kind: 'message', target_id: null, sender_id: 'bob',
        sender_device_id: 'phone', message_type: 'text', suite: null, encrypted_content: null, nonce: null,
        recipient_keys: null, reply_to: null, expires_at: null, created_at: TIME,
    })
    /** @type {[string, (id: string, asked: number) => any][]} */
    const lies = [
        ['empty', () => ({ messages: [], epoch: 'e', last_seq: 9 })],
        ['again', (id) => ({ messages: [record(5, id)], epoch: 'e', last_seq: 9 })],
        ['epochs', (id, asked) => ({ messages: [record(7, id, 'x')], epoch: `e${asked}`, last_seq: 9 })],
        ['holes', (id) => ({ messages: [record(7, id), record(9, id)], epoch: 'e', last_seq: 9 })],
    ]
    for (const [name, answer] of lies) {
        const gateway = await Gateway.make()
        const { client, answers } = gateway
        const { id } = await gateway.directWith()
        await gateway.connect()
        await client.logs.update(id, (state) => ({ ...state, epoch: 'e', low: 5, high: 5, holdsStart: false }))
        let asked = 0
        answers['history/get'] = () => ({ has_more: true, found_oldest: false, ...answer(id, ++asked) })
        gateway.publish('message.new', record(9, id, name === 'epochs' ? 'other' : 'e'))
        await gateway.settled()
        await client.messages.page(id)
        await gateway.settled()
        same(asked <= 60, true, `${lie}, ${name}: ${asked} pages`)
        if (name !== 'holes') same(isTold(gateway), true, name)
        client.close()
    }
})

test('of requests and invites without end a page is asked for when the person does', async () => {
    const gateway = await Gateway.make()
    const { client, answers } = gateway
    await gateway.connect()
    answers['requests/list'] = () => ({
        items: Array.from({ length: 200 }, (_, index) => ({
            conversation_id: uuid(), user_id: `stranger-${index}`, created_at: TIME, message: null,
        })), next_cursor: uuid(),
    })
    answers['invites/list'] = () => ({
        items: [{ id: GROUP, group_id: GROUP, expires_at: TIME, uses_left: null, created_by: 'bob', created_at: TIME }],
        next_cursor: uuid(),
    })
    /** @type {[string, string, () => Promise<number>, number][]} */
    const lies = [
        ['endless.requests', 'requests/list', async () => (await client.requests.list()).items.length, 0],
        ['endless.invites', 'invites/list', async () => (await client.groups.invites(GROUP)).length, 1],
    ]
    for (const [name, operation, ask, read] of lies) same([await ask(), count(gateway, operation)], [read, 1], name)
    answers['invites/list'] = () => ({ items: Array(201).fill({}), next_cursor: null })
    await throws(() => client.groups.invites(GROUP), 'bad_reply')
    client.close()
})

test('events without end, of conversations that nobody knows, of groups and of people, are not kept', async () => {
    const gateway = await Gateway.make()
    const { client, alice, answers } = gateway
    await gateway.connect()
    const asked = gateway.asked.length
    let restarts = 0
    client.session.restart = () => void restarts++
    const group = {
        id: GROUP, name: 'Group', conversation_id: GROUP, time_zone: 'UTC',
        members: [{ user_id: alice, username: alice, role: 'member', joined_at: TIME }],
    }
    for (let index = 0; index < 3000; index++) {
        gateway.publish('group.joined', { ...group, id: uuid() })
        gateway.publish('typing.indicator', { conversation_id: uuid(), user_id: `user-${index}`, is_typing: true })
        gateway.publish('keys.changed', { user_id: `user-${index}` })
        gateway.publish('presence.updated', { user_id: `user-${index}`, state: 'online', last_seen: null })
    }
    same([gateway.asked.length, client.typing.others.size, client.people.presences.size], [asked, 0, 3000])
    for (let index = 0; index < 3000; index++) {
        gateway.publish('presence.updated', { user_id: `other-${index}`, state: 'online', last_seen: null })
    }
    same(client.people.presences.size <= 5000, true)
    // It never answers what a conversation is.
    answers['conversations/get'] = () => new Promise(() => undefined)
    for (let index = 0; index < 10000; index++) {
        gateway.publish('message.new', {
            id: uuid(), conversation_id: uuid(), epoch: 'e', seq: 1, kind: 'message', target_id: null,
            sender_id: 'bob', sender_device_id: 'phone', message_type: 'text', suite: null, encrypted_content: null,
            nonce: null, recipient_keys: null, reply_to: null, expires_at: null, created_at: TIME,
        })
    }
    same(client.sync.early.size + client.sync.turns.size <= 2000, true, 'records')
    for (let index = 0; index < 6000; index++) {
        gateway.publish('conversation.settings', { conversation_id: uuid(), is_muted: true })
    }
    same(restarts > 0, true, 'the connection was not given up')
    client.close()
})

test('of users without end the keys of so many are kept', async () => {
    const gateway = await Gateway.make()
    const { client, context } = gateway
    await gateway.connect()
    for (let index = 0; index < MOST; index++) context.book.users.set(`user-${index}`, unknownPeer())
    await throws(() => client.exchange.fetch('bob'), 'storage')
    same([context.book.isKnown('bob'), context.book.users.size <= MOST + 1], [false, true])
    client.close()
})

test('a refused message is given up after a bounded number of times, and holds up no other conversation', async () => {
    const gateway = await Gateway.make()
    const { client } = gateway
    await gateway.connect()
    const bob = (await client.conversations.direct('bob')).id
    const dora = (await client.conversations.direct('dora')).id
    await gateway.tell('refusal.withoutEnd')
    const id = await client.messages.sendText(bob, 'a secret')
    await gateway.write(dora, 'anything')
    await until(async () => (await client.messages.get(id))?.status === 'failed')
    same([count(gateway, 'messages/send') <= 10, (await client.messages.get(id))?.failure], [true, 'stale_devices'])
    client.close()
})

test('faults are told once each, and not without end', async () => {
    const { alice, merge, client, faults } = await world()
    for (let round = 0; round < 2; round++) {
        for (let index = 0; index < 1200; index++) {
            const id = `0b0c0000-0000-4000-8000-${String(index).padStart(12, '0')}`
            await throws(() => merge(conversation(id, 'group', ['bob', 'eve'])), 'gateway_fault')
        }
    }
    await new Promise((resolve) => setTimeout(resolve))
    same([faults.length, client.logs.states.size, alice.length > 0], [1000, 0, true])
    client.close()
})
