// @ts-check
/** Begins the page: the client of the device that is signed in here, or the way to sign in. */
import * as accounts from './client/accounts.js'
import { button, busy, emptyState } from './views/parts.js'
import { fill } from './views/dom.js'
import { describe } from './views/errors.js'

const app = /** @type {HTMLElement} */ (document.getElementById('app'))

async function begin() {
    fill(app, busy())
    followWorker()
    const reason = await accounts.unsupported()
    if (reason) return fill(app, emptyState('warning', 'This browser is too old', reason))
    const kept = await accounts.kept()
    if (!kept.length) return signIn()
    await enter(kept[0])
}

async function signIn() {
    const { SignIn } = await import('./views/sign-in.js')
    new SignIn(app, accounts, address => enter(address))
}

/** @param {import('./client/types.js').Address} address */
async function enter(address) {
    const [client, { Shell }] = await Promise.all([accounts.open(address), import('./views/shell.js')])
    const board = /^\/board\/([^/]+)$/.exec(location.pathname)
    if (board) {
        const { BoardScreen } = await import('./views/board-screen.js')
        client.on('removed', () => location.replace('/'))
        client.start()
        return new BoardScreen(app, client, decodeURIComponent(board[1]))
    }
    const shell = new Shell(app, client, () => { location.hash = ''; signIn() })
    // With the page goes all that it has opened.
    client.on('removed', () => {
        shell.end()
        location.replace('/')
    })
    client.start()
    await shell.begin()
    registerWorker()
}

/** What a click on a notification opens, in the window that is there: the service worker says it. */
function followWorker() {
    navigator.serviceWorker?.addEventListener('message', ({ data }) => {
        const route = data?.route
        if (typeof route === 'string' && /^[a-z]+(\/[\w./%~-]+)?$/i.test(route)) location.hash = `#/${route}`
    })
}

/** The service worker keeps the page for when there is no connection, and shows what is pushed. */
async function registerWorker() {
    if (!('serviceWorker' in navigator)) return
    try {
        await navigator.serviceWorker.register(trusted('/sw.js'), { type: 'module' })
    } catch (error) {
        // A page without one works, but only with a connection.
        console.warn('no service worker:', error)
    }
}

/**
 * The address of a script of our own, as Trusted Types want it.
 *
 * @param {'/sw.js'} url
 */
function trusted(url) {
    // @ts-ignore: not in all type libraries.
    const { trustedTypes } = window
    if (!trustedTypes) return url
    return trustedTypes.createPolicy('parley', {
        createScriptURL: (/** @type {string} */ text) => {
            if (text !== '/sw.js') throw new TypeError('not a script of this page')
            return text
        },
    }).createScriptURL(url)
}

begin().catch(error => {
    console.error(error)
    fill(app, emptyState('warning', 'This did not work', describe(error),
        button('Try again', () => location.reload(), { kind: 'primary' })))
})
