// @ts-check
/** The user's devices, the account key's backup, and the account at the gateway. */

import { toBase64 } from '../crypto/bytes.js'
import { random } from '../crypto/curves.js'
import { openBackup, readRecoveryText, recoveryText, sealBackup } from '../crypto/names.js'
import { ClientError } from './errors.js'
import { isPinned, statusesOf } from './peer.js'

export class Devices {
    /**
     * @param {import('./context.js').Context} context
     * @param {import('./key-exchange.js').KeyExchange} exchange
     */
    constructor(context, exchange) {
        this.context = context
        this.exchange = exchange
    }

    /** @returns {Promise<readonly import('./types.js').OwnDevice[]>} */
    async all() {
        const { address, book, door, keys } = this.context
        const data = await door.ask('devices/list')
        await this.exchange.fetch(address.user).catch(() => undefined)
        const peer = book.get(address.user)
        const certified = new Set(isPinned(peer)
            ? statusesOf(peer).filter(({ state }) => state === 'recipient').map(({ device }) => device) : [])
        return data.objects('devices', 1000, (from) => {
            const device = from.id('device_id')
            const isCurrent = device === address.device
            return Object.freeze({
                device, name: from.textIfAny('name', 400), isCurrent,
                isCertified: isCurrent ? keys.isLinked : keys.isLinked && certified.has(device),
                hasKeys: from.flag('has_keys'), lastSeen: from.timeIfAny('last_seen'),
                expiresAt: from.time('expires_at'),
            })
        })
    }

    /** @param {string} device */
    async remove(device) {
        await this.context.door.ask('devices/revoke', { device_id: device })
    }
}

export class Account {
    /**
     * @param {import('./context.js').Context} context
     * @param {import('./key-exchange.js').KeyExchange} exchange
     * @param {{connection: import('./types.js').Connection, remove: () => Promise<void>}} client
     */
    constructor(context, exchange, client) {
        this.context = context
        this.exchange = exchange
        this.client = client
    }

    async get() {
        const data = await this.context.door.ask('account/get')
        return Object.freeze({
            email: data.textIfAny('email', 320), hasPassword: data.flag('has_password'),
            providers: data.objects('providers', 100, (from) => from.text('provider', 64)),
        })
    }

    /** @returns {Promise<string>} the recovery key, shown once and not kept */
    async backUp() {
        const recovery = random(16)
        const blob = await this.context.keys.withSeed((seed) => sealBackup(seed, this.context.address.user, recovery))
        await this.context.door.ask('account/backup', { blob: toBase64(blob) })
        const text = recoveryText(recovery)
        recovery.fill(0)
        return text
    }

    /** @param {string} text the recovery key */
    async recover(text) {
        const { keys, door, address } = this.context
        if (keys.isLinked) throw new ClientError('conflict', 'This device is linked already.')
        const recovery = readRecoveryText(text)
        if (recovery === null) throw new ClientError('wrong_code', 'There is a slip in this recovery key.')
        const data = await door.ask('account/get-backup')
        const seed = openBackup(data.bytes('blob', 1, 4096), address.user, recovery)
        if (seed === null) throw new ClientError('wrong_code', 'This recovery key does not open the backup.')
        await this.context.locked('own keys', () => keys.adopt(seed, null))
        await this.exchange.publish()
    }

    /** Contacts see a changed account key, and the other devices are to be linked anew. */
    async reset() {
        await this.exchange.resetAccount()
    }

    /** @param {string|null} current @param {string} password */
    async setPassword(current, password) {
        const fields = { id: crypto.randomUUID(), password, ...(current === null ? {} : { current }) }
        await this.context.door.ask('account/set-password', fields)
    }

    /** @param {boolean} keepThis */
    async signOutEverywhere(keepThis) {
        await this.context.door.ask('account/sign-out-everywhere', { keep_this: keepThis })
    }

    /** @param {string|null} password */
    async delete(password) {
        const fields = { id: crypto.randomUUID(), user_id: this.context.address.user }
        const wasEnded = this.client.connection.state === 'ended'
        try {
            await this.context.door.ask('account/delete', password === null ? fields : { ...fields, password })
        } catch (error) {
            // The token ends with the account, perhaps before the answer has come.
            if (wasEnded || !await this.#isTokenEnded()) throw error
        }
        await this.client.remove()
    }

    async #isTokenEnded() {
        try {
            await this.context.door.ask('account/get')
            return false
        } catch (error) {
            return error instanceof ClientError && error.code === 'unauthenticated'
        }
    }
}
