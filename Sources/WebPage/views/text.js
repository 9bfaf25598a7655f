// @ts-check
/** Text of messages, with addresses of the web as links. */
import { el } from './dom.js'

const ADDRESS = /\bhttps?:\/\/[^\s<>"'`]{1,2000}/giu

/**
 * @param {string} text
 * @returns {(Node|string)[]}
 */
export function linked(text) {
    /** @type {(Node|string)[]} */
    const parts = []
    let end = 0
    for (const match of text.matchAll(ADDRESS)) {
        // Punctuation behind an address belongs to the sentence.
        const shown = match[0].replace(/[.,;:!?)\]}]+$/u, '')
        const url = parse(shown)
        if (!url) continue
        parts.push(text.slice(end, match.index), el('a', {
            href: url.href, target: '_blank', rel: 'noopener noreferrer nofollow', dir: 'ltr',
        }, shown))
        end = match.index + shown.length
    }
    parts.push(text.slice(end))
    return parts
}

/** @param {string} text */
function parse(text) {
    try {
        const url = new URL(text)
        return url.protocol === 'https:' || url.protocol === 'http:' ? url : null
    } catch {
        return null
    }
}
