// @ts-check
/** A gateway that lies, against a whole client: what concerns a device, and what is never to be sealed for anybody. */
import { fromBase64, isZero, toBase64, utf8 } from '/crypto/bytes.js'
import { boxKey, sealSecretbox } from '/crypto/boxes.js'
import { agree, sealBox, sign, signingOf } from '/crypto/curves.js'
import { certifiedPart, directConversation, keyIDOf } from '/crypto/names.js'
import { ClientError } from '/client/errors.js'
import { Members } from '/client/read.js'
import { readRecord } from '/client/records.js'
import { same, test, throws } from './harness.js'
import { conversation, Device, GROUP, SUITE, TIME, until, uuid, world } from './world.js'

test('lies about who is in a conversation are faults, and nothing is kept of them', async () => {
    const { alice, direct, merge, client, faults } = await world()
    const foreign = await directConversation('bob', 'eve')
    /** @type {[object, string][]} */
    const cases = [
        [conversation(direct, 'direct', [alice, 'bob', 'eve']), 'direct_members'],
        [conversation(direct, 'direct', ['bob', 'eve']), 'direct_members'],
        [conversation(direct, 'direct', [alice]), 'direct_members'],
        [conversation(direct, 'direct', [alice, 'eve']), 'direct_id'],
        [conversation(GROUP, 'direct', [alice, 'bob']), 'direct_id'],
        [conversation(foreign, 'direct', ['bob', 'eve']), 'direct_members'],
        [conversation(direct, 'group', [alice, 'bob', 'eve']), 'group_id'],
        [conversation(GROUP, 'group', ['bob', 'eve']), 'foreign_group'],
    ]
    for (const [object] of cases) await throws(() => merge(object), 'gateway_fault')
    same(client.logs.states.size, 0)
    client.logs.invited.set(GROUP, new Set([alice, 'bob']))
    await throws(() => merge(conversation(GROUP, 'group', [alice, 'bob', 'eve'])), 'gateway_fault')
    await merge(conversation(direct, 'direct', [alice, 'bob']))
    await throws(() => merge(conversation(direct, 'direct', [alice, 'bob', 'eve'],
        { updated_at: '2027-01-15T09:30:00.000Z' })),
        'gateway_fault')
    same(client.logs.get(direct)?.object.members.length, 2)
    // What was told once is not told again.
    await until(() => faults.length === cases.length + 1)
    same(faults, [...cases.map(([, code]) => code), 'uninvited'])
})

test('an answer about another conversation or another user is not believed', async () => {
    const { answers, client, alice, faults, direct } = await world()
    answers['conversations/create'] = () => conversation(GROUP, 'group', [alice, 'bob', 'eve'])
    await throws(() => client.conversations.direct('bob'), 'gateway_fault')
    answers['conversations/get'] = () => conversation(GROUP, 'group', [alice, 'bob', 'eve'])
    await throws(() => client.sync.fetch(direct), 'gateway_fault')
    answers['keys/get'] = () => ({ user_id: 'eve', account_key: null, devices: [] })
    await throws(() => client.exchange.fetch('bob'), 'gateway_fault')
    // The same is told once.
    await until(() => faults.length === 2)
    same(faults, ['other_conversation', 'unreadable_keys'])
    same(client.context.book.isKnown('eve'), false)
})

test('nothing is sealed for a device that the account key has not certified, whatever the gateway refuses',
    async () => {
    const { answers, client, begin, bob, account, direct, asked, faults } = await world()
    await begin()
    const [spy, late] = await Promise.all([Device.make('bob', 'spy', null), Device.make('bob', 'tablet', account)])
    answers['keys/get'] = ({ user_id: user }) => ({
        user_id: user, account_key: user === 'bob' ? toBase64(account.publicKey) : null,
        devices: user === 'bob' ? [bob.listed, spy.listed, late.listed] : [],
    })
    answers['messages/send'] = () => {
        throw new ClientError('stale_devices')
    }
    await client.messages.sendText(direct, 'secret')
    await until(() => faults.includes('other_devices'))
    const sent = asked.filter(({ operation }) => operation === 'messages/send').map(({ fields }) => fields)
    // The first may be sealed before the list came.
    const named = sent.flatMap(({ recipient_keys: keys }) => keys ?? [])
    same(named.filter(({ device_id: device }) => device === 'tablet').length > 0, true)
    for (const { device_id: device, encrypted_key: key, key_id: id } of named) {
        const bytes = /** @type {Uint8Array} */ (fromBase64(key))
        same([device, isZero(bytes), bytes.length], [device, device === 'spy', device === 'spy' ? 16 : 60])
        if (device === 'spy') same(id, toBase64(keyIDOf(/** @type {any} */ (spy.identity).publicKey)))
    }
    same(new Set(sent.map(({ id }) => id)).size, 1)
})

