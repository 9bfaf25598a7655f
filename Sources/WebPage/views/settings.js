// @ts-check
/** The own profile, privacy, devices and linking, notifications, the account. */
import { asked } from './details.js'
import { el, fill, isolated } from './dom.js'
import { attempt } from './errors.js'
import { counted, formatAgo } from './format.js'
import { icon } from './icons.js'
import { linkThisDevice, linkOtherDevice } from './linking.js'
import { avatar, button, confirm, dialog, field, iconButton, toast, toggle } from './parts.js'

export class Settings {
    /** @param {HTMLElement} pane @param {import('./shell.js').Context} context */
    constructor(pane, context) {
        this.context = context
        this.profile = el('section', { class: 'card-box' })
        this.devices = el('section', { class: 'card-box' })
        this.privacy = el('section', { class: 'card-box' })
        this.push = el('section', { class: 'card-box' })
        fill(pane, el('header', { class: 'page-head' }, el('h1', {}, 'Settings')),
            el('div', { class: 'scroll' }, el('div', { class: 'page' }, this.profile, this.devices, this.push,
                this.privacy, this.account())))
        const { client, ending } = context
        ending.add(client.on('devices', () => this.showDevices()), client.on('link-offered', () => this.showDevices()))
        this.showProfile()
        this.showDevices()
        this.showPush()
    }

    async showProfile() {
        const { client, me } = this.context
        fill(this.profile, el('div', { class: 'entry-line' }, avatar(me, me), el('h2', { class: 'grow' }, `@${me}`)))
        const profile = await attempt(() => client.people.profile())
        if (!profile || this.context.ending.isOver) return
        fill(this.profile, el('div', { class: 'entry-line' }, avatar(me, profile.name || me),
            el('span', { class: 'entry-text' }, el('h2', {}, isolated(profile.name || me)),
                el('span', { class: 'help' },
                `@${me} · ${counted(profile.followers, 'follower')} · ${profile.following} following`)),
            iconButton('Change your name', 'edit', () => asked('Your name', 'Name', profile.name, async name => {
                await client.people.setProfile({ display_name: name })
                this.showProfile()
            }))))
        this.showPrivacy(profile.settings ?? {})
    }

    /** @param {Readonly<Record<string, any>>} settings */
    showPrivacy(settings) {
        const set = (/** @type {Record<string, any>} */ change) => { attempt(() =>
            this.context.client.people.setProfile(change)) }
        const who = el('select', { class: 'input', id: 'message-privacy',
            on: { change: () => set({ message_privacy: who.value }) } },
            [['anyone', 'Everybody'], ['friends', 'Friends'],
                ['nobody', 'Nobody']].filter(([value]) => value !== 'nobody' || settings.message_privacy === 'nobody')
                .map(([value, text]) => el('option', { value, selected: settings.message_privacy === value }, text)))
        const presence = el('select', { class: 'input', id: 'presence',
            on: { change: () => set({ presence: presence.value }) } },
            [['friends', 'Friends'], ['nobody', 'Nobody']].map(([value, text]) =>
                el('option', { value, selected: settings.presence === value }, text)))
        fill(this.privacy, el('h2', {}, 'Privacy'),
            toggle('Read receipts', settings.send_read_receipts !== false, isOn => set({ send_read_receipts: isOn }),
                'Others see when you have read their messages.'),
            toggle('Typing', settings.send_typing !== false, isOn => set({ send_typing: isOn }),
                'Others see that you are writing.'),
            toggle('Workouts', settings.share_workout_data === true, isOn => set({ share_workout_data: isOn }),
                'Friends see the numbers of your days.'),
            el('div', { class: 'field' }, el('label', { htmlFor: who.id }, 'Who may write to you'), who),
            el('div', { class: 'field' }, el('label', { htmlFor: presence.id }, 'Who sees that you are online'),
                presence),
            button('Blocked people', () => this.showBlocked(), { icon: 'block' }))
    }

    async showBlocked() {
        const { client } = this.context
        const list = await attempt(() => client.people.blocked())
        if (!list) return
        dialog('Blocked people', close => list.items.length
            ? list.items.map(person => el('div', { class: 'entry-line' },
            avatar(person.user, person.name || person.user, { size: 'small' }),
            isolated(person.name || person.user, 'grow'),
            button('Unblock', () => attempt(async () => { await client.people.unblock(person.user); close() }))))
                : [el('p', {}, 'Nobody.')])
    }

