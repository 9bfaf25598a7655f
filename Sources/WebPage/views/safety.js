// @ts-check
/** The safety number: digits and a QR code to compare with the other's screen, and accepting changed keys. */
import { el, fill, isolated } from './dom.js'
import { attempt } from './errors.js'
import { icon } from './icons.js'
import { busy, button, dialog, field, toast } from './parts.js'
import { qrCode } from './qr.js'

const RESULTS = {
    match: 'They are the same: nobody is in between.', mismatch: 'They differ. Do not trust this conversation.',
    otherUsers: 'That code is of other people.', unreadable: 'That is no such code.',
    newerVersion: 'That code is of a newer version.',
}

/**
 * @param {import('./shell.js').Context} context
 * @param {string} user
 * @param {string} name
 */
export function safety(context, user, name) {
    const { keys } = context.client
    const { body, close } = dialog('Safety number', () => [busy()])
    const show = async () => {
        const number = await attempt(() => keys.safetyNumber(user))
        if (number === undefined) return close()
        if (number === null) return fill(body, el('p', {}, isolated(name), ' has not published any keys yet.'))
        const groups = number.digits.replaceAll(/\D/g, '').match(/.{5}/g) ?? []
        const code = field('Text of the other screen’s code', { spellcheck: false }, 'Without a camera, paste it here.')
        const result = el('p', { role: 'status' })
        return fill(body,
            el('p', {}, 'Compare these digits with those on the screen of ', isolated(name),
                ', in person or on the phone. If they are the same, nobody is in between.'),
            number.isVerified && el('p', { class: 'verified' }, icon('shield'), 'You have compared them.'),
            number.isPending && el('p', { class: 'notice' }, icon('warning'),
                'These keys are new. Nothing is sealed for them yet.'),
            qrCode(number.code, 'Safety number as a QR code'),
            el('div', { class: 'digits', 'aria-label': groups.join(' '), role: 'group' },
                groups.map(group => el('span', {}, group))),
            el('details', {}, el('summary', {}, 'Compare by text'), el('div', { class: 'form' }, code.element, result,
                button('Compare', () => attempt(async () => {
                    result.textContent = RESULTS[await keys.scan(number, code.input.value.trim())]
                })), button('Copy my code', () => attempt(async () => {
                    await navigator.clipboard.writeText(number.code)
                    toast('Copied')
                })))),
            el('div', { class: 'dialog-actions' },
                number.isPending && button('Accept without comparing', () => attempt(async () => {
                    await keys.accept(number)
                    close()
                })),
                !number.isVerified && button('They are the same', () => attempt(async () => {
                    await keys.verify(number)
                    toast('Remembered')
                    close()
                }), { kind: 'primary' })))
    }
    show()
}
