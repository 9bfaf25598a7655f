// @ts-check
/**
 * A gateway in a page, and Alice's client: all that it says is true, but for the lies that are told. The same as
 * Tests/Adversaries/LyingGateway, and its lies have the same names.
 */
import { fromBase64, isZero, toBase64 } from '/crypto/bytes.js'
import { signingOf } from '/crypto/curves.js'
import { directConversation, fingerprint, keyIDOf, safetyDigits } from '/crypto/names.js'
import { ClientError } from '/client/errors.js'
import { Members } from '/client/read.js'
import { EVENTS, OBJECTS } from './false-words.js'
import { LISTINGS } from './false-listings.js'
import { recordOf } from './sealing.js'
import { Device, TIME, until, uuid, world } from './world.js'

const EARLIER = '2025-01-15T09:30:00.000Z'

/** The gateway's own person, and what every false device is; made once for all tests. */
const attacker = (async () => {
    const account = await signingOf(crypto.getRandomValues(new Uint8Array(32)))
    const [identity, phone] = await Promise.all([
        Device.make('mallory', 'x', null), Device.make('mallory', 'phone', account),
    ])
    return { account, identity, phone }
})()

/** Lies that are told here and nowhere else. */
const KNOWN = /^(refusal\.(withoutEnd|namesStranger)|link\.(accountRefused|ghostListedAsCertified))$/

/** @param {Uint8Array} key */
const idOf = (key) => toBase64(keyIDOf(key))

/** @param {string} text */
const idOfText = (text) => idOf(/** @type {any} */ (fromBase64(text)))

/** @typedef {{id: string, type: string, members: string[], records: any[], updatedAt: number}} Thread */

export class Gateway {
    /** @param {{hasAccount?: boolean}} [options] whether Bob has an account key */
    static async make({ hasAccount = true } = {}) {
        const gateway = new Gateway(await world(), await attacker)
        // All but the connection, which the tests are.
        gateway.client.session.start = () => undefined
        gateway.client.start()
        await Promise.all([gateway.add('bob', hasAccount), gateway.add('dora', true)])
        gateway.otherID = await directConversation(gateway.alice, 'mallory')
        const mallory = gateway.attacker.phone.listed
        gateway.published.set('mallory', { account: toBase64(gateway.attacker.account.publicKey), devices: [mallory] })
        return gateway
    }