    async showDevices() {
        const { client } = this.context
        const found = await attempt(() => client.devices.all())
        if (this.context.ending.isOver) return
        fill(this.devices, el('h2', {}, 'Devices'),
            !client.isLinked && el('div', { class: 'notice' }, icon('link'),
                el('p', {}, 'This browser is not linked yet: others seal nothing for it.'),
                button('Link it', () => linkThisDevice(this.context, () => this.showDevices()))),
            el('ul', {}, (found ?? []).map(device => el('li', { class: 'entry flat' },
                el('span', { class: 'card-icon quiet' }, icon(/phone|ios|android/iu.test(device.name ?? '') ? 'phone'
                    : 'screen')),
                el('span', { class: 'entry-text' }, isolated(device.name || device.device, 'entry-name'),
                    el('span', { class: 'help' }, [device.isCurrent ? 'this browser' : device.lastSeen
                        ? `seen ${formatAgo(device.lastSeen)}` : '',
                        device.isCertified ? '' : 'not linked'].filter(Boolean).join(' · '))),
                !device.isCurrent && iconButton(`Remove ${device.name || device.device}`, 'trash', async () => {
                    const text = 'It is signed out, and nothing more is sealed for it.'
                    if (!await confirm('Remove this device?', text, 'Remove', { isDanger: true })) return
                    await attempt(() => client.devices.remove(device.device))
                    this.showDevices()
                })))),
            client.isLinked && button('Link another device',
                () => linkOtherDevice(this.context, () => this.showDevices()), { icon: 'link' }))
    }

    async showPush() {
        const { push } = this.context.client
        const state = await push.state().catch(() => 'unsupported')
        if (this.context.ending.isOver) return
        const text = { on: 'On', off: 'Off', denied: 'The browser has been told to show none.',
            unsupported: 'This browser or service has none.' }[state]
        fill(this.push, el('h2', {}, 'Notifications'), state === 'on' || state === 'off'
            ? toggle('Notify me when Parley is closed', state === 'on', async isOn => {
                await attempt(async () => isOn ? push.enable(await navigator.serviceWorker.ready) : push.disable())
                this.showPush()
            }, 'The service that carries them cannot read what is in them.')
            : el('p', { class: 'help' }, text))
    }

    account() {
        const { client } = this.context
        return el('section', { class: 'card-box' }, el('h2', {}, 'Account'), el('div', { class: 'stacked' },
            button('Recovery key', () => this.backUp(), { icon: 'shield' }),
            button('Change the password', () => this.changePassword(), { icon: 'lock' }),
            button('Sign out', async () => {
                const text = 'What this browser keeps is removed. '
                    + 'Without another device or a recovery key, your messages are lost.'
                if (!await confirm('Sign out?', text, 'Sign out', { isDanger: true })) return
                await attempt(() => client.signOut())
            }, { icon: 'sign_out', kind: 'danger' }),
            button('Delete the account', () => this.deleteAccount(), { icon: 'trash', kind: 'danger' })))
    }

    async backUp() {
        const { client } = this.context
        const text = 'Write it down. With it you get your account back when all devices are lost. An earlier one ends.'
        if (!await confirm('Make a recovery key?', text, 'Make it')) return
        const key = await attempt(() => client.account.backUp())
        if (key) dialog('Recovery key', close => [el('p', { class: 'copyable', dir: 'ltr' }, key),
            button('I have written it down', close, { kind: 'primary' })])
    }

    changePassword() {
        const current = field('Password now', { type: 'password', autocomplete: 'current-password' })
        const next = field('New password', { type: 'password', autocomplete: 'new-password' })
        dialog('Password', close => [el('form', {
            class: 'form', on: {
                submit: (/** @type {Event} */ event) => {
                    event.preventDefault()
                    attempt(async () => {
                        await this.context.client.account.setPassword(current.input.value || null, next.input.value)
                        toast('Changed')
                        close()
                    })
                },
            },
        }, current.element, next.element, el('button', { type: 'submit', class: 'button primary' }, 'Change it'))])
    }

    deleteAccount() {
        const password = field('Password', { type: 'password', autocomplete: 'current-password' })
        dialog('Delete the account', close => [el('p', {}, 'All of it is gone for good, on all devices.'),
            password.element,
            el('div', { class: 'dialog-actions' }, button('Cancel', close),
                button('Delete it', () => attempt(async () => {
                await this.context.client.account.delete(password.input.value || null)
                close()
            }), { kind: 'danger' }))])
    }
}
