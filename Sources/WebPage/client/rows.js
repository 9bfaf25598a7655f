// @ts-check
/** Records as they are kept: opened, or sealed to be opened later; with the changes to them. */

import { OpeningError } from '../crypto/opening-error.js'
import { isResent, readContent } from './content.js'

/**
 * @typedef {import('./records.js').Record} Record
 * @typedef {{chapter: number, seq: number}} Position
 *
 * @typedef {object} Changes to a message. The result does not depend on the order in which they come
 * @property {{at: Position, content: string, isResent: boolean, isOwnWriting: boolean}|null} edit
 * @property {boolean} isRemoved
 * @property {{user: string, at: Position, emoji: string}[]} reactions the last of each user; empty if it was taken back
 *
 * @typedef {object} Kept
 * @property {Record} record without ciphertext once it is opened
 * @property {number} chapter one more with each new epoch
 * @property {string|null} content opened: JSON
 * @property {string|null} error why it is not opened
 * @property {boolean} isReplay the same id came before at another position: never opened
 * @property {Changes} changes
 * @property {{user: string, device: string}[]} leftOut by its sender
 * @property {boolean} isOwnWriting whether it is what this device queued: a record of this device alone proves nothing,
 *   since a recipient could make it up with the gateway's help
 * @property {string[]} sealedFor the recipients of a message of its own writing
 * @property {'request'|'answer'|null} resending the step that it led to, once at most (resending.js)
 */

/** @returns {Changes} */
export const noChanges = () => ({ edit: null, isRemoved: false, reactions: [] })

/**
 * @param {Record} record
 * @param {number} chapter
 * @returns {Kept}
 */
export const newKept = (record, chapter) => ({
    record, chapter, content: null, error: null, isReplay: false, changes: noChanges(), leftOut: [],
    isOwnWriting: false, sealedFor: [], resending: null,
})

/** @param {Position} one @param {Position} other */
export const comparePositions = (one, other) => one.chapter - other.chapter || one.seq - other.seq

/** @param {Kept} kept @returns {Position} */
export const positionOf = (kept) => ({ chapter: kept.chapter, seq: kept.record.seq })

/** @param {Record} record */
export const isChange = (record) => record.kind !== 'message'

/** Whether it is sealed, and may open later. @param {Kept} kept */
export const isSealed = (kept) => kept.content === null && kept.record.content !== null && !kept.isReplay

/**
 * Whether it was sealed for a device that could not open it.
 *
 * @param {Kept} kept
 * @param {{user: string, device: string}} address
 */
export function isUnreadable(kept, address) {
    const { sender, keys } = kept.record
    const isOwn = sender.user === address.user && sender.device === address.device
    // What opened and says nothing would not say more if it were sealed again.
    if (!isSealed(kept) || kept.error === 'bad_content' || shownJSON(kept) !== null || isOwn) return false
    return keys === null || keys.some((each) => (
        each.user === address.user && each.device === address.device && !isLeftOut(each)))
}

/** @param {Record} record */
export const withoutCiphertext = (record) => Object.freeze({ ...record, content: null, nonce: null, keys: null })

/** Whether it counts as unread before it is read. @param {Kept} kept @param {string} user */
export const counts = (kept, user) =>
    kept.record.sender.user !== user && kept.record.kind === 'message' && kept.record.type !== 'system'
    && (kept.content !== null || kept.record.content !== null)

/** @param {Kept} kept @param {string} json */
export function opened(kept, json) {
    const leftOut = leftOutOf(kept.record)
    return { ...kept, record: withoutCiphertext(kept.record), content: json, error: null, leftOut }
}

/** @param {{key: Uint8Array}} recipient */
const isLeftOut = ({ key }) => key.length === 16 && key.every((byte) => byte === 0)

/** @param {Record} record */
const leftOutOf = (record) =>
    (record.keys ?? []).filter(isLeftOut)
        .map(({ user, device }) => ({ user, device }))

/**
 * Applies a change, if it counts: it is later in the log, and edits and deletions are the sender's alone.
 *
 * @param {Kept} message
 * @param {Kept} change
 * @returns {Kept} the same object where nothing has changed
 */
