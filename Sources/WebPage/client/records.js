// @ts-check
/** The gateway's objects (docs/protocol.md, "Objects"), read once into objects of our own. */

import { Members, id as readID, time } from './read.js'

/**
 * @typedef {{user: string, device: string}} Address
 *
 * @typedef {object} Record of a conversation's log
 * @property {string} id
 * @property {string} conversation
 * @property {string} epoch
 * @property {number} seq
 * @property {string} kind `message`, `edit`, `delete`, `reaction`, or one of a later version
 * @property {string|null} target
 * @property {Address} sender
 * @property {string} type
 * @property {string|null} suite
 * @property {Uint8Array|null} content sealed
 * @property {Uint8Array|null} nonce
 * @property {readonly {user: string, device: string, key: Uint8Array}[]|null} keys
 * @property {string|null} replyTo
 * @property {number|null} expiresAt
 * @property {number} createdAt
 * @property {Readonly<{event: string, user: string|null, by: string|null}>|null} system
 *
 * @typedef {Readonly<{user: string, name: string, role: 'admin'|'member', joinedAt: number}>} Member
 *
 * @typedef {object} ConversationObject
 * @property {string} id
 * @property {'direct'|'group'} type
 * @property {string|null} name
 * @property {string} createdBy
 * @property {number} createdAt
 * @property {number} updatedAt
 * @property {string} epoch
 * @property {number|null} lastSeq
 * @property {readonly Member[]} members
 *
 * @typedef {object} Settings of the user alone
 * @property {boolean} isMuted
 * @property {number|null} mutedUntil
 * @property {boolean} isArchived
 * @property {boolean} isUnread
 *
 * @typedef {object} PublishedDevice
 * @property {string} device
 * @property {Uint8Array} identity
 * @property {Uint8Array|null} signing
 * @property {Uint8Array|null} signature
 * @property {Uint8Array|null} certificate
 * @property {number|null} issuedAt
 *
 * @typedef {object} UserKeys
 * @property {string} user
 * @property {Uint8Array|null} account
 * @property {readonly PublishedDevice[]} devices
 */

export const EPOCH = 64
export const NAME = 400
const KIND = 64
const MOST_CONTENT = 65536

/** @param {Members} from @returns {Readonly<Record>} */
export function readRecord(from) {
    const system = from.objectIfAny('system')
    return Object.freeze({
        id: from.uuid('id'),
        conversation: from.uuid('conversation_id'),
        epoch: from.text('epoch', EPOCH),
        seq: from.count('seq'),
        kind: from.text('kind', KIND),
        target: from.uuidIfAny('target_id'),
        sender: Object.freeze({ user: from.id('sender_id'), device: from.id('sender_device_id') }),
        type: from.text('message_type', KIND),
        suite: from.textIfAny('suite', KIND),
        content: from.bytesIfAny('encrypted_content', 0, MOST_CONTENT),
        nonce: from.bytesIfAny('nonce', 0, 64),
        keys: from.raw('recipient_keys') === null ? null : from.objects('recipient_keys', 1024, readRecipientKey),
        replyTo: from.uuidIfAny('reply_to'),
        expiresAt: from.timeIfAny('expires_at'),
        createdAt: from.time('created_at'),
        system: system === null ? null : Object.freeze({
            event: system.text('event', KIND), user: system.idIfAny('user_id'), by: system.idIfAny('by'),
        }),
    })
}

/** @param {Members} from */
const readRecipientKey = (from) =>
    Object.freeze({ user: from.id('user_id'), device: from.id('device_id'), key: from.bytes('encrypted_key', 0, 256) })

/** @param {Members} from @returns {Member} */
export const readMember = (from) =>
    Object.freeze({
        user: from.id('user_id'),
        name: from.text('username', NAME),
        role: from.text('role', KIND) === 'admin' ? 'admin' : 'member',
        joinedAt: from.time('joined_at'),
    })

