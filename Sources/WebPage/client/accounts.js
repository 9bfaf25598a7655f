// @ts-check
/**
 * What stands before a client: signing in, registering, and the devices that this browser keeps. The client itself is
 * loaded when there is a device, so that a newcomer's first screen does not wait for it.
 */

import { hasCurves } from '../crypto/curves.js'
import { keepDevice, keptDevices } from './database.js'
import { Door } from './door.js'
import { ClientError } from './errors.js'
import { Members, parseObject } from './read.js'

const NAME = 'Browser'
const door = () => new Door(location.origin, () => '')

/** Why this browser will not do, as a sentence; null if it will. */
export async function unsupported() {
    if (!globalThis.isSecureContext || !globalThis.crypto?.subtle) return 'This page needs HTTPS.'
    const isOld = !('locks' in navigator) || !('BroadcastChannel' in globalThis)
        || !('isWellFormed' in String.prototype)
    if (isOld || !await hasCurves()) {
        return 'This browser is too old: it has no X25519 and Ed25519. Firefox 130, Chrome 137 and Safari 17 have them.'
    }
    try {
        await keptDevices()
    } catch {
        return 'This browser keeps nothing here. In a private window of some browsers that is so.'
    }
    return null
}

/** @returns {Promise<readonly import('./types.js').KeptDevice[]>} */
export const kept = async () =>
    Object.freeze((await keptDevices()).map(({ user, device, email }) => Object.freeze({ user, device, email })))

export async function providers() {
    const data = await door().ask('accounts/providers')
    const registration = data.text('registration', 16)
    return Object.freeze({
        registration: /** @type {'open'|'invited'|'closed'} */ (
            registration === 'open' || registration === 'invited' ? registration : 'closed'),
        providers: data.objects('providers', 100, (from) => Object.freeze({
            name: from.text('name', 64), issuer: from.text('issuer', 2048),
        })),
    })
}

/** Each request has a name of its own, so that an attempt that is repeated makes one device. */
const named = () => ({ key: crypto.randomUUID() })

/** @param {{email: string, password: string, user: string, name?: string, invite?: string}} fields */
export async function register({ email, password, user, name, invite }) {
    await door().ask('accounts/register', {
        email, password, user_id: user, ...(name ? { display_name: name } : {}), ...(invite ? { invite } : {}),
    }, named())
}

/** @param {{email: string, password: string, code: string, deviceName?: string}} fields */
export async function verify({ email, password, code, deviceName = NAME }) {
    const data = await door().ask('accounts/verify', { email, password, code, device_name: deviceName }, named())
    return keep(data, email)
}

/** @param {{email: string, password: string, deviceName?: string}} fields */
export async function signIn({ email, password, deviceName = NAME }) {
    // Whose device is kept here gets a new token for it, and keeps its keys.
    const known = (await keptDevices()).find((device) => device.email === email)
    const device = known ? { device_id: known.device } : { device_name: deviceName }
    return keep(await door().ask('accounts/sign-in', { email, password, ...device }, named()), email)
}

/** What an operator's `parley device add --print-token` prints. @param {string} text */
export const useCredentials = (text) => keep(parseObject(text), null)

/** @param {string} email */
export async function sendCode(email) {
    await door().ask('accounts/send-code', { email }, named())
}

/** @param {{email: string, code: string, password: string}} fields */
export async function resetPassword(fields) {
    await door().ask('accounts/reset', fields, named())
}

/** @param {Members} data @param {string|null} email */
async function keep(data, email) {
    const client = data.text('client_id', 256).split(':')
    const address = Object.freeze({ user: data.id('username'), device: client[1] ?? '' })
    if (client[0] !== address.user || client.length !== 2 || !/^[A-Za-z0-9_-]{1,64}$/.test(address.device)) {
        throw new ClientError('bad_reply')
    }
    const { Context } = await import('./context.js')
    const context = await Context.open(address, location.origin)
    await context.keepCredentials({
        token: data.text('password', 8192), issuedAt: Date.now(), expiresAt: data.time('expires_at'),
    })
    context.close()
    await keepDevice({ ...address, email, signedInAt: Date.now() })
    // Without it some browsers drop what a page keeps when they need room. Firefox asks the person, who may not answer.
    navigator.storage?.persist?.().catch(() => false)
    return address
}

/** @param {{user: string, device: string}} address */
export const open = async (address) => (await import('./client.js')).Client.open(address)
