// @ts-check
/** One signed-in device. What it offers the views is in types.js. */

import { Context } from './context.js'
import { Conversations } from './conversations.js'
import { dropDevice } from './database.js'
import { Delivery } from './delivery.js'
import { eventHandler } from './events.js'
import { Expiry } from './expiry.js'
import { KeyExchange } from './key-exchange.js'
import { lazy } from './lazy.js'
import { Logs } from './logs.js'
import { Messages } from './messages.js'
import { Notifications } from './notifications.js'
import { Outbox } from './outbox.js'
import { People, Requests } from './people.js'
import { Receipts } from './receipts.js'
import { Reopening } from './reopening.js'
import { Resending } from './resending.js'
import { isChange, isUnreadable } from './rows.js'
import { Session } from './session.js'
import { Sync } from './sync.js'
import { Typing } from './typing.js'

/** How long signing out waits for the gateway. */
const FAREWELL = 5000

export class Client {
    /** @param {Context} context */
    constructor(context) {
        this.context = context
        this.address = context.address
        this.logs = new Logs(context)
        this.exchange = new KeyExchange(context)
        this.delivery = new Delivery(context, this.logs, this.exchange)
        this.sync = new Sync(context, this.logs, this.delivery)
        this.outbox = new Outbox(context, this.logs, this.delivery, this.exchange, this.sync)
        this.receipts = new Receipts(context, this.logs)
        this.reopening = new Reopening(context, this.logs, this.exchange, this.delivery)
        this.resending = new Resending(context, this.logs, this.outbox, this.exchange)
        this.session = new Session(context, {
            connected: () => this.#connected(),
            event: (type, data) => this.heard(type, data),
            changed: (connection) => context.emit('connection', connection),
        })
        this.expiry = new Expiry(context)

        this.messages = new Messages(context, this.logs, this.sync, this.outbox, this.receipts)
        this.conversations = new Conversations(context, this.logs, this.sync, this.messages)
        this.typing = new Typing(context, this.logs, (type, data) => this.session.say(type, data))
        this.people = new People(context)
        this.requests = new Requests(context, this.logs, this.delivery, this.sync, this.conversations)
        this.notifications = new Notifications(context)
        const account = () => import('./account.js')
        const training = () => import('./training.js')
        this.keys = lazy(async () => new (await import('./keys.js')).Keys(context, this.exchange))
        this.devices = lazy(async () => new (await account()).Devices(context, this.exchange))
        this.account = lazy(async () => new (await account()).Account(context, this.exchange, this))
        this.linking = lazy(async () => new (await import('./linking.js')).Linking(context, this.exchange))
        this.attachments = lazy(async () => new (await import('./attachments.js')).Attachments(context, this.outbox))
        this.groups = lazy(async () => new (await training()).Groups(context))
        this.boards = lazy(async () => new (await training()).Boards(context))
        this.workouts = lazy(async () => new (await training()).Workouts(context))
        this.challenges = lazy(async () => new (await training()).Challenges(context))
        this.activity = lazy(async () => new (await import('./activity.js')).Activity(context))
        this.push = lazy(async () => new (await import('./push.js')).Push(context))

        this.heard = eventHandler(this)
        this.outbox.isOnline = this.receipts.isOnline = () => this.session.isOnline
        this.delivery.after.push((id, kept) => {
            this.outbox.drop(new Set(kept.map(({ record }) => record.id)))
            this.receipts.received(id, kept)
            this.resending.consider(id, kept).catch(() => undefined)
            this.#tellUnopened(id, kept)
        })
        this.reopening.after.push((id, kept) => void this.resending.consider(id, kept).catch(() => undefined))
        this.delivery.queued = (id) => this.outbox.find(id)
        context.channel.onmessage = ({ data }) => this.#told(data)
    }

    /**
     * @param {{user: string, device: string}} address
     * @param {string} [origin]
     */
    static async open(address, origin = location.origin) {
        const client = new Client(await Context.open(address, origin))
        await Promise.all([client.logs.load(), client.outbox.load()])
        return client
    }

    /** @param {string} name @param {(argument: any) => void} handler */
    on(name, handler) {
        return this.context.on(name, handler)
    }

