// @ts-check
/** Seals drafts for the devices of a conversation, with the keys that are known now. */

import { toBase64, utf8 } from '../crypto/bytes.js'
import { LEFT_OUT_KEY, MOST_RECIPIENTS } from '../crypto/cipher.js'
import { keyIDOf } from '../crypto/names.js'
import { DIRECT_SUITE, GROUP_SUITE } from '../crypto/suites.js'
import { OpeningError } from '../crypto/opening-error.js'
import { ClientError } from './errors.js'

/**
 * @typedef {object} Draft
 * @property {string} id
 * @property {string} conversation
 * @property {'message'|'edit'|'delete'|'reaction'} kind
 * @property {string} type of the message
 * @property {string} content JSON; empty for a deletion
 * @property {string|null} target
 * @property {string|null} replyTo
 * @property {number|null} expiresIn
 * @property {string[]} blobs
 * @property {number} writtenAt
 * @property {'request'|'answer'|null} resending what the client sends by itself (resending.js)
 * @property {string[]|null} onlyFor the users whom an answer is sealed for
 */

/**
 * The fields of a request that hold what was sealed.
 *
 * @param {import('../crypto/cipher.js').MessageCipher} cipher
 * @param {{user: string, device: string}} sender
 * @param {Draft} draft
 * @param {boolean} isDirect
 * @param {import('./key-book.js').Recipients} recipients
 */
export async function sealedFields(cipher, sender, draft, isDirect, { sealed: devices, leftOut }) {
    if (devices.length + leftOut.length > MOST_RECIPIENTS) throw new ClientError('too_many_devices')
    const suite = isDirect ? DIRECT_SUITE : GROUP_SUITE
    const header = {
        suite, conversation: draft.conversation, id: draft.id, sender, type: draft.type,
        replyTo: draft.replyTo, kind: draft.kind, target: draft.target, expiresIn: draft.expiresIn,
    }
    const single = isDirect && leftOut.length === 0 && devices.length === 1 ? devices[0] : null
    let sealed
    try {
        sealed = await cipher.seal(utf8(draft.content), header, single ?? devices)
    } catch (error) {
        if (!(error instanceof OpeningError)) throw error
        throw new ClientError(error.code === 'weak_key' ? 'weak_recipient_key' : 'too_long')
    }
    const named = (sealed.keys ?? []).map(({ user, device, key }, index) => ({
        user_id: user, device_id: device, encrypted_key: toBase64(key),
        key_id: toBase64(keyIDOf(devices[index].key)),
    }))
    const absent = leftOut.map(({ user, device, keyID }) => ({
        user_id: user, device_id: device, encrypted_key: toBase64(LEFT_OUT_KEY), key_id: toBase64(keyID),
    }))
    return {
        suite, encrypted_content: toBase64(sealed.content), nonce: toBase64(sealed.nonce),
        ...(single ? { recipient_key_id: toBase64(keyIDOf(single.key)) } : { recipient_keys: [...named, ...absent] }),
        ...(draft.kind === 'message' ? { message_type: draft.type } : {}),
        ...(draft.replyTo === null ? {} : { reply_to: draft.replyTo }),
        ...(draft.expiresIn === null ? {} : { expires_in: draft.expiresIn }),
        ...(draft.blobs.length === 0 ? {} : { blobs: draft.blobs }),
    }
}

/**
 * Members who joined later were no recipients.
 *
 * @param {import('./key-book.js').Recipients} recipients
 * @param {string[]|null} users
 * @returns {import('./key-book.js').Recipients}
 */
export function only(recipients, users) {
    if (users === null) return recipients
    const isMeant = (/** @type {{user: string}} */ { user }) => users.includes(user)
    const others = recipients.sealed.filter((device) => !isMeant(device))
        .map(({ user, device, key }) => ({ user, device, keyID: keyIDOf(key) }))
    return { sealed: recipients.sealed.filter(isMeant), leftOut: [...recipients.leftOut, ...others] }
}
