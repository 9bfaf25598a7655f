// @ts-check
/** The service worker: keeps the files of the page for when there is no connection. */
const CACHE = 'page'

self.addEventListener('install', event => {
    // @ts-ignore: of an ExtendableEvent.
    event.waitUntil(caches.open(CACHE).then(cache => cache.addAll(['/', '/main.js'])).then(() => self.skipWaiting()))
})

// @ts-ignore
self.addEventListener('activate', event => event.waitUntil(self.clients.claim()))
