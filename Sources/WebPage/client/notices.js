// @ts-check
/** What has changed between two states of a user's keys, as the person is told it. Each is told once. */

import { equal } from '../crypto/bytes.js'
import { compareIDs } from './listing.js'
import { appearedAccount, holdOf, isPinned, statusesOf } from './peer.js'

/**
 * @typedef {import('./peer.js').Peer} Peer
 * @typedef {import('./peer.js').Status} Status
 * @typedef {import('./types.js').KeyNotice} KeyNotice
 */

/** @type {Record<import('./listing.js').Fault, string>} */
const FAULTS = {
    weak_key: 'its key protects nothing',
    bad_signature: 'its key is not signed by the device that published it',
    listed_twice: 'it is listed twice, with different keys',
    uncertified: 'the account key has not certified it',
    outdated: 'the account key has certified later keys of it',
    too_many_devices: 'its user has had too many devices',
}

const WARNINGS = new Set([
    'device-held', 'account-changed', 'account-gone', 'device-ignored', 'own-device-not-linked', 'own-account-refused',
])
const ASKING = new Set(['device-held', 'account-changed', 'account-gone', 'account-appeared'])

/**
 * @param {string} kind
 * @param {string} user
 * @param {string|null} device
 * @param {string} text
 * @returns {KeyNotice}
 */
export const notice = (kind, user, device, text) =>
    Object.freeze({ kind, user, device, text, isWarning: WARNINGS.has(kind), asksToAccept: ASKING.has(kind) })

/**
 * @param {Peer|null} before null for an unknown user
 * @param {Peer} after
 * @param {string} user
 * @param {boolean} isOwn whether it is the user of this device
 * @returns {KeyNotice[]} first the user's own, then the devices' in order
 */
export function noticesBetween(before, after, user, isOwn) {
    if (after.listing === null) return []
    const old = before ?? { anchor: null, isVerified: false, pins: [], listing: null }
    const isFirst = !isPinned(old)
    const wasAccepted = !isFirst && old.listing !== null && (!isSame(old.anchor, after.anchor)
        || (after.anchor === null && statusesOf(old).some(({ device, state, key }) => (
            state === 'held' && after.pins.some((pin) => pin.device === device && equal(pin.key, key))))))
    const compared = after.isVerified ? ', which you had compared,' : ''
    /** @type {KeyNotice[]} */
    const notices = []
    const tell = (/** @type {string} */ kind, /** @type {string} */ text) =>
        notices.push(notice(kind, user, null, text))
    if (isFirst && isPinned(after) && !isOwn) {
        tell('met', `${user} is new to this device; only comparing the safety number shows whether the keys are `
            + 'theirs, or the gateway\'s own')
    }
    if (wasAccepted) tell('accepted', `the keys of ${user} were accepted`)
    if (after.isVerified && (!old.isVerified || !isSame(old.anchor, after.anchor))) {
        tell('verified', `the account key of ${user} was compared, and is verified`)
    }
    const hold = holdOf(after)
    if (hold !== null && (hold !== holdOf(old) || !isSame(old.listing?.account ?? null, after.listing.account))) {
        if (isOwn) {
            tell('own-account-refused', 'WARNING: the gateway does not list the account key by which this device knows '
                + `${user}, which is you; if you have not made a new one, somebody pretends to be you`)
        } else if (hold === 'other-account') {
            tell('account-changed', `the account key of ${user}${compared} has changed, and was not accepted`)
        } else {
            tell('account-gone', `the account key of ${user}${compared} is gone, which was not accepted`)
        }
    }
    const account = appearedAccount(after)
    if (account !== null && !isSame(account, appearedAccount(old))) {
        tell('account-appeared',
            `${user} has an account key now; until it is accepted the devices that are known go on`)
    }
    return [...notices, ...deviceNotices(old, after, user, isOwn, isFirst, wasAccepted)]
}

/** @param {Uint8Array|null} one @param {Uint8Array|null} other */
const isSame = (one, other) => (one === null || other === null ? one === other : equal(one, other))

/**
 * @param {Peer} old
 * @param {Peer} after
 * @param {string} user
 * @param {boolean} isOwn
 * @param {boolean} isFirst
 * @param {boolean} wasAccepted
 */
function deviceNotices(old, after, user, isOwn, isFirst, wasAccepted) {
    const olds = new Map(statusesOf(old).map((status) => [status.device, status]))
    const news = new Map(statusesOf(after).map((status) => [status.device, status]))
    /** @type {KeyNotice[]} */
    const notices = []
    for (const device of [...new Set([...olds.keys(), ...news.keys()])].sort(compareIDs)) {
        const [one, other] = [olds.get(device), news.get(device)]
        const isSameState = one?.state === other?.state && one?.fault === other?.fault
        if (one && other && isSameState && equal(one.key, other.key)) continue
        const name = `${user}/${device}`
        const tell = (/** @type {string} */ kind, /** @type {string} */ text) =>
            notices.push(notice(kind, user, device, text))
        const notLinked = () => tell('own-device-not-linked', `WARNING: ${name} is listed as a device of your own, and `
            + 'none of your devices has linked it; it gets nothing. If it is not yours, somebody pretends to be you')
        const pin = old.pins.find((entry) => entry.device === device)
        if (other === undefined) {
            if (one?.state === 'recipient') {
                tell('device-removed', `the device ${name} was removed, and gets nothing that is sent from now on`)
            }
        } else if (other.state === 'recipient') {
            // The first devices are part of meeting the user; the user's own are told all the same.
            if (wasAccepted || (isFirst && !isOwn)) continue
            if (pin && !equal(pin.key, other.key)) {
                tell('device-renewed', `the device ${name} has new keys, which the account key of ${user} certifies`)
            } else if (!pin || one?.state !== 'held') {
                tell('device-added', `the device ${name} was added, and gets what is sent from now on`)
            }
        } else if (other.state === 'held') {
            if (holdOf(after) !== null) continue
            const isNew = !after.pins.some((entry) => entry.device === device)
            if (isOwn && isNew) notLinked()
            else if (isNew) tell('device-held', `the device ${name} is new, and gets nothing until it is accepted`)
            else tell('device-held', `the key of ${name} has changed, and was not accepted`)
        } else if (isOwn && other.fault === 'uncertified') {
            notLinked()
        } else if (other.fault !== null) {
            tell('device-ignored', `the device ${name} gets nothing: ${FAULTS[other.fault]}`)
        }
    }
    return notices
}
