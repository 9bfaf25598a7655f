// @ts-check
/**
 * IndexedDB: one database for each user and device, and one that lists them.
 *
 * In the clear are ids, positions and times of expiry; everything that people say, and the gateway's objects, are
 * sealed for their place (vault.js).
 */

import { ClientError } from './errors.js'

/** Each version adds to the one before; a store that was made is never made otherwise. */
const VERSION = 2

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
const result = (request) =>
    new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
    })

/**
 * @param {string} name
 * @param {number} version
 * @param {(database: IDBDatabase, from: number) => void} make from an earlier version; 0 where there is none
 * @returns {Promise<IDBDatabase>}
 */
function openDatabase(name, version, make) {
    const request = indexedDB.open(name, version)
    request.onupgradeneeded = ({ oldVersion }) => make(request.result, oldVersion)
    return result(request)
}

/** The storage of one device. */
export class Database {
    /** @param {IDBDatabase} database */
    constructor(database) {
        this.database = database
        // Another tab removes it.
        database.onversionchange = () => database.close()
    }

    /** @param {{user: string, device: string}} address */
    static name = (address) => `parley ${address.user}/${address.device}`

    /** @param {{user: string, device: string}} address */
    static async open(address) {
        return new Database(await openDatabase(Database.name(address), VERSION, (database, from) => {
            if (from < 1) {
                database.createObjectStore('device')
                database.createObjectStore('peers')
                database.createObjectStore('conversations')
                const records = database.createObjectStore('records', { keyPath: ['conversation', 'chapter', 'seq'] })
                records.createIndex('id', 'id')
                records.createIndex('target', ['conversation', 'target'])
                records.createIndex('expiry', 'expiresAt')
                records.createIndex('unopened', 'unopened')
                const outbox = database.createObjectStore('outbox', { keyPath: 'position', autoIncrement: true })
                outbox.createIndex('id', 'id', { unique: true })
            }
            if (from < 2) database.createObjectStore('uploads', { keyPath: 'id' })
        }))
    }

    close() {
        this.database.close()
    }

    /**
     * One transaction. The body must not wait for anything but its own requests.
     *
     * @template T
     * @param {string[]} stores
     * @param {'readonly'|'readwrite'} mode
     * @param {(transaction: Transaction) => Promise<T>|T} body
     * @returns {Promise<T>}
     */
    async transaction(stores, mode, body) {
        try {
            // Synced to disk before it counts: a message that is shown as queued must outlive a crash.
            const transaction = this.database.transaction(stores, mode, { durability: 'strict' })
            const done = new Promise((resolve, reject) => {
                transaction.oncomplete = () => resolve(undefined)
                transaction.onabort = () => reject(transaction.error)
            })
            done.catch(() => undefined)
            let value
            try {
                value = await body(new Transaction(transaction))
            } catch (error) {
                try {
                    transaction.abort()
                } catch {
                    // It is over already.
                }
                throw error
            }
            await done
            return value
        } catch (error) {
            if (error instanceof ClientError) throw error
            throw new ClientError('storage', undefined, { details: String(error) })
        }
    }

    /** @param {string} store @param {any} key @returns {Promise<any>} */
    get(store, key) {
        return this.transaction([store], 'readonly', (transaction) => transaction.get(store, key))
    }

    /** @param {string} store @param {any} value @param {any} [key] */
    put(store, value, key) {
        return this.transaction([store], 'readwrite', (transaction) => transaction.put(store, value, key))
    }

    /** @param {string} store @param {any} key */
    delete(store, key) {
        return this.transaction([store], 'readwrite', (transaction) => transaction.delete(store, key))
    }

    /** @param {string} store @returns {Promise<[any, any][]>} keys and values */
    entries(store) {
        return this.transaction([store], 'readonly', async (transaction) => {
            const [keys, values] = await Promise.all([transaction.keys(store), transaction.all(store)])
            return keys.map((key, index) => [key, values[index]])
        })
    }
}

/** The requests of one transaction. */
export class Transaction {
    /** @param {IDBTransaction} transaction */
    constructor(transaction) {
        this.transaction = transaction
    }

