// @ts-check
/**
 * The pinned keys of one user, and the gateway's list of them: together they say which devices count
 * (docs/decisions/0040-whom-a-client-seals-for.md). Values without I/O.
 */

import { equal } from '../crypto/bytes.js'

/**
 * @typedef {import('./listing.js').Listing} Listing
 * @typedef {import('./listing.js').ListedDevice} ListedDevice
 * @typedef {import('./listing.js').Fault} Fault
 *
 * @typedef {object} Pin the trusted keys of a device
 * @property {string} device
 * @property {Uint8Array} key used while the device is listed with it
 * @property {Uint8Array[]} older newest first: they open old messages
 * @property {number|null} certifiedAt the latest certificate of `key` by the pinned account key
 *
 * @typedef {object} Peer
 * @property {Uint8Array|null} anchor the pinned account key; null where devices are pinned one by one
 * @property {boolean} isVerified whether the person has compared it
 * @property {Pin[]} pins every device that was ever trusted
 * @property {Listing|null} listing null where none came since the account key was pinned
 *
 * @typedef {{device: string, state: 'recipient'|'held'|'ignored', key: Uint8Array, fault: Fault|null}} Status
 */

const MOST_PINS = 1024
const MOST_OLDER = 8

/** @returns {Peer} */
export const unknownPeer = () => ({ anchor: null, isVerified: false, pins: [], listing: null })

/** @param {Uint8Array|null} one @param {Uint8Array|null} other */
const isSame = (one, other) => (one === null || other === null ? one === other : equal(one, other))

/** @param {Peer} peer @param {string} device */
const pinOf = (peer, device) => peer.pins.find((pin) => pin.device === device)

/** Whether later lists are checked against something. @param {Peer} peer */
export const isPinned = (peer) => peer.anchor !== null || peer.pins.length > 0

/** @param {Peer} peer @returns {Peer} */
const copy = (peer) => ({ ...peer, pins: peer.pins.map((pin) => ({ ...pin, older: [...pin.older] })) })

/** @param {Listing} listing */
const usable = (listing) => listing.devices.filter(({ fault }) => fault === null)

// What changes it

/**
 * Merges a list. The first one is trusted as it is.
 *
 * @param {Peer} old
 * @param {Listing} listing
 * @returns {Peer}
 */
export function updated(old, listing) {
    const peer = copy(old)
    if (!isPinned(peer)) {
        peer.anchor = listing.account
        if (peer.anchor === null) peer.pins = usable(listing).map(({ device, key }) => newPin(device, key, null))
    }
    peer.listing = listing
    updateCertified(peer)
    return peer
}

/**
 * @param {string} device
 * @param {Uint8Array} key
 * @param {number|null} certifiedAt
 * @returns {Pin}
 */
const newPin = (device, key, certifiedAt) => ({ device, key, older: [], certifiedAt })

/** Pins the devices that the pinned account key has certified. @param {Peer} peer */
function updateCertified(peer) {
    if (peer.anchor === null || peer.listing === null || !isSame(peer.listing.account, peer.anchor)) return
    for (const { device, key, certifiedAt } of usable(peer.listing)) {
        if (certifiedAt === null) continue
        const pin = pinOf(peer, device)
        if (pin === undefined) {
            if (peer.pins.length < MOST_PINS) peer.pins.push(newPin(device, key, certifiedAt))
        } else if (pin.certifiedAt === null || certifiedAt > pin.certifiedAt) {
            replaceKey(pin, key)
            pin.certifiedAt = certifiedAt
        }
    }
}

/** @param {Pin} pin @param {Uint8Array} key */
function replaceKey(pin, key) {
    if (equal(pin.key, key)) return
    pin.older = [pin.key, ...pin.older].filter((old) => !equal(old, key)).slice(0, MOST_OLDER)
    pin.key = key
}

/** Trusts the listed keys in place of the pinned ones. @param {Peer} old @returns {Peer} */
export function accepted(old) {
    const peer = copy(old)
    const listing = peer.listing
    if (listing === null) return peer
    if (listing.account !== null) {
        anchorTo(peer, listing.account)
        updateCertified(peer)
        return peer
    }
    peer.anchor = null
    peer.isVerified = false
    for (const pin of peer.pins) pin.certifiedAt = null
    for (const { device, key } of usable(listing)) {
        const pin = pinOf(peer, device)
        if (pin === undefined) {
            if (peer.pins.length < MOST_PINS) peer.pins.push(newPin(device, key, null))
        } else {
            replaceKey(pin, key)
        }
    }
    return peer
}

