// @ts-check
/** The lies of Tests/Adversaries/LyingGateway in what is pushed, by their names there, told to the opener of pushes. */
import { toBase64, utf8 } from '/crypto/bytes.js'
import { boxKey, sealSecretbox } from '/crypto/boxes.js'
import { agree } from '/crypto/curves.js'
import { dropDevice, keepDevice } from '/client/database.js'
import { openPush } from '/client/push-opener.js'
import { same, test } from './harness.js'
import { Device, GROUP, SUITE, TIME, uuid, world } from './world.js'

const WORDS = 'from bob'

test('what is pushed shows words only where they are of whom and where they say', async () => {
    const { alice, bob, direct, begin, context, record, client } = await world()
    await begin()
    await keepDevice({ ...context.address, email: null })
    const ghost = await Device.make('bob', 'ghost', null)
    const mallory = await Device.make('mallory', 'phone', null)
    /** @param {any} device @param {any} [more] @param {any} [sealedAs] @param {number} [seq] */
    const message = async (device, more = {}, sealedAs = {}, seq = 5) => {
        const header = {
            suite: SUITE, conversation: direct, id: uuid(), sender: { user: 'bob', device: 'phone' }, type: 'text',
            replyTo: null,
            kind: 'message', target: null, expiresIn: null, ...sealedAs,
        }
        const sealed = await device.cipher.seal(utf8(`{"text":"${WORDS}"}`), header, { key: context.keys.identityKey })
        return {
            id: header.id, conversation_id: direct, epoch: 'e', seq, kind: 'message', target_id: null, sender_id: 'bob',
            sender_device_id: 'phone', message_type: 'text', suite: SUITE, encrypted_content: toBase64(sealed.content),
            nonce: toBase64(sealed.nonce), recipient_keys: null, reply_to: null, expires_at: null, created_at: TIME,
            ...more,
        }
    }
    /** @param {any} pushed @param {any} [more] */
    const shown = async (pushed, more = {}) => {
        const { title, body } = await openPush(JSON.stringify({
            id: uuid(), type: 'message', user_id: alice, device_id: 'web', conversation_id: direct, epoch: 'e', seq: 5,
            badge: 1,
            badge_at: TIME, expires_at: '2099-01-15T09:30:00.000Z', message: pushed, ...more,
        }))
        return [title, body]
    }
    const [nonce, generic] = [new Uint8Array(24), ['Parley', 'A message has come']]
    const shared = await agree(/** @type {any} */ (mallory.identity).privateKey, context.keys.identityKey)
    const old = sealSecretbox(utf8('in somebody else\'s name'), nonce, boxKey(shared))
    same(await shown(await message(bob)), ['bob', WORDS])
    /** @type {[string, any, any?][]} */
    const lies = [
        ['push.pushedUnderAnothersName', await message(mallory)],
        ['push.ghostPushed', await message(ghost, { sender_device_id: 'ghost' },
            { sender: { user: 'bob', device: 'ghost' } })],
        ['push.pushedElsewhere', await message(bob, {}, { conversation: GROUP })],
        ['push.pushedElsewhere', await message(bob, { conversation_id: GROUP }, { conversation: GROUP })],
        ['push.pushedAsAnother', await message(bob, { id: uuid() })],
        ['push.pushedAsAnother', await message(bob, { message_type: 'file' })],
        ['push.pushedAsAnother', await message(bob), { seq: 6 }],
        ['push.oldAppPushed', await message(bob, { suite: 'legacy-nacl-box', encrypted_content: toBase64(old),
            nonce: toBase64(nonce) })],
    ]
    for (const [name, pushed, more] of lies) same(await shown(pushed, more), generic, name)
    // What the other's old app has written at another time says that it proves little.
    const words = sealSecretbox(utf8('{"text":"once"}'), nonce, boxKey(
        await agree(/** @type {any} */ (bob.identity).privateKey, context.keys.identityKey)))
    same(await shown(await message(bob, { suite: 'legacy-nacl-box', encrypted_content: toBase64(words),
        nonce: toBase64(nonce) })), ['bob', '(old app: not bound to this conversation) once'])
    // What is kept counts, whatever is pushed as the same message.
    const kept = await record(1)
    same(await client.delivery.keep(direct, 'e', [kept]), true)
    same(await shown({ ...await message(mallory, { id: kept.id, seq: 1 }) }, { seq: 1 }), ['bob', WORDS])
    // Of another user, and of nobody who has a device here, nothing is shown.
    same(await shown(await message(bob), { user_id: 'mallory' }), [null, ''])
    await dropDevice(context.address)
    same(await shown(await message(bob)), [null, ''])
})
