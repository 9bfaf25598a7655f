// @ts-check
/** What went wrong, as a sentence for people. */
import { toast } from './parts.js'

/** By the codes of docs/protocol.md §4 and docs/encryption.md. */
const SENTENCES = new Map(Object.entries({
    unauthenticated: 'That is not right.',
    forbidden: 'You may not do that.',
    not_found: 'There is nothing like that.',
    conflict: 'Somebody was faster, or the name is taken.',
    blocked: 'You cannot write to this person.',
    request_limit: 'You can write again once they have answered.',
    rate_limited: 'Too fast. Try again in a moment.',
    too_large: 'That is too large.',
    unavailable: 'The service does not answer now. Try again soon.',
    internal: 'The service has failed. Try again soon.',
    stale_devices: 'Not sent: the service wants it sealed for devices that it does not list.',
    group_full: 'The group is full.',
    already_in_group: 'They are in the group already.',
    invite_invalid: 'The invitation is not valid any more.',
    week_closed: 'That week is over.',
    offline: 'There is no connection.',
    choose_again: 'The page was closed before all of it was sent. Choose the file again.',
    file_gone: 'Not sent: it waited for more than a day, and the file is gone. Send it again.',
    storage: 'This browser did not store it.',
    bad_request: 'Something in it is not as it must be.',
}))

/** Why a message cannot be shown. */
const OPENING = new Map(Object.entries({
    unknown_suite: 'Sealed by a newer version of Parley',
    not_for_this_device: 'From before this device was linked',
    left_out: 'The sender has not accepted the keys of this device yet',
    sender_keys_unknown: 'Waiting for the keys of the sender',
    sender_key_changed: 'The keys of the sender have changed; accept them to read this',
    sender_not_certified: 'From a device that the sender has not linked',
    not_authentic: 'Sealed for keys that this device does not have',
    bad_content: 'Written by a newer version of Parley',
    replayed: 'A message that was here before',
}))

/** @param {any} error */
export function describe(error) {
    const code = error?.code
    const text = typeof error?.message === 'string' ? error.message : ''
    const isPlain = code === 'unauthenticated' || !text || text === code
    if (isPlain) return SENTENCES.get(code) ?? (text || 'This did not work.')
    return text
}

/** @param {string|null} code */
export function describeUnopened(code) {
    return OPENING.get(code ?? '') ?? 'This message cannot be opened here'
}

/**
 * Runs what a button does, and says what went wrong.
 *
 * @template T
 * @param {() => Promise<T>} body
 * @returns {Promise<T|undefined>}
 */
export async function attempt(body) {
    try {
        return await body()
    } catch (error) {
        if (/** @type {any} */ (error)?.name !== 'AbortError') {
            if (!/** @type {any} */ (error)?.code) console.error(error)
            toast(describe(error), { isError: true })
        }
        return undefined
    }
}