    /** @param {string} store @param {any} key @returns {Promise<any>} */
    get(store, key) {
        return result(this.transaction.objectStore(store).get(key))
    }

    /** @param {string} store @param {any} value @param {any} [key] */
    put(store, value, key) {
        return result(this.transaction.objectStore(store).put(value, key))
    }

    /** @param {string} store @param {any} key */
    delete(store, key) {
        return result(this.transaction.objectStore(store).delete(key))
    }

    /** @param {string} store @param {any} [range] @returns {Promise<any[]>} */
    all(store, range) {
        return result(this.transaction.objectStore(store).getAll(range))
    }

    /** @param {string} store @returns {Promise<any[]>} */
    keys(store) {
        return result(this.transaction.objectStore(store).getAllKeys())
    }

    /** @param {string} store @param {string} index @param {any} key @returns {Promise<any[]>} */
    byIndex(store, index, key) {
        return result(this.transaction.objectStore(store).index(index).getAll(key))
    }

    /**
     * Rows with one key of an index, in the order of their own keys.
     *
     * @param {string} store
     * @param {string} index
     * @param {any} key
     * @param {any} after the own key of the row before them; null for the first
     * @param {number} limit
     * @returns {Promise<any[]>}
     */
    page(store, index, key, after, limit) {
        return new Promise((resolve, reject) => {
            /** @type {any[]} */
            const rows = []
            const request = this.transaction.objectStore(store).index(index).openCursor(key)
            request.onerror = () => reject(request.error)
            request.onsuccess = () => {
                const cursor = request.result
                if (cursor === null || rows.length === limit) return resolve(rows)
                const place = after === null ? 1 : indexedDB.cmp(cursor.primaryKey, after)
                if (place < 0) return cursor.continuePrimaryKey(key, after)
                if (place > 0) rows.push(cursor.value)
                cursor.continue()
            }
        })
    }

    /**
     * The last rows of a range, in descending order.
     *
     * @param {string} store
     * @param {IDBKeyRange} range
     * @param {number} limit
     * @returns {Promise<any[]>}
     */
    last(store, range, limit) {
        return new Promise((resolve, reject) => {
            /** @type {any[]} */
            const rows = []
            const request = this.transaction.objectStore(store).openCursor(range, 'prev')
            request.onerror = () => reject(request.error)
            request.onsuccess = () => {
                const cursor = request.result
                if (cursor === null || rows.length === limit) return resolve(rows)
                rows.push(cursor.value)
                cursor.continue()
            }
        })
    }
}

// The devices of this browser

const REGISTRY = 'parley'

const registry = () => openDatabase(REGISTRY, 1, (database) => database.createObjectStore('devices'))

/**
 * @typedef {{user: string, device: string, email: string|null, signedInAt?: number}} Listed earlier pages kept no time
 */

/** @returns {Promise<Listed[]>} the last one that signed in first */
export async function keptDevices() {
    const database = await registry()
    try {
        /** @type {Listed[]} */
        const all = await result(database.transaction('devices').objectStore('devices').getAll())
        return all.sort((one, other) => (other.signedInAt ?? 0) - (one.signedInAt ?? 0))
    } finally {
        database.close()
    }
}

/** @param {Listed} device */
export async function keepDevice(device) {
    const database = await registry()
    try {
        await result(database.transaction('devices', 'readwrite').objectStore('devices')
            .put(device, `${device.user}/${device.device}`))
    } finally {
        database.close()
    }
}

/** Removes a device and all that is kept of it. @param {{user: string, device: string}} address */
export async function dropDevice(address) {
    // Before the list forgets it: a page that ends in between would leave keys that nobody knows of.
    await result(indexedDB.deleteDatabase(Database.name(address)))
    const database = await registry()
    try {
        await result(database.transaction('devices', 'readwrite').objectStore('devices')
            .delete(`${address.user}/${address.device}`))
    } finally {
        database.close()
    }
    // A page that was opened meanwhile, or the service worker, has made an empty one.
    await result(indexedDB.deleteDatabase(Database.name(address)))
}
