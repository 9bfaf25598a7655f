// @ts-check
/**
 * The keys of others and of the user's other devices, as this device trusts them: kept, sealed, and shared by the tabs.
 *
 * Every change is made under a lock to what is kept, and is kept before it counts.
 */

import { keyIDOf } from '../crypto/names.js'
import { ClientError } from './errors.js'
import { compareIDs, judged } from './listing.js'
import { noticesBetween } from './notices.js'
import * as peers from './peer.js'

/**
 * @typedef {import('./peer.js').Peer} Peer
 * @typedef {{user: string, device: string}} Address
 *
 * @typedef {object} Recipients
 * @property {{user: string, device: string, key: Uint8Array}[]} sealed
 * @property {{user: string, device: string, keyID: Uint8Array}[]} leftOut to be named, and to get nothing
 */

/** A gateway could name users without end. */
const MOST_USERS = 20000

export class KeyBook {
    /**
     * @param {import('./context.js').Context} context
     */
    constructor(context) {
        this.context = context
        /** @type {Map<string, Peer>} */
        this.users = new Map()
    }

    async load() {
        for (const [user, row] of await this.context.database.entries('peers')) {
            this.users.set(user, await this.context.vault.open(['peers', user], row))
        }
    }

    /** What another tab has changed. @param {string} user */
    async reload(user) {
        const row = await this.context.database.get('peers', user)
        if (row) this.#put(user, await this.context.vault.open(['peers', user], row))
    }

    /** @param {string} user @param {Peer} peer */
    #put(user, peer) {
        const before = this.users.get(user) ?? null
        this.users.set(user, peer)
        const notices = noticesBetween(before, peer, user, user === this.context.address.user)
        if (notices.length > 0) this.context.keysChanged(user, notices)
    }

    /**
     * @param {string} user
     * @param {(peer: Peer) => Peer} body
     */
    async #change(user, body) {
        const { database, vault } = this.context
        await this.context.locked('peers', async () => {
            const row = await database.get('peers', user)
            if (!row && this.users.size >= MOST_USERS) {
                throw new ClientError('storage', 'There is no room for the keys of more users.')
            }
            const before = row ? await vault.open(['peers', user], row) : peers.unknownPeer()
            const after = body(before)
            if (after !== before) await database.put('peers', await vault.seal(['peers', user], after), user)
            this.#put(user, after)
        })
        this.context.tell({ kind: 'peers', user })
    }

    /** Merges the gateway's list. @param {import('./records.js').UserKeys} keys */
    async update(keys) {
        const listing = await judged(keys, this.context.address)
        await this.#change(keys.user, (peer) => peers.updated(peer, listing))
    }

    /** Pins the account key that this device holds. @param {Uint8Array} account */
    async adoptOwn(account) {
        await this.#change(this.context.address.user, (peer) => peers.adopted(peer, account))
    }

    /**
     * Trusts exactly the keys that were shown.
     *
     * @param {string} user
     * @param {ReturnType<typeof peers.shownOf>} shown
     * @param {boolean} isCompared
     * @throws {ClientError} `changed` if other keys are listed by now
     */
    async accept(user, shown, isCompared) {
        await this.#change(user, (peer) => {
            if (!peers.isSameShown(peers.shownOf(peer), shown)) throw new ClientError('changed')
            const accepted = peers.accepted(peer)
            return isCompared ? peers.verified(accepted) : accepted
        })
    }

    /** @param {string} user */
    get(user) {
        return this.users.get(user) ?? peers.unknownPeer()
    }

    /** Whether a list of the user was ever merged. @param {string} user */
    isKnown(user) {
        return this.get(user).listing !== null
    }

    /** @param {Address} address */
    knownKeys(address) {
        return peers.knownKeys(this.get(address.user), address.device)
    }

    /** @param {Address} address */
    statusOf(address) {
        return peers.statusesOf(this.get(address.user)).find(({ device }) => device === address.device) ?? null
    }

    /** @param {readonly string[]} users @returns {Recipients} */
    recipients(users) {
        const own = this.context.address
        /** @type {Recipients} */
        const recipients = { sealed: [], leftOut: [] }
        for (const user of [...new Set(users)].sort(compareIDs)) {
            // Without the account key there is only the gateway's word about the user's other devices.
            const isForeign = user === own.user && !this.context.keys.isLinked
            for (const { device, state, key } of peers.statusesOf(this.get(user))) {
                if (user === own.user && device === own.device) continue
                if (state === 'recipient' && !isForeign) recipients.sealed.push({ user, device, key })
                else recipients.leftOut.push({ user, device, keyID: keyIDOf(key) })
            }
        }
        return recipients
    }

    /**
     * The user whose keys must be accepted before anything is sent. A group waits only if nobody else would get it.
     *
     * @param {readonly string[]} members
     * @param {boolean} isDirect
     */
    heldUser(members, isDirect) {
        const others = members.filter((user) => user !== this.context.address.user).sort(compareIDs)
        const held = others.find((user) => peers.isHeld(this.get(user)))
        if (held === undefined) return null
        return isDirect || this.recipients(others).sealed.length === 0 ? held : null
    }

    /** Why there is no recipient. @param {Recipients} recipients */
    lack(recipients) {
        const others = recipients.leftOut.filter(({ user }) => user !== this.context.address.user)
        if (others.length === 0) return 'no_recipient_keys'
        const isWeak = others.every((address) => (
            ['weak_key', 'bad_signature', 'listed_twice'].includes(this.statusOf(address)?.fault ?? '')))
        return isWeak ? 'weak_recipient_key' : 'uncertified_recipients'
    }
}
