// @ts-check
/**
 * Lies about what a conversation is and who is in it, who has written, and what events say of devices, by the names of
 * Tests/Adversaries/LyingGateway. What the list of conversations says there `sync/get` says here: the page asks for no
 * other list.
 */
import { toBase64 } from '/crypto/bytes.js'
import { sign } from '/crypto/curves.js'
import { certifiedPart } from '/crypto/names.js'
import { sealed, sealedAsOldApp } from './sealing.js'
import { TIME, uuid } from './world.js'

/**
 * @typedef {import('./gateway.js').Gateway} Gateway
 * @typedef {import('./gateway.js').Thread} Thread
 * @typedef {{id: string, type: string, members: string[], updatedAt: number}} Told
 * @typedef {(gateway: Gateway, told: Told) => Told} Change
 */

const EVERYWHERE = ['sync', 'get', 'create', 'update', 'created']

/** @type {Change} */
const third = (_, told) => ({ ...told, members: [...told.members, 'mallory'] })
/** @type {Change} */
const swapped = ({ alice }, told) => ({ ...told, members: [alice, 'mallory'] })
/** @type {Change} */
const asGroup = (_, told) => ({ ...told, type: 'group', members: [...told.members, 'mallory'] })
/** The true conversation with Mallory. @type {Change} */
const another = ({ alice, otherID }, told) => ({ ...told, id: otherID, members: [alice, 'mallory'] })

/** What is told of a conversation with Bob, and where. @type {Record<string, {places: string[], told: Change}>} */
export const OBJECTS = Object.fromEntries(/** @type {[string, string[], Change][]} */ ([
    ['conversation.thirdInList', ['sync'], third], ['conversation.thirdInSync', ['sync'], third],
    ['conversation.thirdOnGet', ['get'], third], ['conversation.thirdOnCreate', ['create'], third],
    ['conversation.thirdInUpdate', ['update'], third], ['conversation.thirdInCreated', ['created'], third],
    ['conversation.thirdAfterRefusal', ['get'], third],
    ['conversation.thirdInUnknownType', EVERYWHERE, (gateway, told) => ({ ...third(gateway, told), type: 'channel' })],
    ['conversation.userLeftOut', EVERYWHERE, ({ alice }, told) => ({
        ...told, members: [...told.members.filter((user) => user !== alice), 'mallory'],
    })],
    ['conversation.swappedUnderRandomID', ['create'], (gateway, told) => (
        { ...swapped(gateway, told), id: gateway.falseID })],
    ['conversation.swappedUnderTrueID', ['create'], swapped], ['conversation.swappedInList', ['sync'], swapped],
    ['conversation.swappedInUpdate', ['update'], swapped], ['conversation.anotherOnCreate', ['create'], another],
    ['conversation.anotherOnGet', ['get'], another], ['conversation.directAsGroup', ['update'], asGroup],
    ['conversation.directAsGroupInList', ['sync'], asGroup],
    ['conversation.groupAsDirect', ['update'], (gateway, told) => ({ ...swapped(gateway, told), type: 'direct' })],
    ['conversation.strangerInNewGroup', ['create'], third], ['conversation.strangerInNewGroupOnGet', ['get'], third],
    ['conversation.newGroupUnderAnotherID', ['create'], (gateway, told) => (
        { ...third(gateway, told), id: gateway.falseID })],
    ['conversation.strangerJoinsGroup', ['update'], third],
]).map(([name, places, told]) => [name, { places, told }]))

/** @typedef {(gateway: Gateway) => Promise<[string, any][]>|[string, any][]} Events what is published at once */

/** @param {(gateway: Gateway) => Promise<Thread>|Thread|undefined} find @returns {Events} */
const updated = (find) => async (gateway) => {
    const thread = await find(gateway)
    return thread ? [['conversation.updated', gateway.object(thread, 'update')]] : []
}
/** @param {Gateway} gateway */
const direct = (gateway) => gateway.directWith()
/** @param {Gateway} gateway */
const group = ({ threads }) => [...threads.values()].find(({ type }) => type === 'group')