test('a changed account key holds what is sent, until the person accepts exactly it', async () => {
    const { answers, client, begin, direct, asked } = await world()
    await begin()
    const other = await signingOf(crypto.getRandomValues(new Uint8Array(32)))
    const thief = await Device.make('bob', 'phone', other)
    answers['keys/get'] = ({ user_id: user }) => ({
        user_id: user, account_key: user === 'bob' ? toBase64(other.publicKey) : null,
        devices: user === 'bob' ? [thief.listed] : [],
    })
    answers['messages/send'] = () => ({})
    client.exchange.markStale('bob')
    const id = await client.messages.sendText(direct, 'secret')
    await until(async () => (await client.messages.get(id))?.status === 'held')
    same(asked.some(({ operation }) => operation === 'messages/send'), false)
    const number = await client.keys.safetyNumber('bob')
    same([number?.isPending, number?.isVerified], [true, false])
    // Other keys than those that were shown.
    const third = await signingOf(crypto.getRandomValues(new Uint8Array(32)))
    answers['keys/get'] = ({ user_id: user }) => ({ user_id: user, account_key: toBase64(third.publicKey),
        devices: [] })
    await client.exchange.fetch('bob')
    await throws(() => client.keys.accept(/** @type {any} */ (number)), 'changed')
    same(asked.some(({ operation }) => operation === 'messages/send'), false)
})

test('records open in their place alone', async () => {
    const { client, begin, direct, record, errors } = await world()
    await begin()
    const first = await record(1)
    same(await client.delivery.keep(direct, 'e', [first]), true)
    const copy = { ...first, seq: 2 }
    same(await client.delivery.keep(direct, 'e', [copy]), true)
    const records = [
        await record(3, { sender_device_id: 'tablet' }), await record(4, { message_type: 'file' }),
        await record(5, { reply_to: first.id }), await record(6, { id: uuid() }),
        await record(7, { expires_at: '2027-01-15T09:30:00.000Z' }),
        await record(8, {}, { conversation: GROUP, json: '{"text":"moved"}' }),
        await record(9, { kind: 'message', target_id: first.id }), await record(10, { suite: 'group-box' }),
        await record(11, { suite: 'rot13' }), await record(12, { suite: 'legacy-nacl-box' }),
        await record(13, {}, { json: '{"no":"text"}' }), await record(14, { sender_id: client.address.user }),
        await record(15, { sender_id: client.address.user, sender_device_id: 'web' }),
    ].map((each) => ({ ...each, conversation: direct }))
    same(await client.delivery.keep(direct, 'e', records), true)
    same(await errors(), [
        'from bob', 'replayed', 'sender_keys_unknown', 'not_authentic', 'not_authentic', 'not_authentic',
        'not_authentic',
        'not_authentic', 'not_authentic', 'malformed', 'unknown_suite', 'malformed', 'bad_content',
        'sender_keys_unknown',
        'not_authentic',
    ])
})

test('an old app\'s message opens only of the other one, between the two, and with its mark', async () => {
    const { client, begin, direct, record, alice, bob, context, merge } = await world()
    await begin()
    const nonce = new Uint8Array(24)
    const shared = await agree(/** @type {any} */ (bob.identity).privateKey, context.keys.identityKey)
    const sealed = sealSecretbox(utf8('old words'), nonce, boxKey(shared))
    const old = { suite: 'legacy-nacl-box', encrypted_content: toBase64(sealed), nonce: toBase64(nonce) }
    same(await client.delivery.keep(direct, 'e', [await record(1, old)]), true)
    const [message] = (await client.messages.page(direct)).messages
    same([message.content, message.isLegacy], [{ text: 'old words' }, true])
    const change = await record(2, { ...old, kind: 'edit', target_id: message.id })
    const own = await record(3, { ...old, sender_id: alice })
    same((await client.delivery.opened([change, own], 0, [alice, 'bob'])).map(({ error }) => error),
        ['not_bound', 'not_bound'])
    await merge(conversation(GROUP, 'group', [alice, 'bob']))
    await client.logs.update(GROUP, (log) => ({ ...log, epoch: 'e', holdsStart: true }))
    same(await client.delivery.keep(GROUP, 'e', [{ ...await record(1, old), conversation: GROUP }]), true)
    same((await client.messages.page(GROUP)).messages.map(({ error }) => error), ['not_bound'])
})

test('edits, reactions and deletions show at their message alone, live and in the history', async () => {
    const { client, begin, direct, record } = await world()
    await begin()
    const first = await record(1)
    /** @param {number} seq @param {string} kind @param {string} json */
    const change = (seq, kind, json) => (
        record(seq, {}, { kind, target: first.id, json }))
    const changes = [
        await change(2, 'edit', '{"text":"edited"}'), await change(3, 'reaction', '{"emoji":"👍"}'),
        { ...await change(4, 'delete', ''), suite: null, content: null, nonce: null },
    ]
    const shown = async () => {
        const { messages } = await client.messages.page(direct)
        same(await Promise.all(changes.map(({ id }) => client.messages.get(id))), [null, null, null])
        same(messages.map(({ id }) => id), [first.id])
        same(await client.messages.get(first.id), messages[0])
        const [{ state, content, reactions }] = messages
        return [state, content?.text ?? null, reactions.length]
    }
    const expected = [['opened', 'edited', 0], ['opened', 'edited', 1], ['removed', null, 0]]
    same(await client.delivery.keep(direct, 'e', [first]), true)
    for (const [index, each] of changes.entries()) {
        same(await client.delivery.keep(direct, 'e', [each]), true)
        same(await shown(), expected[index])
    }
})

