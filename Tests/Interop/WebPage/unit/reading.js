// @ts-check
/** What comes from the gateway and from others: read with bounds, or refused. */
import { toBase64 } from '/crypto/bytes.js'
import { isResent, legacyJSON, readContent, writeContent } from '/client/content.js'
import { Members, parseObject } from '/client/read.js'
import { readConversation, readRecord, readUserKeys } from '/client/records.js'
import * as rows from '/client/rows.js'
import { same, test, throws } from './harness.js'

const ID = '0b0c0000-0000-4000-8000-000000000001'
const OTHER = '0b0c0000-0000-4000-8000-000000000002'

const record = () => ({
    id: ID, conversation_id: OTHER, epoch: 'e', seq: 1, kind: 'message', target_id: null, sender_id: 'bob',
    sender_device_id: 'phone', message_type: 'text', suite: 'group-box',
    encrypted_content: toBase64(new Uint8Array(20)),
    nonce: toBase64(new Uint8Array(24)), recipient_keys: null, reply_to: null, expires_at: null,
    created_at: '2026-01-15T09:30:00.000Z',
})

test('a record is read, and refused with any field of another form', async () => {
    same(readRecord(new Members(record())).createdAt, 1768469400000)
    /** @type {[string, unknown][]} */
    const cases = [
        ['id', ID.toUpperCase()], ['id', null], ['id', 5], ['conversation_id', 'x'], ['epoch', 'e'.repeat(65)],
        ['seq', -1],
        ['seq', 1.5], ['seq', '1'], ['seq', 2 ** 53], ['sender_id', 'a/b'], ['sender_id', ''],
        ['sender_id', 'x'.repeat(65)],
        ['message_type', {}], ['encrypted_content', 'AAA'], ['encrypted_content', 'A'.repeat(100000)],
        ['nonce', 'AB=='],
        ['recipient_keys', {}], ['recipient_keys', [1]], ['recipient_keys', [{ user_id: 'a' }]], ['reply_to', ''],
        ['created_at', 'yesterday'], ['created_at', 1], ['created_at', '2026-13-45T99:99:99.000Z'],
        ['expires_at', true],
        ['system', 'x'], ['target_id', 'x'], ['kind', '\ud800'],
    ]
    for (const [name, value] of cases) {
        await throws(() => readRecord(new Members({ ...record(), [name]: value })), 'bad_reply')
    }
    for (const value of [null, [], 'x', 5, true]) await throws(() => new Members(value), 'bad_reply')
    for (const text of ['', '[]', 'null', '{', '{"a":1}x', '\ufeff{}']) await throws(() => parseObject(text),
        'bad_reply')
})

test('members of prototypes are no members, and nothing is polluted', () => {
    const members = parseObject('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":1}')
    same([members.raw('toString'), members.raw('hasOwnProperty'), members.raw('a')], [null, null, 1])
    const table = new Members({ t: JSON.parse('{"__proto__":1,"bob":2}') }).byUser('t', 9, (value) => Number(value))
    same([...table], [['__proto__', 1], ['bob', 2]])
    same(/** @type {any} */ ({}).polluted ?? null, null)
    const read = readContent('message', 'text', '{"text":"x","__proto__":{"polluted":1}}')
    same([Object.keys(read ?? {}), /** @type {any} */ (read).polluted ?? null], [['text'], null])
})

test('conversations and lists of keys have their bounds', async () => {
    const member = { user_id: 'bob', username: 'Bob', role: 'owner', joined_at: '2026-01-15T09:30:00.000Z' }
    const object = {
        id: ID, type: 'direct', name: null, created_by: 'bob', created_at: member.joined_at,
        updated_at: member.joined_at,
        epoch: 'e', last_seq: 3, members: [member],
    }
    same(readConversation(new Members(object)).members[0].role, 'member')
    for (const members of [null, 'x', Array(1025).fill(member), [{ ...member, username: 'x'.repeat(401) }]]) {
        await throws(() => readConversation(new Members({ ...object, members })), 'bad_reply')
    }
    const keys = { user_id: 'bob', account_key: toBase64(new Uint8Array(31)), devices: [] }
    await throws(() => readUserKeys(new Members(keys)), 'bad_reply')
})

