// @ts-check
/** Lies about whose keys are whose, and listings that fit others, by the names of Tests/Adversaries/LyingGateway. */
import { fromBase64, toBase64 } from '/crypto/bytes.js'
import { sign } from '/crypto/curves.js'
import { certifiedPart, signedPart } from '/crypto/names.js'

/**
 * @typedef {import('./gateway.js').Gateway} Gateway
 * @typedef {{user_id: string, account_key: string|null, devices: any[]}} Listing as `keys/get` answers it
 */

const TIME = '2027-01-15T09:30:00.000Z'
const MOST_DEVICES = 128
/** Of small order: every shared secret and every signature by it would be anybody's. */
const NO_POINT = toBase64(Uint8Array.of(1, ...new Uint8Array(31)))

/** @param {string} base64 */
const bytes = (base64) => /** @type {Uint8Array} */ (fromBase64(base64))

/** @param {any} certified by whose certificate */
const under = ({ certificate, issued_at: time }) => ({ certificate, issued_at: time })

/**
 * The attacker's keys as those of a device of somebody's.
 *
 * @param {Gateway} gateway
 * @param {string} user
 * @param {string} name
 * @param {{account?: any, certificate?: any}} [options] who certifies it, or a certificate and its time
 */
async function falseDevice({ attacker }, user, name, { account = null, certificate = {} } = {}) {
    const { identity, signing } = attacker.identity
    const address = { user, device: name }
    const part = certifiedPart(address, identity.publicKey, signing.publicKey, Date.parse(TIME))
    return {
        device_id: name, identity_key: toBase64(identity.publicKey), signing_key: toBase64(signing.publicKey),
        signature: toBase64(await sign(signing.privateKey, signedPart(address, identity.publicKey))),
        certificate: account && toBase64(await sign(account.privateKey, part)), issued_at: account && TIME,
        created_at: TIME, ...certificate,
    }
}

/** @param {(gateway: Gateway, listing: Listing) => Promise<object>|object} options of a device more */
const withGhost = (options) => async (/** @type {Gateway} */ gateway, /** @type {Listing} */ listing) => {
    const ghost = await falseDevice(gateway, listing.user_id, 'ghost', await options(gateway, listing))
    return { ...listing, devices: [...listing.devices, ghost] }
}

const ghost = withGhost(() => ({}))

/**
 * The phone, or another device, is the attacker's, and the only one.
 *
 * @param {(gateway: Gateway, listing: Listing) => {account_key?: string|null}} named
 * @param {(gateway: Gateway, listing: Listing) => object} [options]
 * @param {string} [name]
 */
const takenOver = (named, options = () => ({}), name = 'phone') =>
    async (/** @type {Gateway} */ gateway, /** @type {Listing} */ listing) => ({
        ...listing, ...named(gateway, listing),
        devices: [await falseDevice(gateway, listing.user_id, name, options(gateway, listing))],
    })

/** @param {Gateway} gateway */
const byMallory = ({ attacker }) => ({ account: attacker.account })
/** @param {Gateway} gateway */
const ofMallory = ({ attacker }) => ({ account_key: toBase64(attacker.account.publicKey) })
const otherIdentity = takenOver(() => ({}))

/** @param {Gateway} gateway @param {string} name */
const decoy = (gateway, name) => falseDevice(gateway, 'bob', name)

/**
 * @type {Record<string, {isOwn: boolean,
 *   told: (gateway: Gateway, listing: Listing, number: number) => Promise<Listing>}>}
 *   `number` counts the listings before
 */