test('holes, other epochs and other conversations are not kept', async () => {
    const { client, begin, direct, record } = await world()
    await begin()
    same(await client.delivery.keep(direct, 'e', [await record(1)]), true)
    same(await client.delivery.keep(direct, 'e', [await record(3)]), false)
    same(await client.delivery.keep(direct, 'x', [await record(2, { epoch: 'x' })]), false)
    same(await client.delivery.keep(direct, 'e', [await record(2, { conversation_id: GROUP })]), false)
    same(await client.delivery.keep(direct, 'e', [await record(2), await record(4)]), false)
    same(await client.delivery.keep(direct, 'e', [await record(0)]), false)
    same(client.logs.get(direct)?.high, 1)
})

test('a new epoch keeps what is here, once', async () => {
    const { client, begin, direct, record, answers, errors } = await world()
    await begin()
    const records = [await record(1), await record(2, {}, { json: '{"text":"second"}' })]
    await client.delivery.keep(direct, 'e', records)
    const again = { ...records[0], epoch: 'f', content: null, nonce: null }
    const third = { ...await record(2, { epoch: 'f' }, { json: '{"text":"third"}' }) }
    const json = (/** @type {any} */ each) => ({
        id: each.id, conversation_id: direct, epoch: 'f', seq: each.seq, kind: 'message', target_id: null,
        sender_id: 'bob',
        sender_device_id: 'phone', message_type: 'text', suite: SUITE,
        encrypted_content: each.content && toBase64(each.content),
        nonce: each.nonce && toBase64(each.nonce), recipient_keys: null, reply_to: null, expires_at: null,
        created_at: TIME,
    })
    answers['history/get'] = () => ({
        messages: [json(again), json(third)], has_more: false, epoch: 'f', last_seq: 2, found_oldest: true,
        found_newest: true,
    })
    client.sync.receive(readRecord(new Members(json(third))))
    await until(() => client.logs.get(direct)?.epoch === 'f' && client.logs.get(direct)?.high === 2)
    same(await errors(), ['second', 'from bob', 'third'])
})

test('a list that does not end is given up', async () => {
    const { client, answers, faults } = await world()
    answers['sync/get'] = () => ({ conversations: [], left: [], complete: false, next_cursor: 'again' })
    await throws(() => client.sync.all(), 'gateway_fault')
    await until(() => faults.includes('endless'))
})

test('an approval that was not made by a device that saw the code ends the attempt', async () => {
    const { client, answers, alice, context } = await world()
    /** @type {any} */
    let offered = null
    answers['links/offer'] = (fields) => {
        offered = fields
        return { device_id: 'web', ...fields, expires_at: TIME }
    }
    const approval = async (/** @type {any} */ account, /** @type {any} */ by, seed = new Uint8Array(32).fill(7)) => {
        const part = certifiedPart({ user: alice, device: 'web' }, context.keys.identityKey, context.keys.signingKey,
            Date.parse(TIME))
        return new Members({
            device_id: 'web', certificate: toBase64(await sign(by.privateKey, part)), issued_at: TIME,
            sealed: toBase64(await sealBox(seed, /** @type {any} */ (fromBase64(offered.link_key)))),
        })
    }
    const [honest, eve] = await Promise.all([signingOf(new Uint8Array(32).fill(7)),
        signingOf(new Uint8Array(32).fill(8))])
    await client.linking.offer()
    const approved = client.linking.approved()
    // The certificate is another account's.
    await client.linking.heardApproval(await approval(honest, eve))
    await throws(() => approved, 'gateway_fault')
    // The first answer counts.
    await client.linking.heardApproval(await approval(honest, honest))
    await throws(() => client.linking.approved(), 'gateway_fault')
    await client.linking.offer()
    await client.linking.heardApproval(await approval(honest, honest))
    const { digits, adopt } = await client.linking.approved()
    same([/^(\d{5} ){2}\d{5}$/.test(digits), client.isLinked], [true, false])
    Object.assign(answers, { 'keys/publish': () => ({}) })
    await adopt()
    same([client.isLinked, toBase64(/** @type {any} */ (context.keys.account))], [true, toBase64(honest.publicKey)])
    const published = /** @type {any} */ ((await context.keys.publication(0)))
    same([published.account_key, published.issued_at], [toBase64(honest.publicKey), TIME])
})

test('the keys of the device cannot be exported, and the account\'s seed is kept sealed', async () => {
    const { context } = await world()
    await context.keys.propose()
    const row = await context.database.get('device', 'keys')
    for (const key of [row.identity.privateKey, row.signing.privateKey, row.storage]) {
        same(key.extractable, false)
        await throws(() => crypto.subtle.exportKey('pkcs8', key).catch(() => Promise.reject({ code: 'refused' })),
            'refused')
    }
    same([Object.keys(row.account.seed).sort(), row.account.seed.sealed.length], [['nonce', 'sealed'], 48])
})
