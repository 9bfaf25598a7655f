// @ts-check
/** Disappearing messages leave this device when their time is over. */

const INTERVAL = 15000

export class Expiry {
    /** @param {import('./context.js').Context} context */
    constructor(context) {
        this.context = context
        /** @type {ReturnType<typeof setInterval>|undefined} */
        this.timer = undefined
    }

    start() {
        this.stop()
        this.timer = setInterval(() => this.#sweep().catch(() => undefined), INTERVAL)
        this.#sweep().catch(() => undefined)
    }

    stop() {
        clearInterval(this.timer)
    }

    async #sweep() {
        const range = IDBKeyRange.upperBound(this.context.now())
        /** @type {Map<string, string[]>} */
        const gone = new Map()
        await this.context.database.transaction(['records'], 'readwrite', async (transaction) => {
            for (const row of await transaction.byIndex('records', 'expiry', range)) {
                await transaction.delete('records', [row.conversation, row.chapter, row.seq])
                gone.set(row.conversation, [...gone.get(row.conversation) ?? [], row.id])
            }
        })
        for (const [conversation, ids] of gone) this.context.emit('messages', { conversation, ids })
        if (gone.size > 0) this.context.emit('conversations', { ids: [...gone.keys()] })
    }
}
