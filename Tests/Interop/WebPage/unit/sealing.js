// @ts-check
/** Records of others' messages for Alice, as a gateway would have them in a log. */
import { toBase64, utf8 } from '/crypto/bytes.js'
import { boxKey, sealSecretbox } from '/crypto/boxes.js'
import { agree } from '/crypto/curves.js'
import { SUITE, uuid } from './world.js'

/** What the attacker writes. */
export const WORDS = 'in somebody else\'s name'

/** @typedef {{user: string, device: string}} Address */

/** @param {import('./gateway.js').Thread} thread @param {Address} sender @param {string} time @param {any} fields */
export function recordOf(thread, sender, time, fields) {
    const { recipient_keys: keys = null, reply_to: replyTo = null, ...others } = fields
    return {
        id: uuid(), conversation_id: thread.id, epoch: 'e', seq: thread.records.length + 1, kind: 'message',
        target_id: null, sender_id: sender.user, sender_device_id: sender.device, message_type: 'text',
        suite: SUITE, recipient_keys: keys, reply_to: replyTo, expires_at: null, created_at: time, ...others,
    }
}

/**
 * A text, as the next record of a log.
 *
 * @param {import('./gateway.js').Gateway} gateway
 * @param {any} device whose keys it is sealed by
 * @param {Address} sender who is said to have written it
 * @param {import('./gateway.js').Thread} thread
 * @param {{text?: string, sealedIn?: string}} [options] `sealedIn` is the conversation that the header names
 */
export async function sealed(gateway, device, sender, thread, { text = WORDS, sealedIn = thread.id } = {}) {
    const header = {
        suite: SUITE, conversation: sealedIn, id: uuid(), sender, type: 'text', replyTo: null, kind: 'message',
        target: null, expiresIn: null,
    }
    const { content, nonce } = await device.cipher.seal(utf8(JSON.stringify({ text })), header,
        { key: gateway.context.keys.identityKey })
    return recordOf(thread, sender, gateway.tick(), {
        id: header.id, encrypted_content: toBase64(content), nonce: toBase64(nonce),
    })
}

/**
 * The same in the form of old apps.
 *
 * @param {import('./gateway.js').Gateway} gateway
 * @param {any} device
 * @param {Address} sender
 * @param {import('./gateway.js').Thread} thread
 * @param {any} [more]
 */
export async function sealedAsOldApp(gateway, device, sender, thread, more = {}) {
    const nonce = crypto.getRandomValues(new Uint8Array(24))
    const shared = await agree(device.identity.privateKey, gateway.context.keys.identityKey)
    return recordOf(thread, sender, gateway.tick(), {
        suite: 'legacy-nacl-box', nonce: toBase64(nonce),
        encrypted_content: toBase64(sealSecretbox(utf8(JSON.stringify({ text: WORDS })), nonce, boxKey(shared))),
        ...more,
    })
}
