// @ts-check
/** The frame: sections, two panes, banners; and which view is shown for an address. */
import { Ending, el, fill } from './dom.js'
import { icon } from './icons.js'
import { button, emptyState, toast } from './parts.js'

/** @typedef {import('../client/types.js').Client} Client */

/**
 * What every view gets.
 *
 * @typedef {object} Context
 * @property {Client} client
 * @property {string} me the user
 * @property {(route: string) => void} go to an address such as `chats/ID`
 * @property {(text: string) => void} announce read aloud, not shown
 * @property {Ending} ending of this view
 * @property {Map<string, any>} drafts what was written and not sent, by conversation
 */

const SECTIONS = /** @type {const} */ ([
    { name: 'chats', title: 'Chats', icon: 'chats', layout: 'split' },
    { name: 'groups', title: 'Groups', icon: 'trophy', layout: 'split' },
    { name: 'activity', title: 'Activity', icon: 'activity', layout: 'single' },
    { name: 'notifications', title: 'Alerts', icon: 'bell', layout: 'single' },
    { name: 'settings', title: 'Settings', icon: 'settings', layout: 'single' },
])

/** As in styles/layout.css. */
const NARROW = matchMedia('(max-width: 760px)')

export class Shell {
    /**
     * @param {HTMLElement} root
     * @param {Client} client
     * @param {() => void} leave
     */
    constructor(root, client, leave) {
        this.client = client
        this.ending = new Ending()
        this.leave = () => { this.end(); leave() }
        this.section = ''
        this.drafts = new Map()
        /** Files that would be lost with the page. */
        this.unkept = 0
        this.listEnding = new Ending()
        this.mainEnding = new Ending()
        this.banners = el('div', { class: 'banners', role: 'status' })
        this.links = new Map()
        this.rail = el('nav', { class: 'rail', 'aria-label': 'Sections' },
            el('img', { class: 'mark', src: '/icons/icon.svg', alt: '' }), SECTIONS.map(section => this.link(section)))
        this.list = el('section', { class: 'list-pane', 'aria-label': 'List' })
        this.main = el('main', { class: 'main-pane', tabIndex: -1 })
        this.element = el('div', { class: 'shell' }, this.banners, this.rail, this.list, this.main)
        fill(root, this.element)
    }

    /** @param {typeof SECTIONS[number]} section */
    link(section) {
        const badge = el('span', { class: 'badge', hidden: true })
        const link = el('a', { href: `#/${section.name}` }, icon(section.icon), el('span', {}, section.title), badge)
        this.links.set(section.name, { link, badge })
        return link
    }

    async begin() {
        const { client, ending } = this
        ending.listen(window, 'hashchange', () => this.route())
        ending.add(client.on('connection', () => this.showConnection()))
        ending.add(client.on('conversations', () => this.countUnread()))
        ending.add(client.on('notifications', ({ unread }) => this.setBadge('notifications', unread)))
        ending.add(client.on('fault', ({ text }) => toast(text, { isError: true })))
        ending.add(client.on('unopened-changes', ({ sender }) => (
            toast(`A change by ${sender.user} could not be opened, and is not shown.`, { isError: true }))))
        ending.add(client.on('dropped', () => toast('This browser could not store what happened.', { isError: true })))
        ending.add(client.on('link-offered', ({ device }) => this.showLinkOffer(device)))
        ending.add(client.on('uploads', ({ unkept }) => { this.unkept = unkept }))
        ending.listen(window, 'beforeunload', event => { if (this.unkept > 0) event.preventDefault() })
        ending.listen(window, 'online', () => this.showConnection())
        ending.listen(window, 'offline', () => this.showConnection())
        ending.listen(NARROW, 'change', () => this.markMain())
        if (!location.hash.startsWith('#/')) history.replaceState(null, '', '#/chats')
        this.showConnection()
        this.countUnread()
        client.notifications.list().then(list => this.setBadge('notifications', list.unread), () => {})
        await this.route()
    }

    end() {
        this.ending.end()
        this.listEnding.end()
        this.mainEnding.end()
        this.client.close()
    }

