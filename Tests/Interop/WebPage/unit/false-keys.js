// @ts-check
/**
 * The lies of Tests/Adversaries/LyingGateway about keys and senders, by their names there, told to a whole client:
 * nothing that is sent opens with the attacker's keys, and nothing of theirs is shown as somebody else's.
 */
import { fromBase64, isZero, toBase64, utf8 } from '/crypto/bytes.js'
import { boxKey, sealSecretbox } from '/crypto/boxes.js'
import { agree, sign, signingOf } from '/crypto/curves.js'
import { certifiedPart, keyIDOf } from '/crypto/names.js'
import { ClientError } from '/client/errors.js'
import { same, test } from './harness.js'
import { Device, TIME, conversation, until, world } from './world.js'

/** Mallory's devices under names of others, and what is listed honestly. */
async function attack() {
    const state = await world()
    const { alice, account } = state
    const mallory = await signingOf(crypto.getRandomValues(new Uint8Array(32)))
    const [ghost, claimed, phone, claimedPhone, own, ownClaimed, malloryPhone] = await Promise.all([
        Device.make('bob', 'ghost', null), Device.make('bob', 'ghost', mallory), Device.make('bob', 'phone', null),
        Device.make('bob', 'phone', mallory), Device.make(alice, 'ghost', null), Device.make(alice, 'ghost', mallory),
        Device.make('mallory', 'phone', mallory),
    ])
    const honest = /** @type {any} */ (state.bob.listed)
    const stolen = /** @type {any} */ (await Device.make('bob', 'phone', null))
    const half = /** @type {any} */ (fromBase64(honest.certificate)).slice(0, 32)
    const decoys = await Promise.all(Array.from({ length: 128 },
        (_, index) => Device.make('bob', `decoy-${index}`, null)))
    const earlier = '2025-01-15T09:30:00.000Z'
    const older = certifiedPart(stolen.address, stolen.identity.publicKey, stolen.signing.publicKey,
        Date.parse(earlier))
    const genuine = certifiedPart(
        { user: 'bob', device: 'ghost' }, /** @type {any} */ (ghost).identity.publicKey,
        /** @type {any} */ (ghost).signing.publicKey,
        Date.parse(TIME))
    const damaged = await sign(account.privateKey, genuine)
    damaged[0] ^= 1
    /** @param {any} device @param {any} more */
    const listed = (device, more = {}) => ({ ...device.listed, ...more })
    const byAccount = toBase64(account.publicKey)
    const itself = await sign(/** @type {any} */ (ghost).signing.privateKey, genuine)
    const under = (/** @type {any} */ certificate) => listed(ghost, { certificate, issued_at: TIME })
    /** The answers of keys/get about Bob, one after the other; the last stays. @type {Record<string, any[]>} */
    const told = {
        ghost: [[byAccount, honest, listed(ghost)]],
        ghostCertifiedByAnotherAccount: [[byAccount, honest, listed(claimed)]],
        ghostUnderCertificateOfAnotherUser: [[byAccount, honest,
            under(/** @type {any} */ (malloryPhone).listed.certificate)]],
        ghostUnderCertificateOfAnotherDevice: [[byAccount, honest, under(honest.certificate)]],
        ghostCertifiedByItself: [[byAccount, honest, under(toBase64(itself))]],
        ghostUnderTruncatedCertificate: [[byAccount, honest, under(toBase64(half))]],
        ghostUnderDamagedCertificate: [[byAccount, honest, under(toBase64(damaged))]],
        otherIdentity: [[byAccount, listed(phone)]],
        otherIdentityUnderOldCertificate: [[byAccount, listed(phone,
            { certificate: honest.certificate, issued_at: TIME })]],
        otherIdentityCertifiedByAnotherAccount: [[byAccount, listed(claimedPhone)]],
        olderKeysUnderOlderCertificate: [[byAccount, listed(stolen, {
            certificate: toBase64(await sign(account.privateKey, older)), issued_at: earlier,
        })]],
        otherAccount: [[toBase64(mallory.publicKey), listed(claimedPhone)]],
        accountGone: [[null, listed(phone)]],
        accountGoneWithGhost: [[null, { ...honest, certificate: null, issued_at: null }, listed(ghost)]],
        accountMalformed: [[toBase64(Uint8Array.of(1, ...new Uint8Array(31))), listed(phone)]],
        removedThenOtherIdentity: [[byAccount], [byAccount, listed(phone)]],
        decoysThenOtherIdentity: [
            [byAccount, ...decoys.map((each) => listed(each))], [byAccount], [byAccount, listed(phone)],
        ],
        keysOfAnotherUser: [['mallory', toBase64(mallory.publicKey), listed(malloryPhone)]],
    }
    const foes = [ghost, claimed, phone, claimedPhone, own, ownClaimed, malloryPhone, stolen]
    const keys = new Set(foes.map((each) => toBase64(keyIDOf(/** @type {any} */ (each).identity.publicKey))))
    return { ...state, mallory, told, keys, ghost, claimed, phone, own, ownClaimed, malloryPhone, listed }
}