export function withChange(message, change) {
    const [target, record] = [message.record, change.record]
    const at = positionOf(change)
    if (message.changes.isRemoved || message.isReplay || change.isReplay || target.kind !== 'message'
        || target.type === 'system' || record.target !== target.id || record.conversation !== target.conversation
        || comparePositions(at, positionOf(message)) <= 0) return message
    const isOfSender = record.sender.user === target.sender.user
    if (record.kind === 'delete' && isOfSender) {
        return {
            ...message, record: withoutCiphertext(target), content: null, error: null,
            changes: { ...noChanges(), isRemoved: true },
        }
    }
    if (change.content === null) return message
    const isEdit = record.kind === 'edit' && isOfSender && record.type === target.type
    if (isEdit) return withEdit(message, change.content, at, change.isOwnWriting)
    if (record.kind === 'reaction') {
        const emoji = emojiOf(change.content)
        return emoji === null ? message : withReaction(message, { user: record.sender.user, at, emoji })
    }
    return message
}

/** @param {string} json */
function emojiOf(json) {
    try {
        return readContent('reaction', '', json)?.emoji ?? null
    } catch {
        return null
    }
}

/**
 * The later edit counts. A repeated content counts only without a real edit, and then the first one.
 *
 * @param {Kept} message
 * @param {string} content
 * @param {Position} at
 * @param {boolean} [isOwnWriting]
 */
export function withEdit(message, content, at, isOwnWriting = false) {
    const edit = { at, content, isResent: isResent(content), isOwnWriting }
    const before = message.changes.edit
    if (before !== null) {
        const counts = edit.isResent === before.isResent
            ? comparePositions(edit.at, before.at) * (edit.isResent ? -1 : 1) > 0 : before.isResent
        if (!counts) return message
    }
    try {
        readContent('message', message.record.type, content)
    } catch {
        return message
    }
    return { ...message, changes: { ...message.changes, edit } }
}

/** @param {Kept} message @param {Changes['reactions'][number]} reaction */
export function withReaction(message, reaction) {
    const before = message.changes.reactions.find(({ user }) => user === reaction.user)
    if (before && comparePositions(reaction.at, before.at) <= 0) return message
    const others = message.changes.reactions.filter(({ user }) => user !== reaction.user)
    return { ...message, changes: { ...message.changes, reactions: [...others, reaction] } }
}

/** Its latest content, if this device wrote it. @param {Kept} kept */
export function ownJSON(kept) {
    const edit = kept.changes.edit
    if (!kept.isOwnWriting || kept.changes.isRemoved) return null
    if (edit === null || edit.isResent) return kept.content
    return edit.isOwnWriting ? edit.content : null
}

/** The JSON that is shown. @param {Kept} kept */
export function shownJSON(kept) {
    const edit = kept.changes.edit
    return edit && (!edit.isResent || kept.content === null) ? edit.content : kept.content
}

/**
 * What is shown in a message's place.
 *
 * @param {Kept} kept
 * @returns {{state: import('./types.js').Message['state'], content: any, error: string|null}}
 */
export function shownContent(kept) {
    const record = kept.record
    if (kept.isReplay) return { state: 'unopened', content: null, error: 'replayed' }
    if (kept.changes.isRemoved) return { state: 'removed', content: null, error: null }
    const json = shownJSON(kept)
    if (json !== null) {
        try {
            const content = readContent(record.kind, record.type, json)
            return { state: content === null ? 'unknown' : 'opened', content, error: null }
        } catch (error) {
            const code = error instanceof OpeningError ? error.code : 'bad_content'
            return { state: 'unopened', content: null, error: code }
        }
    }
    if (record.system !== null && record.type === 'system') return { state: 'system', content: null, error: null }
    if (record.content === null) return { state: 'removed', content: null, error: null }
    return { state: 'unopened', content: null, error: kept.error ?? 'not_authentic' }
}

// In the database

/**
 * @param {Kept} kept
 * @param {import('./vault.js').Vault} vault
 * @param {string} user
 */
export async function toRow(kept, vault, user) {
    const { record, chapter } = kept
    const place = ['records', record.conversation, chapter, record.seq]
    return {
        conversation: record.conversation, chapter, seq: record.seq,
        // A replay's own id is another message's.
        id: kept.isReplay ? crypto.randomUUID() : record.id,
        ...(isChange(record) ? { target: record.target ?? record.id } : {}),
        ...(record.expiresAt === null ? {} : { expiresAt: record.expiresAt }),
        ...(counts(kept, user) ? { counts: 1 } : {}), ...(isSealed(kept) ? { unopened: 1 } : {}),
        ...(await vault.seal(place, kept)),
    }
}

/** @param {any} row @param {import('./vault.js').Vault} vault @returns {Promise<Kept>} */
export const fromRow = (row, vault) =>
    vault.open(['records', row.conversation, row.chapter, row.seq], row)
