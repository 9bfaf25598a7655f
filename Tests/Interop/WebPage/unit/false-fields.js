// @ts-check
/**
 * Lies about fields: what an honest gateway says, with one field left out, or with something else in its place. The
 * same as FieldLies of Tests/Adversaries/LyingGateway, but for every field of every reply and event.
 */
import { toBase64 } from '/crypto/bytes.js'
import { generateIdentity, generateSigning } from '/crypto/curves.js'
import { linkCode } from '/crypto/names.js'
import { ClientError } from '/client/errors.js'
import { Gateway } from './gateway.js'
import { same, test } from './harness.js'
import { sealed } from './sealing.js'
import { GROUP, TIME, uuid } from './world.js'

const FOREIGN = '7f31a5d0-0000-4000-8000-00000000dead'
const NUMBERS = [-1, 0, Number.MAX_SAFE_INTEGER, 2 ** 63, 9007199254740993, 1.5, 1e308]
const TEXTS = [
    '', '\u001b[2J\u202efalse\n', 'x'.repeat(70000), 'mallory', FOREIGN, '2999-12-31T23:59:59.999Z',
    '2016-02-30T25:61:61Z', '9999-W53', '0001-W01', '\ud800', '__proto__',
]
/** @type {((old: any) => any)[]} undefined for nothing */
const KINDS = [
    () => undefined, () => null, () => true, () => [], () => ({}), (old) => Array(5000).fill(old),
    (old) => Array.from({ length: 100 }).reduce((value) => [value], old), (old) => `${JSON.stringify(old)}`, plausible,
    ...[...NUMBERS, ...TEXTS].map((value) => () => value),
]

/** What can be read, and is of something else. @param {any} old */
function plausible(old) {
    if (typeof old !== 'string') return typeof old === 'number' ? 4711 : old
    if (old.length === 36) return FOREIGN
    if (old.endsWith('Z')) return '2001-01-01T00:00:00.000Z'
    return old.includes('-W') ? '2001-W01' : 'mallory'
}

/** @param {any} value @returns {(string|number)[][]} */
const paths = (value) =>
    typeof value !== 'object' || value === null ? []
        : Object.keys(value).flatMap((key) => [[key], ...paths(value[key]).map((path) => [key, ...path])])

/** @param {any} value @param {(string|number)[]} path @param {(old: any) => any} kind @returns {any} */
function replaced(value, [key, ...rest], kind) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return value
    const other = rest.length === 0 ? kind(value[key]) : replaced(value[key], rest, kind)
    if (Array.isArray(value)) {
        return value.flatMap((old, at) => (at !== Number(key) ? [old] : other === undefined ? [] : [other]))
    }
    const { [key]: _, ...others } = value
    return other === undefined ? others : { ...others, [key]: other }
}

/** Whether all of what the client has read is bounded. @param {any} value @returns {boolean} */
function isBounded(value) {
    if (value === undefined || value === null || typeof value === 'boolean') return true
    if (typeof value === 'string') return value.length <= 8192 && value.isWellFormed()
    if (typeof value === 'number') return Number.isSafeInteger(value)
    if (value instanceof Uint8Array) return value.length <= 65536
    if (typeof value === 'function') return true
    const entries = value instanceof Map ? [...value] : Object.entries(value)
    return entries.length <= 4096 && entries.every(([key, each]) => isBounded(key) && isBounded(each))
}