/**
 * Pins an account key that is certain: this device's own. The list is to be fetched again.
 *
 * @param {Peer} old
 * @param {Uint8Array} account
 * @returns {Peer}
 */
export function adopted(old, account) {
    if (isSame(old.anchor, account)) return old
    const peer = copy(old)
    anchorTo(peer, account)
    peer.listing = null
    return peer
}

/** @param {Peer} peer @param {Uint8Array} account */
function anchorTo(peer, account) {
    if (isSame(peer.anchor, account)) return
    peer.anchor = account
    peer.isVerified = false
    for (const pin of peer.pins) pin.certifiedAt = null
}

/** @param {Peer} peer @returns {Peer} */
export const verified = (peer) => ({ ...copy(peer), isVerified: peer.anchor !== null })

// What it says

/** Why nothing is sealed for the user. @param {Peer} peer @returns {'other-account'|'no-account'|null} */
export function holdOf(peer) {
    if (peer.anchor === null || peer.listing === null || isSame(peer.listing.account, peer.anchor)) return null
    return peer.listing.account === null ? 'no-account' : 'other-account'
}

/** A listed account key of a user who was known without one. @param {Peer} peer */
export const appearedAccount = (peer) =>
    peer.anchor === null && isPinned(peer) ? peer.listing?.account ?? null : null

/** @param {Peer} peer @param {ListedDevice} listed @returns {Status} */
function statusOf(peer, { device, key, fault, certifiedAt }) {
    const status = (/** @type {Status['state']} */ state, /** @type {Fault|null} */ why = null) => ({
        device, state, key, fault: why,
    })
    if (fault !== null) return status('ignored', fault)
    const pin = pinOf(peer, device)
    if (peer.anchor === null) return status(pin && equal(pin.key, key) ? 'recipient' : 'held')
    if (!isSame(peer.listing?.account ?? null, peer.anchor)) return status('held')
    if (certifiedAt === null) return status('ignored', 'uncertified')
    if (pin === undefined) return status('ignored', 'too_many_devices')
    if (!equal(pin.key, key) || pin.certifiedAt !== certifiedAt) return status('ignored', 'outdated')
    return status('recipient')
}

/** Of the listed devices, in order. @param {Peer} peer @returns {Status[]} */
export const statusesOf = (peer) => (peer.listing?.devices ?? []).map((listed) => statusOf(peer, listed))

/** Whether a message for the user alone has to wait for the person's acceptance. @param {Peer} peer */
export const isHeld = (peer) => holdOf(peer) !== null || statusesOf(peer).some(({ state }) => state === 'held')

/** @param {Peer} peer */
export const isPending = (peer) => isHeld(peer) || appearedAccount(peer) !== null

/** The keys that open a device's messages, newest first. @param {Peer} peer @param {string} device */
export function knownKeys(peer, device) {
    const pin = pinOf(peer, device)
    return pin ? [pin.key, ...pin.older] : []
}

/**
 * The keys to show to the person: the listed ones, or the pinned account key if there is no list.
 *
 * @param {Peer} peer
 * @returns {Uint8Array|Uint8Array[]|null}
 */
export function presented(peer) {
    if (peer.listing === null) return peer.anchor
    if (peer.listing.account !== null) return peer.listing.account
    const keys = usable(peer.listing)
    return keys.length === 0 ? null : keys.map(({ key }) => key)
}

/** The same, with the devices they are of: what is accepted. @param {Peer} peer */
export function shownOf(peer) {
    if (peer.listing === null) return { account: peer.anchor, devices: [] }
    if (peer.listing.account !== null) return { account: peer.listing.account, devices: [] }
    return { account: null, devices: usable(peer.listing).map(({ device, key }) => ({ device, key })) }
}

/** @param {ReturnType<typeof shownOf>} one @param {ReturnType<typeof shownOf>} other */
export const isSameShown = (one, other) =>
    isSame(one.account, other.account) && one.devices.length === other.devices.length
    && one.devices.every(({ device, key }, index) => (
        device === other.devices[index].device && equal(key, other.devices[index].key)))
