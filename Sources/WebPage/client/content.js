// @ts-check
/** Contents of messages (docs/protocol.md, "Contents"): written before they are sealed, checked when they opened. */

import { textOf, toBase64, utf8 } from '../crypto/bytes.js'
import { OpeningError } from '../crypto/opening-error.js'
import { ClientError } from './errors.js'
import { Members, count, text } from './read.js'

/**
 * @typedef {import('./types.js').Content} Content
 * @typedef {import('./types.js').FileReference} FileReference
 */

/** In bytes of JSON. */
export const MOST_CONTENT = 65024
const MOST_NAME = 255
const MOST_URL = 2048
const MOST_EMOJI = 64

/** @type {Record<string, Record<string, 'text'|'name'|'count'|'text?'|'count?'>>} */
const CARDS = {
    diet_plan: { plan_id: 'name', plan_title: 'text', calories: 'count?', days: 'count?', summary: 'text?' },
    workout_plan: { plan_id: 'name', plan_title: 'text', days: 'count?', minutes: 'count?', summary: 'text?' },
    challenge: {
        challenge_id: 'name', title: 'text', challenge_type: 'text', target: 'count', duration_days: 'count',
    },
}

/**
 * @param {string} type
 * @param {Content} content
 * @returns {string} JSON
 */
export function writeContent(type, content) {
    const json = JSON.stringify(written(type, content))
    if (utf8(json).length > MOST_CONTENT) throw new ClientError('too_long')
    try {
        readContent('message', type, json)
    } catch {
        throw new ClientError('bad_request', 'This is no content of such a message.')
    }
    return json
}

/** @param {string} type @param {Content} content */
function written(type, content) {
    const { text, file, caption, width, height, durationMs, card } = content
    switch (type) {
        case 'text': return { text }
        case 'image': return { file: writtenFile(file), ...present({ width, height, caption }) }
        case 'file': return { file: writtenFile(file), ...present({ caption }) }
        case 'voice': return { file: writtenFile(file), duration_ms: durationMs }
        default: return card ?? {}
    }
}

/** @param {Record<string, unknown>} members */
const present = (members) =>
    Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null))

/** @param {FileReference} [file] */
const writtenFile = (file) => file && {
    ...present({ url: file.url }), key: toBase64(file.key), digest: toBase64(file.digest), size: file.size,
    name: file.name, mime_type: file.mimeType,
}

/** @param {string} emoji */
export const writeReaction = (emoji) => JSON.stringify({ emoji })

/**
 * The content of an opened record.
 *
 * @param {string} kind
 * @param {string} type
 * @param {string} json
 * @returns {Readonly<Content & {emoji?: string, isResendRequest?: boolean}>|null} null for a type of a later version
 * @throws {OpeningError} `bad_content`
 */
export function readContent(kind, type, json) {
    try {
        const members = new Members(JSON.parse(json), 'the content')
        if (kind === 'reaction') return readReaction(members)
        switch (type) {
            case 'text': return Object.freeze({ text: members.text('text', MOST_CONTENT) })
            case 'image':
                return Object.freeze({
                    file: readFile(members.object('file')), caption: members.textIfAny('caption', MOST_CONTENT),
                    width: members.countIfAny('width'), height: members.countIfAny('height'),
                })
            case 'file':
                return Object.freeze({
                    file: readFile(members.object('file')), caption: members.textIfAny('caption', MOST_CONTENT),
                })
            case 'voice':
                return Object.freeze({
                    file: readFile(members.object('file')), durationMs: members.count('duration_ms'),
                })
            case 'system': throw new OpeningError('bad_content')
            default:
                return Object.hasOwn(CARDS, type) ? Object.freeze({ card: readCard(CARDS[type], members) }) : null
        }
    } catch {
        throw new OpeningError('bad_content')
    }
}

/** @param {Members} members */
function readReaction(members) {
    if (members.flag('unopened')) return Object.freeze({ isResendRequest: true })
    const emoji = members.text('emoji', 2 * MOST_EMOJI)
    if ([...emoji].length > MOST_EMOJI) throw new OpeningError('bad_content')
    return Object.freeze({ emoji })
}

/** @param {Members} members @returns {Readonly<FileReference>} */
const readFile = (members) =>
    Object.freeze({
        url: members.textIfAny('url', MOST_URL),
        key: members.bytes('key', 32),
        digest: members.bytes('digest', 32),
        size: members.count('size'),
        name: members.text('name', 2 * MOST_NAME),
        mimeType: members.text('mime_type', 2 * MOST_NAME),
    })

/** @param {Record<string, string>} form @param {Members} members */
function readCard(form, members) {
    /** @type {Record<string, string|number|null>} */
    const card = {}
    for (const [name, kind] of Object.entries(form)) {
        const read = kind.startsWith('count')
            ? count(Number.MAX_SAFE_INTEGER) : text(kind === 'name' ? 2 * MOST_NAME : MOST_CONTENT)
        card[name] = kind.endsWith('?') ? members.optional(name, /** @type {any} */ (read))
            : members.required(name, /** @type {any} */ (read))
    }
    return Object.freeze(card)
}

/** Whether an edit repeats the content for devices that could not open it. @param {string} json */
export function isResent(json) {
    try {
        return new Members(JSON.parse(json)).flag('resent')
    } catch {
        return false
    }
}

/**
 * The content of an old app's message as JSON: some seal the bare text.
 *
 * @param {string} type
 * @param {Uint8Array} opened
 */
export function legacyJSON(type, opened) {
    const json = textOf(opened)
    if (type !== 'text' || opened.includes(0)) return json
    try {
        readContent('message', type, json)
        return json
    } catch {
        return JSON.stringify({ text: json })
    }
}