/** @param {Awaited<ReturnType<typeof attack>>} state @param {string} name */
function tell({ answers, alice, told }, name) {
    const listings = told[name].map((each) => (name === 'keysOfAnotherUser' ? each : ['bob', ...each]))
    const honest = answers['keys/get']
    answers['keys/get'] = (fields) => {
        if (fields.user_id === alice) return honest(fields)
        const [user, account, ...devices] = listings.length > 1 ? listings.shift() : listings[0]
        return { user_id: user, account_key: account, devices }
    }
}

/** Sends three messages, with the keys asked for anew before each. @param {Awaited<ReturnType<typeof attack>>} state */
async function sends({ client, answers, asked, direct, keys }) {
    answers['messages/send'] = () => ({})
    const ids = []
    for (let count = 0; count < 3; count++) {
        client.exchange.markStale('bob')
        ids.push(await client.messages.sendText(direct, `secret ${count}`))
        await until(async () => (await client.messages.get(ids[count]))?.status !== 'queued'
            && !client.outbox.isFlushing)
    }
    const sent = asked.filter(({ operation }) => operation === 'messages/send').map(({ fields }) => fields)
    for (const { recipient_keys: named, recipient_key_id: single } of sent) {
        same(keys.has(single), false, 'sealed for the attacker alone')
        for (const { key_id: id, encrypted_key: key } of named ?? []) {
            if (keys.has(id)) same(isZero(/** @type {any} */ (fromBase64(key))), true, 'sealed for the attacker, too')
        }
    }
    return Promise.all(ids.map(async (id) => (await client.messages.get(id))?.status))
}

const GHOSTS = [
    'ghost', 'ghostCertifiedByAnotherAccount', 'ghostUnderCertificateOfAnotherUser',
    'ghostUnderCertificateOfAnotherDevice',
    'ghostCertifiedByItself', 'ghostUnderDamagedCertificate',
]

test('of false listings nothing is believed between two messages', async () => {
    for (const name of Object.keys((await attack()).told)) {
        const state = await attack()
        await state.begin()
        tell(state, name)
        const statuses = await sends(state)
        // The true phone still gets what is sent, where it is listed.
        if (GHOSTS.includes(name)) same(statuses, ['sent', 'sent', 'sent'], name)
    }
})

test('of a device more nothing is believed before the first message', async () => {
    for (const name of [...GHOSTS, 'ghostUnderTruncatedCertificate', 'keysOfAnotherUser']) {
        const state = await attack()
        await state.merge(conversation(state.direct, 'direct', [state.alice, 'bob']))
        await state.client.logs.update(state.direct, (log) => ({ ...log, epoch: 'e', holdsStart: true }))
        tell(state, name)
        const statuses = await sends(state)
        if (GHOSTS.includes(name)) same(statuses, ['sent', 'sent', 'sent'], name)
    }
})

