// @ts-check
/** A gateway's list of a user's keys, judged by itself: which are usable, which the listed account key certified. */

import { compare, equal, utf8 } from '../crypto/bytes.js'
import { isUsableIdentity, isUsableSigner, verifies } from '../crypto/curves.js'
import { certifiedPart, signedPart } from '../crypto/names.js'

/**
 * @typedef {'weak_key'|'bad_signature'|'listed_twice'|'uncertified'|'outdated'|'too_many_devices'} Fault why nothing is
 *   sealed for a device
 *
 * @typedef {object} ListedDevice
 * @property {string} device
 * @property {Uint8Array} key
 * @property {Fault|null} fault of the key itself
 * @property {number|null} certifiedAt by the listed account key
 *
 * @typedef {object} Listing
 * @property {Uint8Array|null} account
 * @property {readonly ListedDevice[]} devices in the order of their ids
 */

/** As many as a message can be sealed for. */
const MOST_DEVICES = 128

/** Bytewise. @param {string} one @param {string} other */
export const compareIDs = (one, other) => compare(utf8(one), utf8(other))

/**
 * @param {import('./records.js').UserKeys} keys
 * @param {{user: string, device: string}} owner left out
 * @returns {Promise<Listing>}
 */
export async function judged(keys, owner) {
    const account = keys.account !== null && isUsableSigner(keys.account) ? keys.account : null
    /** @type {Map<string, ListedDevice>} */
    const devices = new Map()
    const others = keys.devices.filter(({ device }) => keys.user !== owner.user || device !== owner.device)
    for (const published of others.slice(0, MOST_DEVICES)) {
        const device = await judgedDevice(published, keys.user, account)
        const before = devices.get(device.device)
        devices.set(device.device, before ? merged(before, device) : device)
    }
    return { account, devices: [...devices.values()].sort((one, other) => compareIDs(one.device, other.device)) }
}

/**
 * @param {import('./records.js').PublishedDevice} published
 * @param {string} user
 * @param {Uint8Array|null} account
 * @returns {Promise<ListedDevice>}
 */
async function judgedDevice(published, user, account) {
    const { device, identity, signing, signature, certificate, issuedAt } = published
    const address = { user, device }
    const judgement = (/** @type {Fault|null} */ fault, /** @type {number|null} */ certifiedAt = null) => ({
        device, key: identity, fault, certifiedAt,
    })
    if (!isUsableIdentity(identity)) return judgement('weak_key')
    if (signature !== null) {
        const isSigned = signing !== null && await verifies(signature, signedPart(address, identity), signing)
        if (!isSigned) return judgement('bad_signature')
    }
    if (account === null || signing === null || certificate === null || issuedAt === null) return judgement(null)
    const part = certifiedPart(address, identity, signing, issuedAt)
    return judgement(null, await verifies(certificate, part, account) ? issuedAt : null)
}

/**
 * Of two entries of one device the later certificate counts; without one, neither.
 *
 * @param {ListedDevice} one
 * @param {ListedDevice} other
 * @returns {ListedDevice}
 */
function merged(one, other) {
    const isSame = equal(one.key, other.key) && one.fault === other.fault
    if (isSame || one.certifiedAt !== other.certifiedAt) {
        return (one.certifiedAt ?? -Infinity) >= (other.certifiedAt ?? -Infinity) ? one : other
    }
    return { device: one.device, key: one.key, fault: 'listed_twice', certifiedAt: null }
}
