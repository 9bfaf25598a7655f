// @ts-check
/** A whole client whose gateway says what a test says; and Bob, who is honest. */
import { toBase64, utf8 } from '/crypto/bytes.js'
import { MessageCipher } from '/crypto/cipher.js'
import { generateIdentity, generateSigning, sign, signingOf } from '/crypto/curves.js'
import { certifiedPart, directConversation, signedPart } from '/crypto/names.js'
import { Client } from '/client/client.js'
import { Context } from '/client/context.js'
import { ClientError } from '/client/errors.js'
import { Members } from '/client/read.js'
import { readConversation, readRecord } from '/client/records.js'

export const TIME = '2026-01-15T09:30:00.000Z'
export const GROUP = '0b0c0000-0000-4000-8000-0000000000aa'
export const SUITE = 'x25519-hkdf-sha256-aes256gcm'
export const uuid = () => crypto.randomUUID()

/** A device of somebody, with the keys that a gateway would list. */
export class Device {
    /** @param {string} user @param {string} device @param {any} account @param {string} [time] of its certificate */
    static async make(user, device, account, time = TIME) {
        const made = new Device()
        made.address = { user, device }
        made.identity = await generateIdentity()
        made.signing = await generateSigning()
        made.cipher = new MessageCipher(made.address, made.identity)
        const signature = await sign(made.signing.privateKey, signedPart(made.address, made.identity.publicKey))
        const part = certifiedPart(made.address, made.identity.publicKey, made.signing.publicKey, Date.parse(time))
        made.listed = {
            device_id: device, identity_key: toBase64(made.identity.publicKey),
            signing_key: toBase64(made.signing.publicKey),
            signature: toBase64(signature), certificate: account ? toBase64(await sign(account.privateKey, part))
                : null,
            issued_at: account ? time : null, created_at: time,
        }
        return made
    }
}

/** @param {string} id @param {string} type @param {string[]} users @param {object} [more] */
export const conversation = (id, type, users, more = {}) => ({
    id, type, name: type === 'group' ? 'Group' : null, created_by: users[0], created_at: TIME, updated_at: TIME,
    epoch: 'e',
    last_seq: 0, members: users.map((user) => ({ user_id: user, username: user, role: 'member', joined_at: TIME })),
    ...more,
})

/** Alice's client, whose gateway answers what a test says; and Bob, who is honest. */
export async function world() {
    const alice = `a${uuid().slice(0, 8)}`
    const context = await Context.open({ user: alice, device: 'web' }, location.origin)
    const client = new Client(context)
    const account = await signingOf(crypto.getRandomValues(new Uint8Array(32)))
    const bob = await Device.make('bob', 'phone', account)
    const direct = await directConversation(alice, 'bob')
    /** @type {any[]} */
    const faults = []
    client.on('fault', (fault) => faults.push(fault.code))
    /** @type {{operation: string, fields: any}[]} */
    const asked = []
    /** @type {Record<string, (fields: any) => any>} */
    const answers = {
        'keys/get': ({ user_id: user }) => (user === 'bob'
            ? { user_id: user, account_key: toBase64(account.publicKey), devices: [bob.listed] }
            : { user_id: user, account_key: null, devices: [] }),
        'conversations/get': () => conversation(direct, 'direct', [alice, 'bob']),
        'history/get': () => ({ messages: [], has_more: false, epoch: 'e', last_seq: 0, found_oldest: true,
            found_newest: true }),
    }
    const ask = async (/** @type {string} */ operation, /** @type {any} */ fields = {}) => {
        asked.push({ operation, fields: structuredClone(fields) })
        const answer = answers[operation]
        if (!answer) throw new ClientError('unavailable')
        return new Members(await answer(fields))
    }
    const door = { ask, request: ask, send: ask }
    Object.assign(context.door, door)
    client.outbox.isOnline = () => true
    const state = {
        alice, bob, account, direct, client, context, faults, asked, answers,
        /** The device's client as a page has it that is opened then. */
        reload: async () => {
            const opened = await Client.open(context.address)
            Object.assign(opened.context.door, door)
            return opened
        },
        /** @param {object} object */
        merge: (object) => client.logs.merge(readConversation(new Members(object))),
        /**
         * Bob seals; the gateway changes what it likes.
         * @param {number} seq
         * @param {any} [more]
         * @param {any} [sealedAs]
         */
        record: async (seq, more = {}, sealedAs = {}) => {
            const header = {
                suite: SUITE, conversation: direct, id: uuid(), sender: bob.address, type: 'text', replyTo: null,
                kind: 'message', target: null, expiresIn: null, ...sealedAs,
            }
            const content = sealedAs.json ?? '{"text":"from bob"}'
            const sealed = await /** @type {any} */ (bob.cipher).seal(utf8(content), header,
                { key: context.keys.identityKey })
            return readRecord(new Members({
                id: header.id, conversation_id: header.conversation, epoch: 'e', seq, kind: header.kind,
                target_id: header.target, sender_id: 'bob', sender_device_id: 'phone', message_type: 'text',
                suite: SUITE,
                encrypted_content: toBase64(sealed.content), nonce: toBase64(sealed.nonce), recipient_keys: null,
                reply_to: null, expires_at: null, created_at: TIME, ...more,
            }))
        },
        /** Begins the log of the direct conversation. */
        begin: async () => {
            await state.merge(conversation(direct, 'direct', [alice, 'bob']))
            await client.logs.update(direct, (log) => ({ ...log, epoch: 'e', holdsStart: true }))
            await client.exchange.fetch('bob')
        },
        errors: async () => (await client.messages.page(direct)).messages.map(({ error, content }) =>
            error ?? content?.text),
    }
    return state
}

/** @param {() => any} condition */
export async function until(condition) {
    for (let round = 0; round < 400; round++) {
        if (await condition()) return
        await new Promise((resolve) => setTimeout(resolve, 10))
    }
    throw new Error(`it never was so: ${condition}`)
}