test('of false devices of one\'s own, and of another account of one\'s own, nothing is believed', async () => {
    for (const name of ['ownGhost', 'ownGhostCertifiedByAnotherAccount', 'ownAccountClaimed']) {
        const state = await attack()
        const { answers, client, context, alice, mallory, own, ownClaimed, listed } = state
        await state.begin()
        answers['keys/publish'] = () => ({})
        await client.exchange.publish()
        const honest = answers['keys/get']
        const account = toBase64(name === 'ownAccountClaimed' ? mallory.publicKey
            : /** @type {any} */ (context.keys.account))
        const device = listed(name === 'ownGhost' ? own : ownClaimed)
        answers['keys/get'] = (fields) => (
            fields.user_id === alice ? { user_id: alice, account_key: account, devices: [device] } : honest(fields))
        client.exchange.markStale(alice)
        await sends(state)
        answers['devices/list'] = () => ({ devices: [{ device_id: 'ghost', has_keys: true, is_certified: true,
            expires_at: TIME }] })
        same((await client.devices.all()).map(({ isCertified }) => isCertified), [false], name)
    }
})

test('what stale_devices names is sealed for only if it is certified, and not for ever', async () => {
    for (const name of ['namesStranger', 'leavesOutHonest']) {
        const state = await attack()
        await state.begin()
        state.told[name] = [name === 'leavesOutHonest' ? [state.told.ghost[0][0], state.listed(state.ghost)]
            : state.told.ghost[0]]
        tell(state, name)
        let refusals = 0

        const { client, answers, asked, direct, keys, faults } = state
        answers['messages/send'] = () => {
            refusals++
            const missing = [{ user_id: 'mallory', device_id: 'phone' }]
            throw new ClientError('stale_devices', undefined, { details: { missing, extra: [] } })
        }
        client.exchange.markStale('bob')
        await client.messages.sendText(direct, 'secret')
        await until(async () => faults.includes('other_devices')
            || client.outbox.items.some(({ state: now }) => now === 'failed'))
        same(refusals <= 6, true, `${name} asks ${refusals} times`)
        const named = asked.filter(({ operation }) => operation === 'messages/send')
            .flatMap(({ fields }) => fields.recipient_keys ?? [])
        const isOpenTo = (/** @type {any} */ each) => !isZero(/** @type {any} */ (fromBase64(each.encrypted_key)))
        same(named.filter((each) => keys.has(each.key_id) && isOpenTo(each)), [], name)
        same(named.some(({ user_id: user }) => user === 'mallory'), false, name)
    }
})

test('what somebody else has written is not shown as another\'s', async () => {
    const state = await attack()
    const { begin, client, direct, record, errors, alice, malloryPhone, ghost, own, context, bob } = state
    await begin()
    tell(state, 'ghost')
    client.exchange.markStale('bob')
    await client.exchange.fetch('bob')
    /** @param {number} seq @param {any} device @param {any} fields */
    const by = async (seq, device, fields) => {
        const cipher = bob.cipher
        bob.cipher = device.cipher
        const made = await record(seq, fields, { sender: { user: fields.sender_id ?? 'bob',
            device: fields.sender_device_id ?? 'phone' } })
        bob.cipher = cipher
        return made
    }
    const shared = await agree(/** @type {any} */ (malloryPhone).identity.privateKey, context.keys.identityKey)
    const nonce = new Uint8Array(24)
    const old = {
        suite: 'legacy-nacl-box', nonce: toBase64(nonce),
        encrypted_content: toBase64(sealSecretbox(utf8('in somebody else\'s name'), nonce, boxKey(shared))),
    }
    const records = [
        await by(1, malloryPhone, {}), await by(2, ghost, { sender_device_id: 'ghost' }),
        await by(3, own, { sender_id: alice, sender_device_id: 'ghost' }), await record(4, old),
    ]
    same(await client.delivery.keep(direct, 'e', records), true)
    same(await errors(), ['not_authentic', 'sender_not_certified', 'sender_keys_unknown', 'not_authentic'])
})
