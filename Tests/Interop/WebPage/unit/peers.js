// @ts-check
/** Whom a device seals for: each case of docs/decisions/0040-whom-a-client-seals-for.md. */
import { generateIdentity, generateSigning, sign, signingOf } from '/crypto/curves.js'
import { certifiedPart, signedPart } from '/crypto/names.js'
import { judged } from '/client/listing.js'
import { noticesBetween } from '/client/notices.js'
import * as peers from '/client/peer.js'
import { same, test } from './harness.js'

const OWNER = { user: 'alice', device: 'web' }

/** @param {number} first */
const account = (first) => signingOf(Uint8Array.from({ length: 32 }, (_, index) => first + index))

/**
 * @param {string} device
 * @param {{account?: any, at?: number, key?: Uint8Array, user?: string, spoil?: 'signature'|'certificate'}} [options]
 */
async function entry(device, { account, at = 1000, key, user = 'bob', spoil } = {}) {
    const identity = key ?? (await generateIdentity()).publicKey
    const signing = await generateSigning()
    const address = { user, device }
    const signature = await sign(signing.privateKey, signedPart(address, identity))
    const certificate = account
        ? await sign(account.privateKey, certifiedPart(address, identity, signing.publicKey, at)) : null
    if (spoil === 'signature') signature[0] ^= 1
    if (spoil === 'certificate' && certificate) certificate[0] ^= 1
    return { device, identity, signing: signing.publicKey, signature, certificate, issuedAt: account ? at : null }
}

/** @param {any} key @param {any[]} devices */
const list = (key, ...devices) => judged({ user: 'bob', account: key?.publicKey ?? null, devices }, OWNER)

/** @param {import('/client/peer.js').Peer} peer */
const states = (peer) => peers.statusesOf(peer).map(({ device, state, fault }) => `${device} ${fault ?? state}`)

/** @param {any} before @param {any} after @param {string} [user] */
const kinds = (before, after, user = 'bob') =>
    noticesBetween(before, after, user, user === OWNER.user).map(({ kind, device }) =>
        (device ? `${kind} ${device}` : kind))

test('the first listing pins the account key, and the devices that it certifies', async () => {
    const key = await account(1)
    const peer = peers.updated(peers.unknownPeer(), await list(
        key, await entry('phone', { account: key }), await entry('other', { account: await account(2) }),
        await entry('bare'), await entry('spoilt', { account: key, spoil: 'certificate' })))
    same(peer.anchor, key.publicKey)
    same(states(peer), ['bare uncertified', 'other uncertified', 'phone recipient', 'spoilt uncertified'])
    same(kinds(null, peer)[0], 'met')
    same(peers.isHeld(peer), false)
})

test('a device more counts if it is certified, and is ignored otherwise', async () => {
    const key = await account(1)
    const phone = await entry('phone', { account: key })
    const first = peers.updated(peers.unknownPeer(), await list(key, phone))
    const second = peers.updated(first, await list(key, phone, await entry('tablet', { account: key }),
        await entry('spy')))
    same(states(second), ['phone recipient', 'spy uncertified', 'tablet recipient'])
    same(kinds(first, second), ['device-ignored spy', 'device-added tablet'])
    same(kinds(second, second), [])
})

test('other keys of a device count with a later certificate alone', async () => {
    const key = await account(1)
    const phone = await entry('phone', { account: key, at: 2000 })
    const first = peers.updated(peers.unknownPeer(), await list(key, phone))
    for (const at of [1000, 2000]) {
        const old = peers.updated(first, await list(key, await entry('phone', { account: key, at })))
        same(states(old), ['phone outdated'])
        same(kinds(first, old), ['device-ignored phone'])
    }
    same(states(peers.updated(first, await list(key, await entry('phone')))), ['phone uncertified'])
    const later = peers.updated(first, await list(key, await entry('phone', { account: key, at: 2001 })))
    same(states(later), ['phone recipient'])
    same(kinds(first, later), ['device-renewed phone'])
    same(peers.knownKeys(later, 'phone').length, 2)
    // The earlier keys again: a stolen device that the gateway lists anew.
    same(states(peers.updated(later, await list(key, phone))), ['phone outdated'])
})

