// @ts-check
/** Who is typing: told at most every few seconds, and forgotten when no word comes. */

/** A start lasts five seconds at the gateway. */
const RENEWAL = 3000
const LONGEST = 6000

export class Typing {
    /**
     * @param {import('./context.js').Context} context
     * @param {import('./logs.js').Logs} logs
     * @param {(type: string, data: object) => void} say
     */
    constructor(context, logs, say) {
        this.context = context
        this.logs = logs
        this.say = say
        /** @type {Map<string, number>} */
        this.startedAt = new Map()
        /** @type {Map<string, ReturnType<typeof setTimeout>>} */
        this.others = new Map()
    }

    /** @param {string} conversation */
    start(conversation) {
        const now = Date.now()
        if (now - (this.startedAt.get(conversation) ?? 0) < RENEWAL) return
        this.startedAt.set(conversation, now)
        this.say('typing.start', { conversation_id: conversation })
    }

    /** @param {string} conversation */
    stop(conversation) {
        if (!this.startedAt.delete(conversation)) return
        this.say('typing.stop', { conversation_id: conversation })
    }

    /** @param {string} conversation @param {string} user @param {boolean} isTyping */
    heard(conversation, user, isTyping) {
        const isMember = this.logs.get(conversation)?.object.members.some((member) => member.user === user)
        if (!isMember || user === this.context.address.user) return
        const name = `${conversation} ${user}`
        const timer = this.others.get(name)
        clearTimeout(timer)
        this.others.delete(name)
        if (isTyping) this.others.set(name, setTimeout(() => this.heard(conversation, user, false), LONGEST))
        if (isTyping !== (timer !== undefined)) this.context.emit('typing', { conversation, user, isTyping })
    }
}