/** @param {Members} from @returns {Readonly<ConversationObject>} */
export const readConversation = (from) =>
    Object.freeze({
        id: from.uuid('id'),
        type: from.text('type', KIND) === 'direct' ? 'direct' : 'group',
        name: from.textIfAny('name', NAME),
        createdBy: from.id('created_by'),
        createdAt: from.time('created_at'),
        updatedAt: from.time('updated_at'),
        epoch: from.text('epoch', EPOCH),
        lastSeq: from.countIfAny('last_seq'),
        members: from.objects('members', 1024, readMember),
    })

/** @param {Members} from @returns {Readonly<Settings>} */
export const readSettings = (from) =>
    Object.freeze({
        isMuted: from.flag('is_muted'),
        mutedUntil: from.timeIfAny('muted_until'),
        isArchived: from.flag('is_archived'),
        isUnread: from.flag('is_unread'),
    })

/** @param {Members} from */
export const readHistory = (from) =>
    Object.freeze({
        records: from.objects('messages', 200, readRecord),
        hasMore: from.flag('has_more'),
        epoch: from.text('epoch', EPOCH),
        lastSeq: from.count('last_seq'),
        isOldest: from.flag('found_oldest'),
    })

/** @param {unknown} value */
function readMark(value) {
    const from = new Members(value)
    return Object.freeze({ delivered: from.count('delivered'), read: from.count('read') })
}

/** @param {Members} from */
const readSyncEntry = (from) =>
    Object.freeze({
        id: from.uuid('conversation_id'),
        isRecovered: from.flag('recovered'),
        epoch: from.text('epoch', EPOCH),
        lastSeq: from.count('last_seq'),
        records: from.objects('messages', 200, readRecord),
        marks: from.byUser('watermarks', 1024, readMark),
        unread: from.count('unread_count', 1000),
        settings: readSettings(from),
        conversation: from.raw('conversation') === null ? null : readConversation(from.object('conversation')),
    })

/** @param {Members} from */
export const readSync = (from) =>
    Object.freeze({
        entries: from.objects('conversations', 10000, readSyncEntry),
        left: from.raw('left') === null ? [] : from.values('left', 10000, (value) => (
            typeof value === 'string' ? value : null)),
        isComplete: from.flag('complete'),
        next: from.textIfAny('next_cursor', 2048),
    })

/** An entry of a list of conversations. @param {Members} from */
export const readListed = (from) =>
    Object.freeze({
        conversation: readConversation(from),
        unread: from.count('unread_count', 1000),
        lastReadSeq: from.countIfAny('last_read_seq') ?? 0,
        settings: readSettings(from),
    })

/** @param {Members} from @returns {PublishedDevice} */
const readDevice = (from) =>
    Object.freeze({
        device: from.id('device_id'),
        identity: from.bytes('identity_key', 32),
        signing: from.bytesIfAny('signing_key', 32),
        signature: from.bytesIfAny('signature', 64),
        certificate: from.bytesIfAny('certificate', 64),
        issuedAt: from.timeIfAny('issued_at'),
    })

/** @param {Members} from @returns {Readonly<UserKeys>} */
export const readUserKeys = (from) =>
    Object.freeze({
        user: from.id('user_id'),
        account: from.bytesIfAny('account_key', 32),
        devices: from.objects('devices', 4096, readDevice),
    })

/** @param {Members} from @param {'read'|'delivered'} kind */
export const readReceipt = (from, kind) =>
    Object.freeze({
        conversation: from.uuid('conversation_id'),
        user: from.id('user_id'),
        kind,
        seq: from.count('seq'),
    })

/** @param {Members} from */
export const readCredentials = (from) =>
    Object.freeze({
        user: from.id('username'),
        client: from.text('client_id', 256),
        token: from.text('password', 8192),
        expiresAt: from.time('expires_at'),
    })

export { readID, time }