test('another account key, or none, holds the user until it is accepted', async () => {
    const [key, other] = await Promise.all([account(1), account(2)])
    const first = peers.verified(peers.updated(peers.unknownPeer(),
        await list(key, await entry('phone', { account: key }))))
    const changed = peers.updated(first, await list(other, await entry('phone', { account: other, at: 5000 })))
    same(states(changed), ['phone held'])
    same([peers.holdOf(changed), peers.isHeld(changed)], ['other-account', true])
    same(kinds(first, changed), ['account-changed'])
    same(peers.knownKeys(changed, 'phone').length, 1)
    const gone = peers.updated(first, await list(null, await entry('phone')))
    same([peers.holdOf(gone), kinds(first, gone)], ['no-account', ['account-gone']])
    const accepted = peers.accepted(changed)
    same(states(accepted), ['phone recipient'])
    same([accepted.isVerified, kinds(changed, accepted)], [false, ['accepted']])
    same(states(peers.updated(changed, first.listing ?? await list(null))), ['phone recipient'])
    same(peers.isHeld(peers.accepted(gone)), false)
})

test('of a user without an account key new devices and keys are held', async () => {
    const phone = await entry('phone')
    const first = peers.updated(peers.unknownPeer(), await list(null, phone))
    same(states(first), ['phone recipient'])
    const more = peers.updated(first, await list(null, phone, await entry('tablet')))
    same(states(more), ['phone recipient', 'tablet held'])
    same(kinds(first, more), ['device-held tablet'])
    same(states(peers.accepted(more)), ['phone recipient', 'tablet recipient'])
    same(states(peers.updated(first, await list(null, await entry('phone')))), ['phone held'])
    const key = await account(1)
    const appeared = peers.updated(first, await list(key, { ...await entry('phone',
        { account: key, key: phone.identity }) }))
    same(states(appeared), ['phone recipient'])
    same([peers.isHeld(appeared), peers.isPending(appeared), kinds(first, appeared)],
        [false, true, ['account-appeared']])
    same(peers.accepted(appeared).anchor, key.publicKey)
})

test('weak, wrongly signed and double keys are ignored', async () => {
    const twice = [await entry('twice'), await entry('twice')]
    const peer = peers.updated(peers.unknownPeer(), await list(
        null, await entry('weak', { key: new Uint8Array(32) }), await entry('signed', { spoil: 'signature' }), ...twice,
        await entry('good')))
    same(states(peer), ['good recipient', 'signed bad_signature', 'twice listed_twice', 'weak weak_key'])
    const key = await account(1)
    const certified = await entry('phone', { account: key, at: 5 })
    const both = await list(key, await entry('phone', { account: key, at: 4 }), certified)
    same(both.devices.map(({ certifiedAt }) => certifiedAt), [5])
})

test('an account key of small order is none', async () => {
    const listing = await judged({ user: 'bob', account: Uint8Array.of(1, ...new Uint8Array(31)), devices: [] }, OWNER)
    same(listing.account, null)
})

test('a removed device keeps its pin, and comes back only with the same keys or later ones', async () => {
    const key = await account(1)
    const phone = await entry('phone', { account: key })
    const first = peers.updated(peers.unknownPeer(), await list(key, phone))
    const removed = peers.updated(first, await list(key))
    same([states(removed), kinds(first, removed)], [[], ['device-removed phone']])
    same(peers.knownKeys(removed, 'phone').length, 1)
    same(kinds(removed, peers.updated(removed, await list(key, phone))), ['device-added phone'])
})

test('accepted is what was shown', async () => {
    const phone = await entry('phone')
    const first = peers.updated(peers.unknownPeer(), await list(null, phone))
    const shown = peers.shownOf(first)
    const more = peers.updated(first, await list(null, phone, await entry('tablet')))
    same(peers.isSameShown(shown, peers.shownOf(more)), false)
    same(peers.isSameShown(shown, peers.shownOf(peers.updated(more, await list(null, phone)))), true)
})

test('the own account key is certain, and a listing without it is refused', async () => {
    const [own, other] = await Promise.all([account(1), account(2)])
    const before = peers.adopted(peers.unknownPeer(), own.publicKey)
    const listed = peers.updated(before, await judged({
        user: 'alice', account: other.publicKey, devices: [await entry('phone', { account: other, user: 'alice' })],
    }, OWNER))
    same(states(listed), ['phone held'])
    same(kinds(before, listed, 'alice'), ['own-account-refused'])
    const spy = peers.updated(before, await judged({
        user: 'alice', account: own.publicKey, devices: [await entry('spy', { user: 'alice' }),
            await entry('web', { user: 'alice' })],
    }, OWNER))
    same(kinds(before, spy, 'alice'), ['own-device-not-linked spy'])
})
