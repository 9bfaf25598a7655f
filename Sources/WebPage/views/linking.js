// @ts-check
/** Linking a device: codes to show and to type, and digits to compare. */
import { el, fill } from './dom.js'
import { attempt, describe } from './errors.js'
import { busy, button, dialog, field, toast } from './parts.js'
import { qrCode } from './qr.js'

/** @param {string} digits */
const shown = digits => el('div', { class: 'digits few', role: 'group', 'aria-label': digits },
    (digits.replaceAll(/\D/g, '').match(/.{1,5}/g) ?? []).map(group => el('span', {}, group)))

/**
 * On the new device.
 *
 * @param {import('./shell.js').Context} context
 * @param {() => void} done
 */
export function linkThisDevice(context, done) {
    const abort = new AbortController()
    const { linking, account } = context.client
    const { body, close } = dialog('Link this browser', () => [busy()], { onClose: () => abort.abort() })
    const begin = async () => {
        const { code } = await linking.offer()
        fill(body, el('p', {}, 'On a device of yours that is linked, open Settings, Link another device, ',
            'and give it this code.'),
            qrCode(code, 'Code for linking'), el('p', { class: 'copyable', dir: 'ltr' }, code),
            el('div', { class: 'dialog-actions' },
                button('I have a recovery key', recover, { kind: 'plain' }),
                button('Copy', () => attempt(async () => {
                    await navigator.clipboard.writeText(code)
                    toast('Copied')
                }), { icon: 'copy' })))
        const { digits, adopt } = await linking.approved(abort.signal)
        fill(body, el('p', {}, 'Does the other device show these digits?'), shown(digits),
            el('div', { class: 'dialog-actions' }, button('No', close),
                button('Yes, the same', () => attempt(async () => {
                await adopt()
                toast('This browser is linked')
                close()
                done()
            }), { kind: 'primary' })))
    }
    const recover = () => {
        const key = field('Recovery key', { spellcheck: false })
        fill(body, key.element, button('Recover', () => attempt(async () => {
            await account.recover(key.input.value.trim())
            close()
            done()
        }), { kind: 'primary' }))
    }
    begin().catch(error => { if (!abort.signal.aborted) fill(body, el('p', { role: 'alert' }, describe(error))) })
}

/**
 * On a device that is linked.
 *
 * @param {import('./shell.js').Context} context
 * @param {() => void} done
 */
export function linkOtherDevice(context, done) {
    const code = field('Code of the new device', { spellcheck: false },
        'The new device shows it as text and as a QR code.')
    const { body, close } = dialog('Link another device', () => [
        code.element, el('div', { class: 'dialog-actions' }, button('Continue', () => attempt(async () => {
            const { device, digits, approve } = await context.client.linking.candidate(code.input.value.trim())
            fill(body, el('p', {}, `Does ${device} show these digits? Then it reads what you read from now on.`),
                shown(digits),
                el('div', { class: 'dialog-actions' }, button('No', close),
                    button('Yes, link it', () => attempt(async () => {
                    await approve()
                    toast('Linked')
                    close()
                    done()
                }), { kind: 'primary' })))
        }), { kind: 'primary' })),
    ])
    code.input.focus()
}
