// @ts-check
/** One conversation's state without its messages: a value, kept sealed. */

/**
 * @typedef {import('./records.js').ConversationObject} ConversationObject
 * @typedef {{delivered: number, read: number}} Mark
 *
 * @typedef {object} LogState
 * @property {string} id
 * @property {ConversationObject} object
 * @property {string|null} epoch
 * @property {number} chapter of new records
 * @property {number} low the held range of this epoch, both ends included
 * @property {number} high 0 where nothing is held
 * @property {boolean} holdsStart whether there is nothing before it
 * @property {number} lastSeq the gateway's, as far as it is known
 * @property {number} unread
 * @property {number} readSeq
 * @property {import('./records.js').Settings} settings
 * @property {[string, Mark][]} marks how far each user has come
 * @property {boolean} isMember
 * @property {boolean} isOpen whether it is in lists: not where the other's request waits
 * @property {{id: string, seq: number}|null} pendingRead not acknowledged
 * @property {number} deliveredSeq acknowledged by the gateway, for this device
 */

/** @type {import('./records.js').Settings} */
export const NO_SETTINGS = Object.freeze({ isMuted: false, mutedUntil: null, isArchived: false, isUnread: false })

/** @param {ConversationObject} object @returns {LogState} */
export const newState = (object) => ({
    id: object.id, object, epoch: null, chapter: 0, low: 1, high: 0, holdsStart: false, lastSeq: 0, unread: 0,
    readSeq: 0,
    settings: NO_SETTINGS, marks: [], isMember: true, isOpen: true, pendingRead: null, deliveredSeq: 0,
})

/**
 * A new history begins; what is kept stays before it.
 *
 * @param {LogState} state
 * @param {string} epoch
 * @returns {LogState}
 */
export const withEpoch = (state, epoch) => ({
    ...state, epoch, chapter: state.epoch === null ? state.chapter : state.chapter + 1, low: 1, high: 0,
    holdsStart: false, lastSeq: 0, unread: 0, readSeq: 0, marks: [], pendingRead: null, deliveredSeq: 0,
})

/** @param {LogState} state @param {string} user @param {Partial<Mark>} mark @returns {LogState} */
export function withMark(state, user, mark) {
    const old = state.marks.find(([name]) => name === user)?.[1] ?? { delivered: 0, read: 0 }
    const read = Math.max(old.read, mark.read ?? 0)
    const delivered = Math.max(old.delivered, mark.delivered ?? 0, read)
    if (read === old.read && delivered === old.delivered) return state
    return { ...state, marks: [...state.marks.filter(([name]) => name !== user), [user, { delivered, read }]] }
}

/**
 * The status of an own message: that of the other who is least far.
 *
 * @param {LogState} state
 * @param {{chapter: number, seq: number}} position
 * @param {string} own
 * @returns {'sent'|'delivered'|'read'}
 */
export function statusAt(state, position, own) {
    // Marks of an epoch that is over are not known.
    if (position.chapter !== state.chapter) return 'sent'
    const others = state.object.members.filter(({ user }) => user !== own)
    const marks = others.map(({ user }) => state.marks.find(([name]) => name === user)?.[1])
    if (others.length === 0) return 'sent'
    if (marks.every((mark) => mark !== undefined && mark.read >= position.seq)) return 'read'
    return marks.every((mark) => mark !== undefined && mark.delivered >= position.seq) ? 'delivered' : 'sent'
}

/**
 * Of members alone: a gateway could name others without end.
 *
 * @param {LogState} state
 * @param {Iterable<[string, Mark]>} marks
 * @returns {LogState}
 */
export function withMarks(state, marks) {
    const members = new Set(membersOf(state))
    let after = state
    for (const [user, mark] of marks) if (members.has(user)) after = withMark(after, user, mark)
    return after
}

/** @param {LogState} state */
export const membersOf = (state) => state.object.members.map(({ user }) => user)
