// @ts-check
/** When what waits to be sent is due: each item by itself, so that one that waits holds up only its conversation. */

/** In milliseconds, whatever the gateway says. */
const LONGEST_LIMIT = 600000
const LONGEST_PAUSE = 60000
const FIRST_PAUSE = 500

export class Pacing {
    constructor() {
        /** By the items' ids. @type {Map<string, {due: number, pauses: number, refusals: number}>} */
        this.paces = new Map()
        /** The gateway's rate limit ends then. */
        this.limitedUntil = 0
    }

    /** A new connection: everything is due at once. */
    reset() {
        this.paces.clear()
        this.limitedUntil = 0
    }

    /** @param {string} id */
    delete(id) {
        this.paces.delete(id)
    }

    /** @param {string} id */
    #of(id) {
        return this.paces.get(id) ?? { due: 0, pauses: 0, refusals: 0 }
    }

    get isLimited() {
        return this.limitedUntil > Date.now()
    }

    /** @param {number|null} time in milliseconds */
    limit(time) {
        this.limitedUntil = Date.now() + Math.min(time ?? 1000, LONGEST_LIMIT)
    }

    /** @param {string} id */
    isDue(id) {
        return this.#of(id).due <= Date.now()
    }

    /** When an item is due that was postponed; `Infinity` for others. @param {string} id */
    due(id) {
        return this.paces.get(id)?.due || Infinity
    }

    /** @param {string} id @param {number|null} least in milliseconds */
    postpone(id, least) {
        const pace = this.#of(id)
        const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** pace.pauses) * (0.5 + Math.random())
        const due = Date.now() + Math.max(Math.min(least ?? 0, LONGEST_LIMIT), pause)
        this.paces.set(id, { ...pace, due, pauses: pace.pauses + 1 })
    }

    /** The gateway wants it sealed for other devices. @param {string} id @returns {number} how often it has said so */
    countRefusal(id) {
        const pace = this.#of(id)
        this.paces.set(id, { ...pace, refusals: pace.refusals + 1 })
        return pace.refusals + 1
    }
}
