// @ts-check
/**
 * Reads what the gateway and other people send: each value is checked, bounded, and copied into an object of our own.
 *
 * Only own members count, so `__proto__` and its like are members as all others, and ignored.
 */

import { fromBase64 } from '../crypto/bytes.js'
import { isID } from '../crypto/names.js'
import { ClientError } from './errors.js'

/** @param {string} name */
function refuse(name) {
    return new ClientError('bad_reply', `${name} is not what the protocol has there`)
}

/** Text of JSON as an object. @param {string} text */
export function parseObject(text) {
    let value = null
    try {
        value = JSON.parse(text)
    } catch {
        throw refuse('the JSON')
    }
    return new Members(value)
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** @param {unknown} value @returns {value is string} */
export const isUUID = (value) => typeof value === 'string' && UUID.test(value)

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/

/** The members of one JSON object. */
export class Members {
    /**
     * @param {unknown} value
     * @param {string} [name]
     */
    constructor(value, name = 'the object') {
        if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refuse(name)
        this.value = /** @type {Record<string, unknown>} */ (value)
    }

    /** null for what is left out, too. @param {string} name @returns {unknown} */
    raw(name) {
        return Object.hasOwn(this.value, name) ? this.value[name] ?? null : null
    }

    /**
     * @template T
     * @param {string} name
     * @param {(value: unknown) => T|null} read null where the value is not right
     * @returns {T}
     */
    required(name, read) {
        const value = read(this.raw(name))
        if (value === null) throw refuse(name)
        return value
    }

    /**
     * @template T
     * @param {string} name
     * @param {(value: unknown) => T|null} read
     * @returns {T|null}
     */
    optional(name, read) {
        const value = this.raw(name)
        return value === null ? null : this.required(name, read)
    }

    /** @param {string} name @param {number} most in UTF-16 units */
    text(name, most) {
        return this.required(name, text(most))
    }

    /** @param {string} name @param {number} most */
    textIfAny(name, most) {
        return this.optional(name, text(most))
    }

    /** @param {string} name */
    id(name) {
        return this.required(name, id)
    }

    /** @param {string} name */
    idIfAny(name) {
        return this.optional(name, id)
    }

    /** @param {string} name */
    uuid(name) {
        return this.required(name, uuid)
    }

    /** @param {string} name */
    uuidIfAny(name) {
        return this.optional(name, uuid)
    }

    /** @param {string} name */
    time(name) {
        return this.required(name, time)
    }

    /** @param {string} name */
    timeIfAny(name) {
        return this.optional(name, time)
    }

    /** @param {string} name @param {number} [most] */
    count(name, most = Number.MAX_SAFE_INTEGER) {
        return this.required(name, count(most))
    }

    /** @param {string} name @param {number} [most] */
    countIfAny(name, most = Number.MAX_SAFE_INTEGER) {
        return this.optional(name, count(most))
    }

    /** False where it is left out. @param {string} name */
    flag(name) {
        return this.optional(name, (value) => (typeof value === 'boolean' ? value : null)) ?? false
    }

    /** @param {string} name @param {number} least @param {number} [most] */
    bytes(name, least, most = least) {
        return this.required(name, bytes(least, most))
    }

    /** @param {string} name @param {number} least @param {number} [most] */
    bytesIfAny(name, least, most = least) {
        return this.optional(name, bytes(least, most))
    }

    /** @param {string} name */
    object(name) {
        return new Members(this.raw(name), name)
    }

    /** @param {string} name */
    objectIfAny(name) {
        return this.raw(name) === null ? null : this.object(name)
    }

    /**
     * @template T
     * @param {string} name
     * @param {number} most
     * @param {(member: Members) => T} read
     * @returns {readonly T[]}
     */
    objects(name, most, read) {
        const value = this.raw(name)
        if (!Array.isArray(value) || value.length > most) throw refuse(name)
        return Object.freeze(value.map((entry) => read(new Members(entry, name))))
    }

    /**
     * @template T
     * @param {string} name
     * @param {number} most
     * @param {(value: unknown) => T|null} read
     * @returns {readonly T[]}
     */
    values(name, most, read) {
        const value = this.raw(name)
        if (!Array.isArray(value) || value.length > most) throw refuse(name)
        return Object.freeze(value.map((entry) => {
            const one = read(entry)
            if (one === null) throw refuse(name)
            return one
        }))
    }

    /**
     * A table by the ids of users.
     *
     * @template T
     * @param {string} name
     * @param {number} most
     * @param {(value: unknown) => T|null} read
     * @returns {Map<string, T>}
     */
    byUser(name, most, read) {
        const table = new Map()
        const value = this.raw(name)
        if (value === null) return table
        const entries = Object.entries(new Members(value, name).value)
        if (entries.length > most) throw refuse(name)
        for (const [user, entry] of entries) {
            const one = read(entry)
            if (!isID(user) || one === null) throw refuse(name)
            table.set(user, one)
        }
        return table
    }
}

/** @param {number} most @returns {(value: unknown) => string|null} */
export const text = (most) => (value) =>
    typeof value === 'string' && value.length <= most && value.isWellFormed() ? value : null

/** @param {unknown} value */
export const id = (value) => (typeof value === 'string' && isID(value) ? value : null)

/** @param {unknown} value */
export const uuid = (value) => (isUUID(value) ? value : null)

/** Milliseconds since 1970. @param {unknown} value */
export function time(value) {
    if (typeof value !== 'string' || !TIME.test(value)) return null
    const milliseconds = Date.parse(value)
    return Number.isFinite(milliseconds) ? milliseconds : null
}

/** @param {number} most @returns {(value: unknown) => number|null} */
export const count = (most) => (value) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= most ? value : null

/**
 * @param {number} least
 * @param {number} most
 * @returns {(value: unknown) => Uint8Array|null}
 */
export const bytes = (least, most) => (value) => {
    if (typeof value !== 'string' || value.length > 4 * Math.ceil(most / 3)) return null
    const decoded = fromBase64(value)
    return decoded !== null && decoded.length >= least && decoded.length <= most ? decoded : null
}

/** @param {number} milliseconds since 1970 */
export const timeText = (milliseconds) => new Date(milliseconds).toISOString()