/** The table of what is asked, each with its honest answer. @param {Gateway} gateway @param {string} chat */
async function questions({ client, alice }, chat) {
    const member = { user_id: alice, username: alice, role: 'admin', joined_at: TIME }
    const group = (/** @type {any} */ id = GROUP) => ({
        id, name: 'Group', conversation_id: id, created_by: alice, created_at: TIME, time_zone: 'UTC',
        members: [member],
    })
    const invite = (/** @type {any} */ { id = GROUP }) => ({
        token: 'secret', id, group_id: GROUP, url: 'parley://group/invite/secret', expires_at: TIME, uses_left: 3,
        created_by: alice, created_at: TIME,
    })
    const challenge = (/** @type {any} */ { id = GROUP }) => ({
        id, conversation_id: chat, challenger_id: alice, challenged_id: 'bob', type: 'steps', target: 5000,
        duration_days: 7, status: 'active', progress: { bob: 5 }, winner_id: null, outcome: null, created_at: TIME,
        ends_at: TIME,
    })
    const board = {
        group_id: GROUP, type: 'streak', week: '2026-W03', version: 3, is_final: false, ends_at: TIME,
        entries: [{ rank: 1, previous_rank: 2, user_id: 'bob', display_name: 'Bob', value: 5, reached_at: TIME }],
    }
    const item = {
        id: GROUP, user_id: 'bob', type: 'goal_reached', title: '5 km', description: 'At last', timestamp: TIME,
        reactions: { bob: '👏' },
    }
    const list = (/** @type {any} */ each) => ({ items: [each], next_cursor: 'next' })
    const notification = {
        id: GROUP, type: 'week_ended', actor_id: 'bob', conversation_id: chat, group_id: GROUP, seq: 1,
        message_id: GROUP, challenge_id: GROUP, activity_id: GROUP, board: 'check-ins', week: '2026-W03',
        is_read: false, created_at: TIME,
    }
    const profile = {
        user_id: 'bob', display_name: 'Bob', photo_url: 'https://example.org/bob', followers_count: 1,
        following_count: 1, message_privacy: 'anyone', quiet_hours: { from: '22:00', to: '07:00' }, time_zone: 'UTC',
    }
    const offer = {
        identity: (await generateIdentity()).publicKey, signing: (await generateSigning()).publicKey,
        link: (await generateIdentity()).publicKey,
    }
    const link = {
        device_id: 'new', identity_key: toBase64(offer.identity), signing_key: toBase64(offer.signing),
        link_key: toBase64(offer.link), expires_at: TIME,
    }
    const isOwn = (/** @type {any} */ { id, conversation, members }) => (
        id === conversation && members.some((/** @type {any} */ { user }) => user === alice))
    const isGroup = (/** @type {any} */ each) => isOwn(each) && each.id === GROUP
    /** @type {[string, (fields: any) => any, () => Promise<any>, ((value: any) => boolean)?][]} */
    const all = [
        ['groups/list', () => ({ groups: [group()] }), () => client.groups.all(), (value) => value.every(isOwn)],
        ['groups/get', () => group(), () => client.groups.get(GROUP), isGroup],
        ['groups/create', ({ id }) => group(id), () => client.groups.create('Group', 'UTC'), isOwn],
        ['groups/update', () => group(), () => client.groups.rename(GROUP, 'Other'), isGroup],
        ['groups/set-role', () => group(), () => client.groups.setRole(GROUP, 'bob', 'admin')],
        ['invites/create', invite, () => client.groups.invite(GROUP), ({ token, url }) => url.endsWith(token)],
        ['invites/list', () => list(invite({})), () => client.groups.invites(GROUP)],
        ['invites/preview', () => ({ name: 'Group', member_count: 1, invited_by: 'bob', inviter_name: 'Bob' }),
            () => client.groups.preview('secret')],
        ['invites/accept', () => group(), () => client.groups.acceptInvite('secret'), isOwn],
        ['leaderboards/get', () => board, () => client.boards.get(GROUP, 'streak', '2026-W03'),
            (value) => value.group === GROUP && value.type === 'streak' && value.week === '2026-W03'],
        ['challenges/create', challenge, () => client.challenges.create(chat, {
            challenged: 'bob', type: 'steps', target: 5000, durationDays: 7,
        })],
        ['challenges/get', challenge, () => client.challenges.get(GROUP), ({ id }) => id === GROUP],
        ['challenges/list', () => list(challenge({})), () => client.challenges.list(chat),
            ({ items }) => items.every((/** @type {any} */ each) => each.conversation === chat)],
        ['activity/list', () => list(item), () => client.activity.list('bob'),
            ({ items }) => items.every((/** @type {any} */ each) => each.user === 'bob')],
        ['summary/get', () => ({
            user_id: 'bob', steps: 5, calories: 5, exercise_minutes: 5, streak_days: 5, active_challenges: 5,
            recent_achievements: [item],
        }), () => client.activity.summary('bob'), ({ user }) => user === 'bob'],
        ['workouts/log', ({ id }) => ({ id, week: '2026-W03', check_ins: 1, streak_days: 2 }),
            () => client.workouts.log({ completedAt: 0 })],
        ['notifications/list', () => ({ ...list(notification), unread_count: 1 }), () => client.notifications.list()],
        ['notifications/mark-read', () => ({ unread_count: 1 }), () => client.notifications.markRead('all')],
        ['profile/get', () => profile, () => client.people.profile('bob'), ({ user }) => user === 'bob'],
        ['profile/set', () => profile, () => client.people.setProfile({})],
        ['social/followers', () => list({ user_id: 'bob', display_name: 'Bob' }), () => client.people.followers()],
        ['social/can-message', () => ({ can_message: true, is_limited: true, reason: 'privacy' }),
            () => client.people.canMessage('bob')],
        ['devices/list', () => ({ devices: [{
            device_id: 'web', name: 'Browser', has_keys: true, last_seen: TIME, expires_at: TIME, is_certified: true,
        }] }), () => client.devices.all()],
        ['account/get', () => ({ email: 'a@example.org', has_password: true, providers: [{ provider: 'apple' }] }),
            () => client.account.get()],
        ['links/get', () => link, () => client.linking.candidate(linkCode({ user: alice, device: 'new' }, offer)),
            ({ device }) => device === 'new'],
    ]
    return { all, group: group(), board, challenge: challenge({}) }
}

