// @ts-check
/** Web Push: registered at the gateway, opened by the service worker. */

import { fromBase64URL, toBase64URL } from '../crypto/bytes.js'
import { ClientError } from './errors.js'

export class Push {
    /** @param {import('./context.js').Context} context */
    constructor(context) {
        this.context = context
    }

    /** @returns {Promise<'on'|'off'|'denied'|'unsupported'>} */
    async state() {
        if (!('serviceWorker' in navigator) || !('PushManager' in globalThis)) return 'unsupported'
        if (Notification.permission === 'denied') return 'denied'
        const registration = await navigator.serviceWorker.getRegistration()
        const subscription = await registration?.pushManager.getSubscription()
        const isRegistered = await this.context.database.get('device', 'push')
        return subscription && isRegistered === subscription.endpoint ? 'on' : 'off'
    }

    /** @param {ServiceWorkerRegistration} registration */
    async enable(registration) {
        if (await Notification.requestPermission() !== 'granted') {
            throw new ClientError('forbidden', 'Notifications are not allowed.')
        }
        const key = fromBase64URL((await this.context.door.ask('gateway/info')).text('vapid_key', 200))
        if (key === null) throw new ClientError('bad_reply')
        // A subscription for another gateway's key is of no use.
        const old = await registration.pushManager.getSubscription()
        const oldKey = old?.options.applicationServerKey
        if (old && (!oldKey || toBase64URL(new Uint8Array(oldKey)) !== toBase64URL(key))) await old.unsubscribe()
        const subscription = await registration.pushManager.subscribe({
            userVisibleOnly: true, applicationServerKey: /** @type {any} */ (key),
        })
        const [p256dh, auth] = [subscription.getKey('p256dh'), subscription.getKey('auth')]
        if (p256dh === null || auth === null) {
            throw new ClientError('forbidden', 'This browser gives no keys for pushes.')
        }
        await this.context.door.ask('push/register', {
            provider: 'webpush', endpoint: subscription.endpoint, p256dh: toBase64URL(new Uint8Array(p256dh)),
            auth: toBase64URL(new Uint8Array(auth)),
        })
        await this.context.database.put('device', subscription.endpoint, 'push')
    }

    async disable() {
        await this.end()
        await this.context.database.delete('device', 'push')
        await this.context.door.ask('push/unregister')
    }

    /** In this browser alone: notifications that are shown are closed, and no more come. */
    async end() {
        const registration = await navigator.serviceWorker?.getRegistration()
        for (const shown of await registration?.getNotifications() ?? []) shown.close()
        await (await registration?.pushManager?.getSubscription())?.unsubscribe()
    }
}
