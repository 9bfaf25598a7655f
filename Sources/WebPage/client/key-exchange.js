// @ts-check
/** Publishes this device's keys, and fetches those of others. */

import { ClientError } from './errors.js'
import { notice } from './notices.js'
import { readUserKeys } from './records.js'

/** How long fetched keys count as fresh. */
const LIFETIME = 60000
/** The fetches of one user's keys in a row because of unopened messages, and the time until one more is allowed. */
const BURST = 5
const REFILL = 10000
const MOST_REMEMBERED = 4096

export class KeyExchange {
    /** @param {import('./context.js').Context} context */
    constructor(context) {
        this.context = context
        /** @type {Map<string, Promise<void>>} */
        this.fetches = new Map()
        /** @type {Map<string, number>} */
        this.fetchedAt = new Map()
        /** @type {Map<string, {left: number, since: number}>} */
        this.allowances = new Map()
        /** Users of whom something waits to be opened. @type {Set<string>} */
        this.awaited = new Set()
        /** What was told about this device. @type {Set<string>} */
        this.told = new Set()
    }

    /** On a new connection no key is fresh. */
    reset() {
        this.fetchedAt.clear()
        this.allowances.clear()
    }

    /** @param {string} user */
    isFresh(user) {
        return Date.now() - (this.fetchedAt.get(user) ?? -Infinity) < LIFETIME
    }

    /** The gateway's list has changed. @param {string} user */
    markStale(user) {
        this.fetchedAt.delete(user)
    }

    /** Whether something that came from the user could not be opened. @param {string} user */
    isAwaited(user) {
        return this.awaited.has(user)
    }

    /** Something that came from the user waits to be opened. @param {string} user */
    markAwaited(user) {
        if (this.awaited.size > MOST_REMEMBERED) this.awaited.clear()
        this.awaited.add(user)
    }

    /** Whether a fetch because of an unopened message is within the limit. @param {string} user */
    claimFetch(user) {
        this.markAwaited(user)
        const now = Date.now()
        if (this.allowances.size > MOST_REMEMBERED) this.allowances.clear()
        const allowance = this.allowances.get(user) ?? { left: BURST, since: now }
        const more = Math.floor((now - allowance.since) / REFILL)
        allowance.left = Math.min(BURST, allowance.left + more)
        allowance.since = allowance.left === BURST ? now : allowance.since + more * REFILL
        this.allowances.set(user, allowance)
        if (allowance.left === 0) return false
        allowance.left--
        return true
    }

    /** Fetches a user's keys, once for all who ask at the same time. @param {string} user */
    fetch(user) {
        const running = this.fetches.get(user)
        if (running) return running
        const fetching = this.#fetch(user).finally(() => this.fetches.delete(user))
        this.fetches.set(user, fetching)
        return fetching
    }

    /** @param {string} user */
    async #fetch(user) {
        const keys = await this.listing(user)
        await this.context.book.update(keys)
        if (this.fetchedAt.size > MOST_REMEMBERED) this.fetchedAt.clear()
        this.fetchedAt.set(user, Date.now())
    }

    /**
     * Before sealing: known keys must suffice where there is no connection.
     *
     * @param {readonly string[]} users
     */
    async freshen(users) {
        for (const user of new Set(users)) {
            if (this.isFresh(user)) continue
            try {
                await this.fetch(user)
            } catch (error) {
                const isKnown = this.context.book.isKnown(user) || user === this.context.address.user
                if (!(error instanceof ClientError) || !error.isPassing || !isKnown) throw error
            }
        }
    }

    /** @param {string} user */
    async listing(user) {
        let keys
        try {
            keys = readUserKeys(await this.context.door.ask('keys/get', { user_id: user }))
        } catch (error) {
            if (!(error instanceof ClientError) || error.code !== 'bad_reply') throw error
            keys = null
        }
        if (keys?.user !== user) {
            throw this.context.fault('unreadable_keys', `what the gateway gives as the keys of ${user} are none of `
                + 'theirs: nothing is sealed with them')
        }
        return keys
    }

    // This device's own

    /** Publishes this device's keys. The first device of a user makes the account key; a later one is to be linked. */
    async publish() {
        await this.context.locked('own keys', async () => {
            await this.context.keys.reload()
            await this.#publish()
        })
        this.markStale(this.context.address.user)
        await this.fetch(this.context.address.user)
    }

    async #publish() {
        const { keys, door, address } = this.context
        if (!keys.isLinked) {
            const listing = await this.listing(address.user)
            if (listing.account === null) await keys.propose()
            else this.#tellNotLinked()
        }
        try {
            await door.ask('keys/publish', await keys.publication(this.context.now()))
        } catch (error) {
            if (!(error instanceof ClientError) || error.code !== 'conflict' || keys.account === null) throw error
            if (keys.isProposed) {
                // Another device of the user was first.
                await keys.giveUp()
                this.#tellNotLinked()
            } else {
                this.#tell(notice('own-account-refused', address.user, null, 'WARNING: the gateway does not list the '
                    + `account key by which this device knows ${address.user}, which is you; if you have not made a `
                    + 'new one, somebody pretends to be you'))
            }
            await door.ask('keys/publish', await keys.publicationWithoutAccount())
            return
        }
        if (keys.account === null) return
        await keys.establish()
        await this.context.book.adoptOwn(keys.account)
        this.context.tell({ kind: 'keys' })
    }

    /** A new account key in place of one that is lost. */
    async resetAccount() {
        const { keys, door } = this.context
        await this.context.locked('own keys', async () => {
            const seed = crypto.getRandomValues(new Uint8Array(32))
            const { fields, certificate } = await keys.resetting(seed, this.context.now())
            await door.ask('keys/publish', { ...fields, reset: true })
            await keys.adopt(seed, certificate)
            const account = keys.account
            if (account !== null) await this.context.book.adoptOwn(account)
        })
        this.context.tell({ kind: 'keys' })
        await this.fetch(this.context.address.user)
    }

    #tellNotLinked() {
        const { user, device } = this.context.address
        this.#tell(notice('this-device-not-linked', user, device,
            `${user}/${device} is to be linked by one of your other devices; until then others seal nothing for it`))
    }

    /** @param {import('./types.js').KeyNotice} told */
    #tell(told) {
        if (this.told.has(told.kind)) return
        this.told.add(told.kind)
        this.context.disclose([told])
    }
}