/**
 * Runs `body` for every field with every lie.
 *
 * @param {any} honest
 * @param {(lie: (data: any) => any, what: string) => any} body
 * @param {number} [step] one of so many
 */
async function everywhere(honest, body, step = 1) {
    let count = 0
    for (const path of paths(honest)) {
        for (const [index, kind] of KINDS.entries()) {
            if (count++ % step > 0) continue
            await body((data) => replaced(data, path, kind), `${path.join('.')}, lie ${index}`)
        }
    }
}

/** @param {any} outcome @param {string} what */
function mustBeRefusal(outcome, what) {
    same(outcome instanceof ClientError ? outcome.code.length > 0 : String(outcome?.stack ?? outcome), true, what)
}

/** What must be so whatever was said. @param {Gateway} gateway @param {string} what */
async function holds({ client, context, people }, what) {
    for (const { object } of client.logs.states.values()) await client.logs.check(object)
    const bob = context.book.recipients(['bob']).sealed.map(({ key }) => toBase64(key))
    same(bob.filter((key) => key !== toBase64(people.get('bob').phone.identity.publicKey)), [], what)
}

async function begun() {
    const gateway = await Gateway.make()
    await gateway.connect()
    const { id } = await gateway.client.conversations.direct('bob')
    await gateway.write(id, 'before')
    return { gateway, id }
}

/** @param {Gateway} gateway @param {string} id */
async function goesOn(gateway, id) {
    gateway.client.exchange.markStale('bob')
    await gateway.connect()
    await gateway.write(id, 'nevertheless')
    same([[...gateway.heard.at(-1) ?? []], gateway.readings.length], [['bob'], 0])
    gateway.client.close()
}

test('whatever a field of a reply holds, it is refused or harmless, and is about what was asked for', async () => {
    const { gateway, id } = await begun()
    for (const [operation, honest, ask, isAsked] of (await questions(gateway, id)).all) {
        gateway.answers[operation] = honest
        const value = await ask()
        same([isBounded(value), isAsked?.(value) ?? true], [true, true], operation)
        await everywhere(honest({ id: GROUP }), async (lie, what) => {
            gateway.answers[operation] = (fields) => lie(honest(fields))
            const outcome = await ask().catch((/** @type {any} */ error) => error)
            if (outcome instanceof Error) return mustBeRefusal(outcome, `${operation}: ${what}`)
            same([isBounded(outcome), isAsked?.(outcome) ?? true], [true, true], `${operation}: ${what}`)
        })
    }
    await goesOn(gateway, id)
})

test('whatever a field of keys, conversations, a sync or a history holds, nothing impossible is kept', async () => {
    const { gateway, id } = await begun()
    const { client, answers } = gateway
    /** @type {[string, any, () => Promise<any>][]} */
    const all = [
        ['keys/get', { user_id: 'bob' }, () => client.exchange.fetch('bob')],
        ['conversations/get', { conversation_id: id }, () => client.sync.fetch(id)],
        ['sync/get', { cursors: {} }, () => client.sync.all()],
        ['history/get', { conversation_id: id, limit: 50 }, async () => {
            await client.logs.update(id, (state) => ({ ...state, low: 2, high: 2, holdsStart: false }))
            await client.sync.older(id)
        }],
        ['conversations/update', {}, () => client.conversations.archive(id, false)],
        ['conversations/create', { type: 'group', id: GROUP, participant_ids: ['bob'] }, () => (
            client.conversations.createGroup('Group', ['bob']))],
        ['requests/list', {}, () => client.requests.list()],
    ]
    const thread = await gateway.directWith()
    answers['conversations/update'] = () => ({
        ...gateway.object(thread, 'get'), unread_count: 0, last_read_seq: 0, is_muted: false, muted_until: null,
        is_archived: false, is_unread: false,
    })
    const phone = { user: 'bob', device: 'phone' }
    const message = await sealed(gateway, gateway.people.get('bob').phone, phone, thread, { text: 'please' })
    answers['requests/list'] = () => ({
        items: [{ conversation_id: id, user_id: 'bob', created_at: TIME, message }], next_cursor: 'next',
    })
    for (const [operation, fields, ask] of all) {
        const honest = answers[operation]
        await everywhere(await honest(fields), async (lie, what) => {
            answers[operation] = async (given) => lie(await honest(given))
            const outcome = await ask().catch((error) => error)
            if (outcome instanceof Error) mustBeRefusal(outcome, `${operation}: ${what}`)
            await holds(gateway, `${operation}: ${what}`)
        }, 3)
        answers[operation] = honest
    }
    await goesOn(gateway, id)
})