    get connection() {
        return this.session.connection
    }

    get isLinked() {
        return this.context.keys.isLinked
    }

    start() {
        // Not in the service worker, which may end in the middle of it: the page opens what is left, when it starts.
        this.context.afterKeys.push((user) => this.#keysChanged(user))
        this.reopening.of().catch(() => undefined)
        this.session.start()
        this.expiry.start()
    }

    close() {
        this.session.stop()
        this.expiry.stop()
        this.context.close()
    }

    /** Ends the device at the gateway, if that can be reached, and removes all that this browser keeps of it. */
    async signOut() {
        const { door, address } = this.context
        // First, as it needs no connection.
        await this.push.end().catch(() => undefined)
        const fields = { device_id: address.device }
        await door.request('devices/revoke', fields, { timeout: FAREWELL }).catch(() => undefined)
        await this.remove()
    }

    /** Removes all that this browser keeps of the device, and ends it in all tabs. */
    async remove() {
        this.session.stop()
        this.expiry.stop()
        await this.push.end().catch(() => undefined)
        this.context.database.close()
        await dropDevice(this.address)
        this.context.tell({ kind: 'removed' })
        this.context.close()
        this.context.emit('removed', {})
    }

    /** After each connection: what the gateway knows of this device, and what was missed. */
    async #connected() {
        const { door } = this.context
        const info = await door.ask('gateway/info')
        const time = info.timeIfAny('server_time')
        if (time !== null) this.context.clockOffset = time - Date.now()
        this.exchange.reset()
        // Others can write to this device from then on.
        const published = this.exchange.publish().then(() => this.delivery.renewCipher())
        await published.catch(() => undefined)
        await this.sync.all()
        this.receipts.flush()
        this.outbox.connected()
        const uploads = await this.context.database.transaction(['uploads'], 'readonly', (transaction) => (
            transaction.keys('uploads')))
        if (uploads.length > 0) this.attachments.resume().catch(() => undefined)
        await published
        this.#fetchAwaited().catch(() => undefined)
        await this.notifications.list().catch(() => undefined)
        this.context.emit('notifications', { unread: this.notifications.unread })
    }

    /** Keys that could not be had when a message came. */
    async #fetchAwaited() {
        await this.reopening.running
        for (const user of this.exchange.awaited) {
            if (!this.context.book.isKnown(user)) await this.exchange.fetch(user).catch(() => undefined)
        }
    }

    /**
     * Nothing is seen of a change that does not open, so that it is told.
     *
     * @param {string} conversation
     * @param {import('./rows.js').Kept[]} kept
     */
    #tellUnopened(conversation, kept) {
        const changes = kept.filter((each) => isChange(each.record) && isUnreadable(each, this.address))
        if (changes.length > 0) {
            this.context.emit('unopened-changes', { conversation, sender: changes[0].record.sender })
        }
    }

    /** @param {string} user */
    #keysChanged(user) {
        this.reopening.of(user).catch(() => undefined)
        this.outbox.forgetSealed(user).catch(() => undefined)
        const ids = [...this.logs.states.values()].filter(({ object }) => object.members.some((member) => (
            member.user === user))).map(({ id }) => id)
        this.context.emit('conversations', { ids })
        if (user === this.address.user) this.context.emit('devices', {})
    }

    /** Another tab has done something. @param {import('./context.js').TabMessage} message */
    async #told(message) {
        switch (message.kind) {
            case 'peers': return this.context.book.reload(message.user)
            case 'log':
                this.outbox.drop(new Set(message.ids))
                await this.logs.reload(message.conversation)
                return this.context.emit('messages', { conversation: message.conversation, ids: message.ids })
            case 'conversations':
                await Promise.all(message.ids.map((id) => this.logs.reload(id)))
                return this.context.emit('conversations', { ids: message.ids })
            case 'outbox': return this.outbox.reload()
            case 'keys':
                await this.context.keys.reload()
                this.delivery.renewCipher()
                return this.context.emit('devices', {})
            case 'removed':
                this.close()
                return this.context.emit('removed', {})
        }
    }
}