/** @param {(gateway: Gateway, thread: Thread) => Promise<any>} make @returns {Events} */
const written = (make) => async (gateway) => {
    const thread = await gateway.directWith()
    return [['message.new', gateway.append(await make(gateway, thread), thread)]]
}
const PHONE = { user: 'bob', device: 'phone' }
/** @param {Gateway} gateway */
const honest = ({ people }) => people.get('bob').phone

/** @type {Record<string, Events>} */
export const EVENTS = {
    'conversation.thirdInUpdate': updated(direct), 'conversation.swappedInUpdate': updated(direct),
    'conversation.directAsGroup': updated(direct), 'conversation.groupAsDirect': updated(group),
    'conversation.strangerJoinsGroup': updated(group),
    'conversation.thirdInCreated': async (gateway) => (
        [['conversation.created', gateway.object(await gateway.directWith(), 'created')]]),
    'event.keysChanged': () => [['keys.changed', { user_id: 'bob' }]],
    'event.deviceRevoked': () => [['device.revoked', { user_id: 'bob', device_id: 'phone', at: TIME }]],
    'event.deviceAdded': ({ alice }) => [['device.added', { user_id: alice, device_id: 'ghost', at: TIME }]],
    'event.linkOffered': ({ attacker }) => [['link.offered', {
        device_id: 'ghost', expires_at: '2099-01-15T09:30:00.000Z', identity_key: attacker.identity.listed.identity_key,
        signing_key: attacker.identity.listed.signing_key, link_key: attacker.identity.listed.identity_key,
    }]],
    'event.linkApproved': async ({ alice, attacker, context }) => {
        const { identityKey, signingKey } = context.keys
        const part = certifiedPart({ user: alice, device: 'web' }, identityKey, signingKey, Date.parse(TIME))
        return [['link.approved', {
            device_id: 'web', certificate: toBase64(await sign(attacker.account.privateKey, part)), issued_at: TIME,
            sealed: toBase64(new Uint8Array(80).fill(7)),
        }]]
    },
    'sender.anothersName': written((gateway, thread) => sealed(gateway, gateway.attacker.identity, PHONE, thread)),
    'sender.ghostSpeaks': written((gateway, thread) => (
        sealed(gateway, gateway.attacker.identity, { user: 'bob', device: 'ghost' }, thread))),
    'sender.ownGhostSpeaks': written((gateway, thread) => (
        sealed(gateway, gateway.attacker.identity, { user: gateway.alice, device: 'ghost' }, thread))),
    'sender.movedToAnother': written((gateway, thread) => (
        sealed(gateway, honest(gateway), PHONE, thread, { sealedIn: uuid() }))),
    'sender.oldAppUnderAnothersName': written((gateway, thread) => (
        sealedAsOldApp(gateway, gateway.attacker.identity, PHONE, thread))),
    'sender.oldAppRepeated': written((gateway, thread) => sealedAsOldApp(gateway, honest(gateway), PHONE, thread)),
    'sender.oldAppReflected': written((gateway, thread) => (
        sealedAsOldApp(gateway, honest(gateway), { user: gateway.alice, device: 'web' }, thread))),
    'sender.oldAppInGroup': async (gateway) => {
        const thread = group(gateway)
        if (!thread) return []
        const record = await sealedAsOldApp(gateway, honest(gateway), PHONE, thread)
        return [['message.new', gateway.append(record, thread)]]
    },
    'sender.oldAppAsEdit': async (gateway) => {
        const thread = await gateway.directWith()
        const bound = gateway.append(await sealed(gateway, honest(gateway), PHONE, thread, { text: 'bound' }), thread)
        const edit = await sealedAsOldApp(gateway, honest(gateway), PHONE, thread,
            { kind: 'edit', target_id: bound.id })
        return [['message.new', bound], ['message.edited', gateway.append(edit, thread)]]
    },
}