test('whatever a field of an event holds, nothing of others is kept, and all goes on', async () => {
    const { gateway, id } = await begun()
    const { client, alice, people } = gateway
    const { group, board, challenge } = await questions(gateway, id)
    const thread = await gateway.directWith()
    const phone = { user: 'bob', device: 'phone' }
    const record = await sealed(gateway, people.get('bob').phone, phone, thread, { text: 'hello' })
    const own = { conversation_id: id, user_id: 'bob' }
    const device = { user_id: 'bob', device_id: 'phone', at: TIME }
    const settings = { conversation_id: id, is_muted: false, muted_until: null, is_archived: false, is_unread: false }
    /** @type {Record<string, any>} */
    const events = {
        'message.new': record, 'message.edited': { ...record, kind: 'edit', target_id: uuid() },
        'message.deleted': { ...record, kind: 'delete', target_id: uuid() },
        'message.reaction': { ...record, kind: 'reaction', target_id: uuid() },
        'message.read': { ...own, seq: 1 }, 'message.delivered': { ...own, seq: 1 },
        'conversation.read': { conversation_id: id, seq: 1, unread_count: 0 },
        'conversation.created': gateway.object(thread, 'created'),
        'conversation.updated': gateway.object(thread, 'update'), 'conversation.removed': { conversation_id: uuid() },
        'conversation.settings': settings, 'message.request': { conversation_id: uuid() },
        'typing.indicator': { ...own, is_typing: true },
        'presence.updated': { user_id: 'bob', state: 'online', last_seen: TIME }, 'keys.changed': { user_id: 'bob' },
        'device.added': device, 'device.renewed': device, 'device.revoked': device,
        'link.offered': { device_id: 'ghost' },
        'link.approved': { device_id: 'web', certificate: toBase64(new Uint8Array(64)), issued_at: TIME,
            sealed: toBase64(new Uint8Array(80)) },
        'leaderboard.updated': board, 'week.ended': { group_id: GROUP, week: '2026-W03' },
        'challenge.updated': challenge, 'activity.new': {}, 'activity.reaction': {},
        'notification.new': { badge_at: null }, 'notification.cleared': { unread_count: 1 },
        'friend.added': { user_id: 'bob' }, 'user.blocked': { user_id: 'bob' }, 'group.joined': group,
        'group.updated': group, 'group.deleted': { group_id: GROUP },
    }
    /** @type {any[]} */
    const heard = []
    for (const name of ['board', 'challenge', 'week-ended', 'typing', 'presence', 'people', 'members', 'link-offered',
        'notifications']) client.on(name, (value) => heard.push(value))
    /** @type {any[]} */
    const failures = []
    const fail = (/** @type {any} */ event) => failures.push(event.reason ?? event.error)
    addEventListener('unhandledrejection', fail)
    addEventListener('error', fail)
    const members = new Map([...client.logs.states].map(([name, { object }]) => [name, object.members.length]))
    for (const [type, honest] of Object.entries(events)) {
        await everywhere(honest, async (lie, what) => {
            try {
                gateway.publish(type, lie(honest))
            } catch (error) {
                mustBeRefusal(error, `${type}: ${what}`)
            }
        }, type.startsWith('message.') ? 2 : 1)
        await gateway.settled()
        await holds(gateway, type)
    }
    removeEventListener('unhandledrejection', fail)
    removeEventListener('error', fail)
    same(failures.map(String), [])
    same(heard.filter((value) => !isBounded(value)).length, 0)
    same([...client.logs.states].map(([name, { object }]) => [name, object.members.length]), [...members])
    same([client.isLinked, alice.length > 0], [true, true])
    await goesOn(gateway, id)
})
