// @ts-check
/** Signing in, registering with a code by mail, and a new password. */
import { el, fill } from './dom.js'
import { describe } from './errors.js'
import { button, field } from './parts.js'

/** @typedef {import('../client/types.js').Accounts} Accounts */
/** @typedef {import('../client/types.js').Address} Address */
/** @typedef {{email: string, password: string}} Credentials */

export class SignIn {
    /**
     * @param {HTMLElement} root
     * @param {Accounts} accounts
     * @param {(address: Address) => Promise<void>} enter
     */
    constructor(root, accounts, enter) {
        this.accounts = accounts
        this.enter = enter
        this.box = el('div', { class: 'card-box' })
        /** @type {'open'|'invited'|'closed'} */
        this.registration = 'open'
        fill(root, el('main', { class: 'sign-in' }, this.box))
        this.showSignIn()
        accounts.providers().then(found => { this.registration = found.registration }, () => {})
    }

    /** @param {string} line */
    brand(line) {
        return el('div', { class: 'brand' }, el('img', { src: '/icons/icon.svg', alt: '' }), el('h1', {}, 'Parley'),
            el('p', {}, line))
    }

    /**
     * A form with one button; what its action throws is shown above it.
     *
     * @param {string} action
     * @param {(Node|string|false)[]} content
     * @param {() => Promise<void>} submit
     */
    form(action, content, submit) {
        const error = el('p', { class: 'form-error', role: 'alert' })
        const send = el('button', { type: 'submit', class: 'button primary' }, action)
        return el('form', {
            class: 'form', novalidate: true, on: {
                submit: async (/** @type {Event} */ event) => {
                    event.preventDefault()
                    error.textContent = ''
                    send.disabled = true
                    try {
                        await submit()
                    } catch (failure) {
                        error.textContent = describe(failure)
                    } finally {
                        send.disabled = false
                    }
                },
            },
        }, content, error, send)
    }

    /** @param {'in'|'up'} chosen */
    tabs(chosen) {
        const tab = (/** @type {'in'|'up'} */ which, /** @type {string} */ text) => el('button', {
            type: 'button', role: 'tab', 'aria-selected': String(which === chosen),
            on: { click: () => which === 'in' ? this.showSignIn() : this.showRegister() },
        }, text)
        const list = el('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Account' },
            tab('in', 'Sign in'), tab('up', 'Register'))
        list.addEventListener('keydown', event => {
            if (event.key === 'ArrowRight') this.showRegister()
            else if (event.key === 'ArrowLeft') this.showSignIn()
            else return
            this.box.querySelector('[role=tab][aria-selected=true]')?.focus()
        })
        return list
    }

    email() { return field('E-mail', { type: 'email', name: 'email', autocomplete: 'username', required: true }) }

    /** @param {string} label @param {string} autocomplete @param {string} [help] */
    password(label, autocomplete, help) {
        return field(label, { type: 'password', name: 'password', autocomplete, required: true }, help)
    }

    showSignIn() {
        const [email, password] = [this.email(), this.password('Password', 'current-password')]
        fill(this.box, this.brand('Messages that only their readers can open.'), this.tabs('in'),
            this.form('Sign in', [email.element, password.element], async () => {
                const fields = { email: email.input.value.trim(), password: password.input.value }
                await this.enter(await this.accounts.signIn({ ...fields, deviceName: deviceName() }))
            }),
            el('div', { class: 'stacked centred' },
                button('I forgot my password', () => this.showForgotten(email.input.value), { kind: 'plain' }),
                button('I have a token file', () => this.showToken(), { kind: 'plain' })))
        email.input.focus()
    }

    showRegister() {
        const email = this.email()
        const user = field('Name for others to find you', {
            name: 'user', autocomplete: 'nickname', autocapitalize: 'none', spellcheck: false, required: true,
        }, 'Letters, digits, - and _; it cannot be changed later.')
        const name = field('Your name', { name: 'name', autocomplete: 'name' })
        const password = this.password('Password', 'new-password', 'At least 10 characters. A sentence is best.')
        const invite = field('Invitation', { name: 'invite' })
        fill(this.box, this.brand('Make an account. A code comes by mail.'), this.tabs('up'),
            this.form('Register', [email.element, user.element, name.element, password.element,
                this.registration === 'invited' && invite.element], async () => {
                const fields = { email: email.input.value.trim(), password: password.input.value }
                await this.accounts.register({
                    ...fields, user: user.input.value.trim(), name: name.input.value.trim() || undefined,
                    invite: invite.input.value.trim() || undefined,
                })
                this.showCode(fields)
            }))
        email.input.focus()
    }

    code() {
        return field('Code', {
            name: 'code', class: 'input code-input', inputMode: 'numeric', autocomplete: 'one-time-code',
            required: true,
        })
    }

    /** @param {Credentials} fields */
    showCode(fields) {
        const code = this.code()
        fill(this.box, this.brand(`A code was sent to ${fields.email}.`),
            this.form('Continue', [code.element], async () => {
                await this.enter(await this.accounts.verify({
                    ...fields, code: code.input.value.replaceAll(/\s/g, ''), deviceName: deviceName(),
                }))
            }),
            button('Back', () => this.showRegister(), { kind: 'plain' }))
        code.input.focus()
    }

    /** @param {string} known */
    showForgotten(known) {
        const email = this.email()
        email.input.value = known
        fill(this.box, this.brand('A code for a new password comes by mail.'),
            this.form('Send a code', [email.element], async () => {
                await this.accounts.sendCode(email.input.value.trim())
                this.showReset(email.input.value.trim())
            }),
            button('Back', () => this.showSignIn(), { kind: 'plain' }))
        email.input.focus()
    }

    /** @param {string} email */
    showReset(email) {
        const [code, password] = [this.code(), this.password('New password', 'new-password')]
        fill(this.box, this.brand('All your devices are signed out by this.'),
            this.form('Set the password', [code.element, password.element], async () => {
                const fields = { email, code: code.input.value.replaceAll(/\s/g, ''), password: password.input.value }
                await this.accounts.resetPassword(fields)
                await this.enter(await this.accounts.signIn({
                    email, password: fields.password, deviceName: deviceName(),
                }))
            }))
        code.input.focus()
    }

    showToken() {
        const text = el('textarea', { id: 'token', class: 'input', rows: 5, spellcheck: false, autocomplete: 'off' })
        fill(this.box, this.brand('What «parley device add UID DID --print-token» has printed.'),
            this.form('Use it', [
                el('div', { class: 'field' }, el('label', { htmlFor: 'token' }, 'Credentials'), text),
            ], async () => this.enter(await this.accounts.useCredentials(text.value.trim()))),
            button('Back', () => this.showSignIn(), { kind: 'plain' }))
        text.focus()
    }
}

/** For the list of devices: the browser and the system, as far as it says them. */
function deviceName() {
    const agent = navigator.userAgent
    const browser = /Firefox/.test(agent) ? 'Firefox' : /Edg/.test(agent) ? 'Edge'
        : /Chrom/.test(agent) ? 'Chromium' : /Safari/.test(agent) ? 'Safari' : 'Browser'
    const system = /Android/.test(agent) ? 'Android' : /iPhone|iPad/.test(agent) ? 'iOS' : /Mac/.test(agent) ? 'macOS'
        : /Windows/.test(agent) ? 'Windows' : /Linux/.test(agent) ? 'Linux' : ''
    return system ? `${browser} on ${system}` : browser
}
