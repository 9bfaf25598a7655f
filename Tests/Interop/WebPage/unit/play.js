// @ts-check
/**
 * One lie, told once: about Bob, at some moment, and then a message to him. The same as
 * Tests/Adversaries/LyingGatewayTests/Play.swift, and what must come of it is the same, too.
 */
import { EVENTS } from './false-words.js'
import { listingsOf } from './false-listings.js'
import { Gateway } from './gateway.js'
import { WORDS } from './sealing.js'

export const [FIRST, BETWEEN, ACCEPTING] = [
    'before first contact', 'between two sends', 'between comparing and accepting',
]

/**
 * @typedef {'certified'|'uncertified'|'group'|'newGroup'} Scene
 * @typedef {{name: string, scene: Scene, moment: string}} Play
 *
 * @typedef {object} Outcome
 * @property {any[]} readings what the attacker could open of what was sent
 * @property {boolean} isBelieved whether the attacker's words were shown as somebody else's
 * @property {boolean} isHeard whether Bob's devices could open it
 * @property {boolean} isWarned whether the person was told that something is wrong
 * @property {() => Promise<boolean>} hasTrueNumber whether the number that is shown is what the other sees
 */

/** Told in what is asked for with each new connection. */
export const CONNECTING = new Set([
    'conversation.thirdInList', 'conversation.thirdInSync', 'conversation.thirdInUnknownType',
    'conversation.userLeftOut', 'conversation.swappedInList', 'conversation.directAsGroupInList',
])

/** @param {string} name */
export const isEvent = (name) => Object.hasOwn(EVENTS, name)

/** What tells a person nothing of a danger. */
const HARMLESS = new Set(['accepted', 'verified', 'met'])

/** @param {{name: string, value: any}} told */
const warns = ({ name, value }) => name !== 'link-offered' && !(name === 'keys' && HARMLESS.has(value.kind))

/** @param {import('/client/types.js').Message} message */
const isMarked = ({ state, isLegacy, status, leftOut }) =>
    state === 'unopened' || isLegacy || status === 'failed' || leftOut.length > 0

/** @param {import('/client/types.js').Message} message */
export const isBelieved = ({ state, isLegacy, content }) => state === 'opened' && !isLegacy && content?.text === WORDS

class Stage {
    /** @param {Gateway} gateway @param {Play} play @param {string} group */
    constructor(gateway, play, group) {
        this.gateway = gateway
        this.play = play
        this.group = group
        this.toldBefore = 0
        /** @type {Outcome} */
        this.outcome = {
            readings: [], isHeard: false, isBelieved: false, isWarned: false, hasTrueNumber: async () => false,
        }
    }

    /** The conversation, as a person gets it; null where the client refuses it. */
    async contact() {
        const { conversations } = this.gateway.client
        try {
            if (this.play.scene === 'newGroup') return (await conversations.createGroup('', ['bob', 'dora'])).id
            if (this.play.scene === 'group') return (await conversations.get(this.group))?.id ?? null
            return (await conversations.direct('bob')).id
        } catch (error) {
            if (/** @type {any} */ (error).code !== 'gateway_fault') throw error
            this.outcome.isWarned = true
            return null
        }
    }

    async beginHonestly() {
        const conversation = await this.contact()
        if (conversation === null) return
        await this.gateway.write(conversation, 'before')
        await this.gateway.settled()
        if (this.play.moment === ACCEPTING) await this.gateway.reset('bob')
        await this.gateway.settled()
    }

    /** The keys are fetched again, as another message or another look at them has it. */
    look() {
        return this.gateway.client.exchange.fetch('bob').catch(() => undefined)
    }

    /** The number of keys that are fetched now: thousands of hashes. */
    async number() {
        await this.look()
        return this.gateway.client.keys.safetyNumber('bob').catch(() => null)
    }

    /** @param {boolean} isTold */
    async tell(isTold) {
        const { gateway } = this
        const { name, moment } = this.play
        const tellsBeforeComparing = name === 'keys.comparedIsNotFetched'
        let compared = moment === ACCEPTING && !tellsBeforeComparing ? await this.number() : null
        if (moment === FIRST && isEvent(name)) await gateway.acquaint()
        await gateway.settled()
        this.toldBefore = moment === FIRST ? 0 : gateway.told.length
        if (isTold) await gateway.tell(name)
        if (tellsBeforeComparing) compared = await this.number()
        if (moment === BETWEEN && CONNECTING.has(name)) await gateway.connect()
        if (moment === BETWEEN) for (const user of ['bob', gateway.alice]) gateway.announceKeys(user)
        await gateway.settled()
        if (compared) {
            await this.look()
            await gateway.client.keys.accept(compared).catch(() => undefined)
        }
        for (let count = 1; isTold && count < listingsOf(name); count++) await this.look()
    }

    /** Writes what the attacker would like to read, and sees what came of it. */
    async send() {
        const { gateway, outcome } = this
        const { client } = gateway
        const before = gateway.heard.length
        client.exchange.markStale('bob')
        const conversation = await this.contact()
        if (conversation !== null) await client.messages.sendText(conversation, 'a secret')
        // When this is out, all before has had its turn.
        await gateway.write((await client.conversations.direct('dora')).id, 'anything')
        await gateway.settled()
        const pages = await Promise.all([...client.logs.states.keys()].map((id) => client.messages.page(id)))
        const messages = pages.flatMap((page) => page.messages)
        outcome.readings = gateway.readings
        outcome.isHeard = gateway.heard.slice(before).some((users) => users.has('bob'))
        outcome.isBelieved = messages.some(isBelieved)
        outcome.isWarned ||= messages.some(isMarked) || gateway.told.slice(this.toldBefore).some(warns)
        outcome.hasTrueNumber = async () => {
            const number = await this.number()
            return number !== null && gateway.isTrue(number.digits)
        }
        return outcome
    }
}

/**
 * @param {Play} play
 * @param {boolean} [isHonest] whether the lie is left out, and all the rest done
 * @returns {Promise<Outcome & {close: () => void}>}
 */
export async function perform(play, isHonest = false) {
    const { name, scene, moment } = play
    const gateway = await Gateway.make({ hasAccount: scene !== 'uncertified' })
    const stage = new Stage(gateway, play, gateway.makeGroup().id)
    const isToldBefore = moment === FIRST && !isEvent(name)
    if (isToldBefore) {
        if (CONNECTING.has(name)) await gateway.directWith()
        if (!isHonest) await gateway.tell(name)
    }
    await gateway.connect()
    if (moment !== FIRST) await stage.beginHonestly()
    await stage.tell(!isToldBefore && !isHonest)
    return { ...await stage.send(), close: () => gateway.client.close() }
}