    /** @param {Ending} ending @returns {Context} */
    context(ending) {
        return {
            client: this.client, me: this.client.address.user, ending, drafts: this.drafts,
            go: route => { location.hash = `#/${route}` },
            announce,
        }
    }

    /** Shows what the address names. */
    async route() {
        const [name, ...rest] = location.hash.replace(/^#\/?/, '').split('/').map(part => decodeURIComponent(part))
        const section = SECTIONS.find(section => section.name === name) ?? SECTIONS[0]
        const id = rest.join('/')
        for (const [key, { link }] of this.links) {
            if (key === section.name) link.setAttribute('aria-current', 'page')
            else link.removeAttribute('aria-current')
        }
        this.element.dataset.layout = section.layout
        this.element.dataset.pane = id || section.layout === 'single' ? 'main' : 'list'
        this.markMain()
        const views = await import('./sections.js')
        if (section.name !== this.section) {
            this.section = section.name
            this.listEnding.end()
            this.listEnding = new Ending()
            this.list.setAttribute('aria-label', section.title)
            document.title = `${section.title} · Parley`
            fill(this.list)
            await views.showList(section.name, this.list, this.context(this.listEnding))
        }
        this.mainEnding.end()
        const ending = this.mainEnding = new Ending()
        if (section.layout === 'split' && !id) return fill(this.main, nothingChosen(section.name))
        await views.showMain(section.name, id, this.main, this.context(ending))
    }

    /** On a phone the list alone is shown, and so is the main part. */
    markMain() {
        if (NARROW.matches && this.element.dataset.pane === 'list') this.list.setAttribute('role', 'main')
        else this.list.removeAttribute('role')
    }

    showConnection() {
        const { state, reason } = this.client.connection
        if (state === 'ended') {
            const text = reason === 'taken-over' ? 'Parley is open in another window.' : 'This device was signed out.'
            return fill(this.banners, el('div', { class: 'banner' }, icon('warning'), text,
                button(reason === 'taken-over' ? 'Use it here' : 'Sign in', () => {
                    if (reason === 'taken-over') location.reload()
                    else this.leave()
                })))
        }
        if (state === 'online') return fill(this.banners)
        const text = state === 'offline' || !navigator.onLine
            ? 'No connection. What you write is sent when it is back.' : 'Connecting…'
        // A connection that comes at once is not worth a line.
        setTimeout(() => {
            const now = this.client.connection.state
            if (now === 'online' || now === 'ended' || this.ending.isOver) return
            fill(this.banners, el('div', { class: 'banner' }, icon('offline'), text))
        }, state === 'connecting' ? 800 : 0)
    }

    async countUnread() {
        const all = await this.client.conversations.all()
        const unread = all.filter(each => !each.isMuted && !each.isArchived && (each.unread > 0 || each.isUnread))
        const count = unread.reduce((sum, each) => sum + Math.max(1, each.unread), 0)
        this.setBadge('chats', count)
        if ('setAppBadge' in navigator) {
            const shown = count ? navigator.setAppBadge(count) : navigator.clearAppBadge()
            shown?.catch?.(() => {})
        }
    }

    /** @param {string} name @param {number} count */
    setBadge(name, count) {
        const { link, badge } = this.links.get(name)
        badge.hidden = !count
        badge.textContent = count > 99 ? '99+' : String(count)
        const title = SECTIONS.find(section => section.name === name)?.title ?? name
        if (count) link.setAttribute('aria-label', `${title}, ${count} unread`)
        else link.removeAttribute('aria-label')
    }

    /** @param {string} device */
    showLinkOffer(device) {
        toast(`Your device ${device} asks to be linked: Settings, Devices.`)
    }
}

/** @param {string} section */
function nothingChosen(section) {
    return section === 'groups'
        ? emptyState('trophy', 'Train together', 'A group has boards that move as its members work out.')
        : emptyState('lock', 'Parley', 'Choose a conversation. Only you and its members can open what is in it.')
}

/**
 * Has a text read aloud.
 *
 * @param {string} text
 */
export function announce(text) {
    const place = document.getElementById('announcements')
    if (!place) return
    const line = el('p', {}, text)
    place.append(line)
    setTimeout(() => line.remove(), 5000)
}
