// @ts-check
/** `/board/{group}`: both boards of a group on a whole screen, for a television in the gym. */
import { BoardView } from './board.js'
import { Ending, el, fill, isolated } from './dom.js'
import { emptyState } from './parts.js'
import { describe } from './errors.js'

export class BoardScreen {
    /**
     * @param {HTMLElement} root
     * @param {import('../client/types.js').Client} client
     * @param {string} group
     */
    constructor(root, client, group) {
        const context = { client, ending: new Ending() }
        const title = el('h1', {})
        const clock = el('time', { class: 'clock' })
        const tick = () => { clock.textContent = new Intl.DateTimeFormat(undefined,
            { hour: '2-digit', minute: '2-digit' }).format() }
        tick()
        context.ending.every(5000, tick)
        const part = (/** @type {string} */ name, /** @type {'check-ins'|'streak'} */ type) =>
            el('section', { class: 'screen-part' },
            el('h2', {}, name), new BoardView(context, group, type).element)
        fill(root, el('main', { class: 'board-screen' }, el('header', {}, title, clock),
            el('div', { class: 'screen-parts' }, part('Check-ins', 'check-ins'), part('Streaks', 'streak'))))
        client.groups.get(group).then(found => {
            fill(title, isolated(found.name))
            document.title = `${found.name} · Parley`
        }, error => fill(root, emptyState('trophy', 'No such board', describe(error))))
    }
}