test('contents are written as they are read', async () => {
    const file = {
        url: null, key: new Uint8Array(32), digest: new Uint8Array(32), size: 5, name: '../../etc/passwd',
        mimeType: 'image/png',
    }
    same(readContent('message', 'text', writeContent('text', { text: 'naïve "\\ \u0000' })),
        { text: 'naïve "\\ \u0000' })
    same(readContent('message', 'image', writeContent('image', { file, caption: 'c', width: 3, height: 4 })),
        { file, caption: 'c', width: 3, height: 4 })
    same(readContent('message', 'voice', writeContent('voice', { file, durationMs: 9 })), { file, durationMs: 9 })
    same(readContent('reaction', 'text', '{"emoji":"👍"}'), { emoji: '👍' })
    same(readContent('reaction', 'text', '{"unopened":true}'), { isResendRequest: true })
    same(readContent('message', 'of_later', '{"x":1}'), null)
    /** @type {[string, string, string][]} */
    const cases = [
        ['message', 'text', '{}'], ['message', 'text', '{"text":5}'], ['message', 'text', '[]'],
        ['message', 'text', 'x'],
        ['message', 'system', '{}'], ['message', 'image', '{"file":{}}'], ['message', 'voice', '{"duration_ms":1}'],
        ['reaction', 'text', `{"emoji":"${'x'.repeat(65)}"}`], ['message', 'diet_plan', '{"plan_id":"p"}'],
        ['message', 'text', '{"text":"\\ud800"}'], ['message', 'challenge', '{"challenge_id":"c","title":"t"}'],
    ]
    for (const [kind, type, json] of cases) await throws(() => readContent(kind, type, json), 'bad_content')
    await throws(() => writeContent('text', { text: 'x'.repeat(65025) }), 'too_long')
    await throws(() => writeContent('image', {}), 'bad_request')
    same([isResent('{"resent":true,"text":"x"}'), isResent('{"text":"x"}'), isResent('x')], [true, false, false])
    const bytes = (/** @type {string} */ text) => new TextEncoder().encode(text)
    same(legacyJSON('text', bytes('bare')), '{"text":"bare"}')
    same(legacyJSON('text', bytes('{"text":"whole"}')), '{"text":"whole"}')
    await throws(() => readContent('message', 'text', legacyJSON('text', bytes('\u0000\u0009header'))), 'bad_content')
})

/** @param {number} seq @param {object} more @param {string|null} [content] @returns {import('/client/rows.js').Kept} */
const kept = (seq, more, content = null) => ({
    ...rows.newKept(/** @type {any} */ ({
        id: ID, conversation: OTHER, epoch: 'e', seq, kind: 'message', target: null,
        sender: { user: 'bob', device: 'phone' },
        type: 'text', suite: null, content: null, nonce: null, keys: null, replyTo: null, expiresAt: null, createdAt: 0,
        system: null, ...more,
    }), 0), content,
})

test('changes give the same result in every order, and only the sender edits and deletes', () => {
    const message = kept(1, {}, '{"text":"one"}')
    const change = (/** @type {number} */ seq, /** @type {string} */ kind, /** @type {string|null} */ content,
        user = 'bob') =>
        kept(seq, { id: `${seq}`, kind, target: ID, sender: { user, device: 'd' } }, content)
    const changes = [
        change(2, 'edit', '{"text":"two"}'), change(3, 'edit', '{"text":"three"}'),
        change(4, 'edit', '{"text":"liar"}', 'eve'),
        change(5, 'reaction', '{"emoji":"👍"}', 'eve'), change(6, 'reaction', '{"emoji":""}', 'eve'),
        change(7, 'reaction', '{"emoji":"🎉"}', 'ann'), change(8, 'edit', '{"no":"text"}'),
        change(9, 'edit', '{"resent":true,"text":"again"}'), change(10, 'delete', null, 'eve'),
    ]
    for (let round = 0; round < 30; round++) {
        const order = round === 0 ? changes : [...changes].sort(() => Math.random() - 0.5)
        const after = order.reduce(rows.withChange, message)
        same(rows.shownContent(after), { state: 'opened', content: { text: 'three' }, error: null })
        same(after.changes.reactions.filter(({ emoji }) => emoji).map(({ user, emoji }) => user + emoji), ['ann🎉'])
        const deleted = [...order, change(11, 'delete', null)].reduce(rows.withChange, message)
        same(rows.shownContent(deleted), { state: 'removed', content: null, error: null })
        same(order.reduce(rows.withChange, deleted), deleted)
    }
    // What came before the message, or is another's, changes nothing.
    same(rows.withChange(kept(5, {}, '{"text":"x"}'), change(4, 'edit', '{"text":"y"}')).changes.edit, null)
    same(rows.withChange(message, kept(9, { id: 'x', kind: 'edit', target: OTHER }, '{"text":"y"}')), message)
    const unopened = { ...kept(1, { content: new Uint8Array(20) }), error: 'not_authentic' }
    same(rows.shownContent(rows.withChange(unopened, changes[7])).content, { text: 'again' })
})