    /** @param {Awaited<ReturnType<typeof world>>} state @param {any} attacker */
    constructor(state, attacker) {
        this.alice = state.alice
        this.client = state.client
        this.context = state.context
        this.answers = state.answers
        this.asked = state.asked
        this.attacker = attacker
        this.time = Date.parse(TIME)
        /** Of a conversation that is told of and is none. */
        this.falseID = uuid()
        /** Of the true one with the attacker. */
        this.otherID = ''
        /** @type {Map<string, any>} */
        this.people = new Map()
        /** @type {Map<string, {account: string|null, devices: any[]}>} */
        this.published = new Map()
        /** @type {Map<string, Promise<Uint8Array>>} */
        this.prints = new Map()
        /** @type {Map<string, Thread>} */
        this.threads = new Map()
        /** @type {Set<string>} about Bob */
        this.lies = new Set()
        this.fetches = 0
        this.refusesOnce = false
        this.takesAnything = false
        /** Messages that are sealed for the attacker. @type {any[]} */
        this.readings = []
        /** The users who could open each message. @type {Set<string>[]} */
        this.heard = []
        /** What is told, in order. @type {{name: string, value: any}[]} */
        this.told = []
        for (const name of ['keys', 'fault', 'members', 'resend', 'unopened-changes', 'link-offered']) {
            this.client.on(name, (value) => this.told.push({ name, value }))
        }
        Object.assign(this.answers, this.#answers())
    }

    tick() {
        this.time += 1000
        return new Date(this.time).toISOString()
    }

    // People

    /** @param {string} user @param {boolean} hasAccount */
    async add(user, hasAccount) {
        const account = hasAccount ? await signingOf(crypto.getRandomValues(new Uint8Array(32))) : null
        const stolen = await Device.make(user, 'phone', account, EARLIER)
        this.people.set(user, { account, stolen })
        await this.renewKeys(user)
    }

    /** An honest change: other keys of a device, or a device more. @param {string} user @param {string} [name] */
    async renewKeys(user, name = 'phone') {
        const person = this.people.get(user)
        const device = await Device.make(user, name, person.account, this.tick())
        if (name === 'phone') person.phone = device
        const others = (this.published.get(user)?.devices ?? []).filter(({ device_id: other }) => other !== name)
        const account = person.account && toBase64(person.account.publicKey)
        this.published.set(user, { account, devices: [...others, device.listed] })
        this.announceKeys(user)
    }

    /** An honest change: a person has lost everything. @param {string} user */
    async reset(user) {
        const { account, phone } = this.people.get(user)
        this.published.delete(user)
        await this.add(user, account !== null)
        this.people.get(user).stolen = phone
    }

    /** @param {string} user */
    announceKeys(user) {
        this.publish('keys.changed', { user_id: user })
    }

    /** Whether a number is what the other person sees. @param {string} digits */
    async isTrue(digits) {
        const { account } = this.people.get('bob')
        const devices = [...this.published.get('bob')?.devices ?? []].sort((one, other) => (
            one.device_id < other.device_id ? -1 : 1))
        const own = /** @type {Uint8Array} */ (this.context.keys.account)
        const [one, other] = await Promise.all([
            this.#print(this.alice, own),
            this.#print('bob', account?.publicKey ?? devices.map(({ identity_key: key }) => (
                /** @type {Uint8Array} */ (fromBase64(key))))),
        ])
        return safetyDigits(one, other) === digits
    }

    /** Thousands of hashes. @param {string} user @param {Uint8Array|Uint8Array[]} keys */
    #print(user, keys) {
        const name = `${user} ${[keys].flat().map(toBase64)}`
        const print = this.prints.get(name) ?? fingerprint(user, keys)
        this.prints.set(name, print)
        return print
    }

    // What is said

    /** @param {string} type @param {object} data */
    publish(type, data) {
        this.client.heard(type, new Members(structuredClone(data)))
    }

    /** A lie about Bob, from now on. @param {string} name */
    async tell(name) {
        if (!KNOWN.test(name) && !EVENTS[name] && !OBJECTS[name] && !LISTINGS[name]) throw new Error(`no lie: ${name}`)
        this.lies.add(name)
        this.fetches = 0
        // What is told where a conversation is asked for anew is asked for then.
        if (/OnGet$|AfterRefusal$/.test(name)) this.refusesOnce = true
        for (const [type, data] of await EVENTS[name]?.(this) ?? []) this.publish(type, data)
    }

    beHonest() {
        this.lies.clear()
        this.refusesOnce = false
    }

    async connect() {
        await this.client.session.handlers.connected()
        await this.settled()
    }

    /** Until the client has taken up all that was published. */
    async settled() {
        const { sync, exchange, reopening } = this.client
        do {
            await Promise.all([...sync.turns.values(), ...[...exchange.fetches.values()].map((each) => (
                each.catch(() => undefined)))])
            await reopening.running
            await new Promise((resolve) => setTimeout(resolve))
        } while (sync.turns.size + exchange.fetches.size > 0)
    }

    /** Writes, and waits until it is out. @param {string} conversation @param {string} text */
    async write(conversation, text) {
        const id = await this.client.messages.sendText(conversation, text)
        await until(async () => ['sent', 'delivered', 'read'].includes(
            (await this.client.messages.get(id))?.status ?? ''))
        return id
    }

    // Keys

    /** The keys of a user as they are told. @param {string} user @param {boolean} isFetch one listing more */
    async listing(user, isFetch) {
        const { account, devices } = this.published.get(user) ?? { account: null, devices: [] }
        const isOwn = user === this.alice
        const own = isOwn ? devices.filter(({ device_id: device }) => device === 'web') : []
        const others = devices.filter((device) => !own.includes(device))
        let told = { user_id: user, account_key: account, devices: others }
        if (user === 'bob' || isOwn) {
            const number = Math.max(0, this.fetches - (isFetch ? 0 : 1))
            for (const name of [...this.lies].sort()) {
                if (LISTINGS[name]?.isOwn === isOwn) told = await LISTINGS[name].told(this, told, number)
            }
        }
        return { ...told, devices: [...own, ...told.devices] }
    }

    /** @param {any} fields of a message @param {Thread} thread */
    async #refuseStale(fields, thread) {
        const stale = (/** @type {any[]} */ missing) => {
            throw new ClientError('stale_devices', undefined, { details: { missing, extra: [] } })
        }
        const [stranger, named] = [{ user_id: 'mallory', device_id: 'x' }, fields.recipient_keys ?? null]
        if (this.takesAnything) return
        if (thread.members.includes('bob')) {
            if (this.lies.has('refusal.withoutEnd')) stale([{ user_id: 'bob', device_id: 'phone' }])
            if (this.lies.has('refusal.namesStranger')) stale([stranger])
            const refuses = this.refusesOnce
            this.refusesOnce = false
            if (refuses) stale([stranger])
            // Who lies about the members wants what comes of it, whomever it is sealed for.
            if ([...this.lies].some((name) => name.startsWith('conversation.'))) return
        }
        const listings = await Promise.all(thread.members.map((user) => this.listing(user, false)))
        const keys = new Map(listings.flatMap(({ user_id: user, devices }) => (
            devices.slice(0, 128).map(({ device_id: device, identity_key: key }) => (
                [`${user}/${device}`, idOfText(key)])))))
        keys.delete(`${this.alice}/web`)
        if (named === null) {
            if (keys.size > 1 || fields.recipient_key_id !== [...keys.values()][0]) stale([])
            return
        }
        const given = new Map(named.map((/** @type {any} */ { user_id: user, device_id: device, key_id: id }) => (
            [`${user}/${device}`, id])))
        if (given.size !== keys.size || [...keys].some(([name, id]) => given.get(name) !== id)) stale([])
    }

    /** Who can open it. @param {any} fields @param {Thread} thread */
    #read(fields, thread) {
        const { identity, phone } = this.attacker
        const foes = [identity, phone, ...[...this.people.values()].map(({ stolen }) => stolen)]
            .map((device) => idOf(device.identity.publicKey))
        const named = (fields.recipient_keys ?? []).filter((/** @type {any} */ { encrypted_key: key }) => (
            !isZero(/** @type {any} */ (fromBase64(key)))))
        const ids = fields.recipient_keys ? named.map((/** @type {any} */ each) => each.key_id)
            : [fields.recipient_key_id]
        if (ids.some((/** @type {string} */ id) => foes.includes(id))) this.readings.push(fields)
        this.heard.push(new Set(thread.members.filter((user) => (
            this.published.get(user)?.devices.some((device) => ids.includes(idOfText(device.identity_key)))))))
    }

    // Conversations

    /** @param {string} id @param {string} type @param {string[]} members @returns {Thread} */
    #make(id, type, members) {
        const thread = { id, type, members, records: [], updatedAt: Date.parse(this.tick()) }
        this.threads.set(id, thread)
        return thread
    }

    async directWith(user = 'bob') {
        const id = await directConversation(this.alice, user)
        return this.threads.get(id) ?? this.#make(id, 'direct', [this.alice, user])
    }

    /** The other of the two has begun their conversation. */
    async acquaint() {
        const thread = await this.directWith()
        this.publish('conversation.created', this.object(thread, 'created'))
    }

    makeGroup() {
        return this.#make(uuid(), 'group', [this.alice, 'bob', 'dora'])
    }

    /**
     * A conversation as it is told.
     *
     * @param {Thread} thread
     * @param {'sync'|'get'|'create'|'update'|'created'} place
     */
    object(thread, place) {
        let told = { id: thread.id, type: thread.type, members: thread.members, updatedAt: thread.updatedAt }
        for (const name of thread.members.includes('bob') ? this.lies : []) {
            if (!OBJECTS[name]?.places.includes(place)) continue
            // Later than what is known, so that it counts.
            told = OBJECTS[name].told(this, { ...told, updatedAt: told.updatedAt + 1000000 })
        }
        return {
            id: told.id, type: told.type, name: told.type === 'group' ? 'a group' : null, created_by: this.alice,
            created_at: TIME, updated_at: new Date(told.updatedAt).toISOString(), epoch: 'e',
            last_seq: thread.records.length,
            members: told.members.map((user) => ({ user_id: user, username: user, role: 'member', joined_at: TIME })),
        }
    }

    /** A conversation, or one that is told of and is none. @param {string} id @returns {Thread} */
    #known(id) {
        const thread = this.threads.get(id)
        if (thread?.members.includes(this.alice)) return thread
        if (id !== this.falseID && id !== this.otherID) throw new ClientError('not_found')
        const type = this.lies.has('conversation.newGroupUnderAnotherID') ? 'group' : 'direct'
        return { id, type, members: [this.alice, 'mallory'], records: [], updatedAt: this.time }
    }

    /** @param {any} fields */
    async #create({ type, id, participant_ids: users }) {
        const thread = type === 'direct' ? await this.directWith(users[0])
            : this.threads.get(id) ?? this.#make(id, 'group', [this.alice, ...users])
        return this.object(thread, 'create')
    }

    /** @param {any} fields */
    #sync({ cursors }) {
        const conversations = [...this.threads.values()].map((thread) => ({
            conversation_id: thread.id, recovered: true, epoch: 'e', last_seq: thread.records.length,
            messages: thread.records.filter(({ seq }) => seq > (cursors[thread.id]?.seq ?? 0)).slice(0, 200),
            watermarks: {}, unread_count: 0, conversation: this.object(thread, 'sync'),
        }))
        return { conversations, left: [], complete: true, next_cursor: null }
    }

    /** @param {any} fields */
    #history({ conversation_id: id, limit, before = Infinity, after = 0 }) {
        const { records } = this.#known(id)
        const all = records.filter(({ seq }) => seq < before && seq > after)
        const messages = after > 0 ? all.slice(0, limit) : all.slice(-limit)
        return {
            messages, has_more: messages.length < all.length, epoch: 'e', last_seq: records.length,
            found_oldest: after === 0 && messages.length === all.length, found_newest: true,
        }
    }

    // Messages

    /** @param {any} fields */
    async #send(fields) {
        const thread = this.#known(fields.conversation_id)
        if (thread.records.some(({ id }) => id === fields.id)) return {}
        await this.#refuseStale(fields, thread)
        this.#read(fields, thread)
        const record = recordOf(thread, { user: this.alice, device: 'web' }, this.tick(), fields)
        queueMicrotask(() => this.publish('message.new', this.append(record, thread)))
        return {}
    }

    /** @param {any} record at the end of the log @param {Thread} thread */
    append(record, thread) {
        const appended = { ...record, conversation_id: thread.id, seq: thread.records.length + 1 }
        thread.records.push(appended)
        return appended
    }

    // Requests

    /** @returns {Record<string, (fields: any) => any>} */
    #answers() {
        return {
            'gateway/info': () => ({}), 'receipts/read': () => ({}), 'receipts/delivered': () => ({}),
            'messages/react': () => ({}), 'messages/edit': () => ({}), 'messages/delete': () => ({}),
            'notifications/list': () => ({ items: [], next_cursor: null, unread_count: 0 }),
            'conversations/create': (fields) => this.#create(fields),
            'conversations/get': ({ conversation_id: id }) => this.object(this.#known(id), 'get'),
            'sync/get': (fields) => this.#sync(fields), 'history/get': (fields) => this.#history(fields),
            'messages/send': (fields) => this.#send(fields), 'keys/publish': (fields) => this.#publishKeys(fields),
            'keys/get': async ({ user_id: user }) => {
                const told = await this.listing(user, true)
                if (user === 'bob') this.fetches++
                return told
            },
            'devices/list': async () => ({
                devices: (await this.listing(this.alice, false)).devices.map(({ device_id: device, certificate }) => ({
                    device_id: device, has_keys: true, expires_at: '2099-01-15T09:30:00.000Z',
                    is_certified: certificate !== null || this.lies.has('link.ghostListedAsCertified'),
                })),
            }),
        }
    }

    /** @param {any} fields */
    #publishKeys({ account_key: account = null, reset = false, ...fields }) {
        const known = this.published.get(this.alice)
        const isOther = account !== null && known?.account && known.account !== account
        if ((account !== null && this.lies.has('link.accountRefused')) || (isOther && !reset)) {
            throw new ClientError('conflict')
        }
        const others = (known?.devices ?? []).filter(({ device_id: device }) => device !== 'web')
        const device = { device_id: 'web', certificate: null, issued_at: null, created_at: TIME, ...fields }
        this.published.set(this.alice, { account: account ?? known?.account ?? null, devices: [...others, device] })
        return {}
    }
}