export const LISTINGS = Object.fromEntries(/** @type {[string, any, boolean?][]} */ ([
    ['keys.ghost', ghost],
    ['keys.ghostCertifiedByAnotherAccount', withGhost(byMallory)],
    ['keys.ghostUnderCertificateOfAnotherUser', withGhost(({ attacker }) => ({
        certificate: under(attacker.phone.listed),
    }))],
    ['keys.ghostUnderCertificateOfAnotherDevice', withGhost((_, { devices }) => ({ certificate: under(devices[0]) }))],
    ['keys.ghostCertifiedByItself', withGhost(({ attacker }) => ({
        account: { privateKey: attacker.identity.signing.privateKey },
    }))],
    ['keys.ghostUnderTruncatedCertificate', withGhost((_, { devices }) => ({
        certificate: { ...under(devices[0]), certificate: toBase64(bytes(devices[0].certificate).slice(0, 32)) },
    }))],
    ['keys.ghostUnderDamagedCertificate', withGhost(async (gateway, { user_id: user }) => {
        // The very certificate that the account would give, were it asked.
        const genuine = await falseDevice(gateway, user, 'ghost', { account: gateway.people.get('bob').account })
        const damaged = bytes(genuine.certificate ?? '')
        damaged[0] ^= 1
        return { certificate: { certificate: toBase64(damaged), issued_at: TIME } }
    })],
    ['keys.ownGhost', ghost, true],
    ['keys.ownGhostCertifiedByAnotherAccount', withGhost(byMallory), true],
    ['keys.ownAccountClaimed', takenOver(ofMallory, byMallory, 'ghost'), true],
    ['keys.otherIdentity', otherIdentity],
    ['keys.otherIdentityUnderOldCertificate', takenOver(() => ({}), (_, { devices }) => ({
        certificate: under(devices[0]),
    }))],
    ['keys.otherIdentityCertifiedByAnotherAccount', takenOver(() => ({}), byMallory)],
    ['keys.olderKeysUnderOlderCertificate', async (/** @type {Gateway} */ gateway, /** @type {Listing} */ listing) => ({
        ...listing, devices: [gateway.people.get('bob').stolen.listed],
    })],
    ['keys.otherAccount', takenOver(ofMallory, byMallory)],
    ['keys.accountAppears', takenOver(ofMallory, byMallory)],
    ['keys.accountGone', takenOver(() => ({ account_key: null }))],
    ['keys.accountGoneWithGhost', async (/** @type {Gateway} */ gateway, /** @type {Listing} */ listing) => (
        ghost(gateway, {
            ...listing, account_key: null,
            devices: listing.devices.map((device) => ({ ...device, certificate: null, issued_at: null })),
        }))],
    ['keys.accountMalformed', takenOver(() => ({ account_key: NO_POINT }))],
    ['keys.decoysThenOtherIdentity',
        async (/** @type {Gateway} */ gateway, /** @type {Listing} */ listing, /** @type {number} */ number) => {
            if (number > 1) return otherIdentity(gateway, listing)
            const names = Array.from({ length: number === 0 ? MOST_DEVICES : 1 }, (_, index) => `decoy-${index}`)
            return { ...listing, devices: await Promise.all(names.map((name) => decoy(gateway, name))) }
        }],
    ['keys.removedThenOtherIdentity',
        async (/** @type {Gateway} */ gateway, /** @type {Listing} */ listing, /** @type {number} */ number) => (
            number === 0 ? { ...listing, devices: [] } : otherIdentity(gateway, listing))],
    ['keys.comparedIsNotFetched',
        async (/** @type {Gateway} */ gateway, /** @type {Listing} */ listing, /** @type {number} */ number) => (
            number === 0 ? listing : otherIdentity(gateway, listing))],
    ['keys.keysOfAnotherUser', async (/** @type {Gateway} */ gateway) => ({
        user_id: 'mallory', ...ofMallory(gateway), devices: [{ ...gateway.attacker.phone.listed, signature: null }],
    })],
    ['refusal.namesGhost', ghost],
    ['refusal.leavesOutHonest', takenOver(() => ({}), () => ({}), 'ghost')],
    ['event.keysChanged', ghost], ['event.deviceRevoked', ghost], ['event.deviceAdded', ghost, true],
    ['event.linkOffered', ghost, true], ['event.linkApproved', ghost, true], ['sender.ghostSpeaks', ghost],
    ['sender.ownGhostSpeaks', ghost, true], ['push.ghostPushed', ghost], ['link.ghostListedAsCertified', ghost, true],
]).map(([name, told, isOwn = false]) => [name, { told, isOwn }]))

/** So many listings it takes until a lie is told whole. @param {string} name */
export const listingsOf = (name) =>
    ({ 'keys.decoysThenOtherIdentity': 3, 'keys.removedThenOtherIdentity': 2 }[name] ?? 1)
