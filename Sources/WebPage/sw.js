// @ts-check
/**
 * The service worker: the page without a connection, and notifications of what is pushed. Files are asked for at the
 * door first, which answers «not modified» for those that are the same; what is kept serves when it does not answer.
 */
import { openPush } from './client/push-opener.js'

const CACHE = 'parley-page'
/** In milliseconds; a door that is slower to begin gives way to what is kept. */
const PATIENCE = 4000
/** @type {any} */
const worker = self

worker.addEventListener('install', (/** @type {any} */ event) => event.waitUntil(worker.skipWaiting()))

worker.addEventListener('activate', (/** @type {any} */ event) => event.waitUntil(worker.clients.claim()))

worker.addEventListener('fetch', (/** @type {any} */ event) => {
    const { request } = event
    const url = new URL(request.url)
    const isOfPage = request.method === 'GET' && url.origin === location.origin
        && !/^\/(api|ws|mqtt)(\/|$)/.test(url.pathname)
    if (isOfPage) event.respondWith(answer(event, url))
})

/** @param {any} event @param {URL} url */
async function answer(event, url) {
    /** @type {Request} */
    const request = event.request
    // All paths that the page routes are its index; a file that is opened by itself is not.
    const name = request.mode === 'navigate' && !/\.[^/]+$/.test(url.pathname) ? '/' : url.pathname
    const cache = await caches.open(CACHE).catch(() => null)
    const kept = await cache?.match(name)
    const patience = new AbortController()
    // Where nothing is kept, a slow connection is better than none.
    const timer = kept ? setTimeout(() => patience.abort(), PATIENCE) : undefined
    try {
        const response = await fetch(request, { signal: patience.signal })
        // There may be no room to keep it.
        if (cache && response.ok && response.type === 'basic') {
            event.waitUntil(cache.put(name, response.clone()).catch(() => undefined))
        }
        return response
    } catch (error) {
        if (kept) return kept
        throw error
    } finally {
        clearTimeout(timer)
    }
}

worker.addEventListener('push', (/** @type {any} */ event) => event.waitUntil(show(event.data?.text() ?? '')))

/** @param {string} text */
async function show(text) {
    const shown = await openPush(text)
    for (const tag of shown.cleared) {
        for (const old of await worker.registration.getNotifications({ tag })) old.close()
    }
    if (!shown.title) return
    await worker.registration.showNotification(shown.title, {
        body: shown.body, tag: shown.tag, data: { route: shown.route }, icon: '/icons/icon-192.png',
        badge: '/icons/icon-192.png',
    })
}

worker.addEventListener('notificationclick', (/** @type {any} */ event) => {
    event.notification.close()
    event.waitUntil(open(event.notification.data?.route ?? 'chats'))
})

/** @param {string} route */
async function open(route) {
    const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true })
    const shown = windows.find((/** @type {any} */ each) => !new URL(each.url).pathname.startsWith('/board/'))
    if (!shown) return worker.clients.openWindow(`/#/${route}`)
    await shown.focus()
    shown.postMessage({ route })
    return undefined
}
