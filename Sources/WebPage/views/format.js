// @ts-check
/** How times, sizes and names are shown. */

const time = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'long' })
const shortDay = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const longDay = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' })
const oldDay = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' })
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'short' })
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
const number = new Intl.NumberFormat()

/** @param {number} at */
export const formatTime = at => time.format(at)

/** @param {number} at */
export const formatFull = at => full.format(at)

/** @param {number} value */
export const formatNumber = value => number.format(value)

/** @param {number} at the civil day here, as a number */
export function dayOf(at) {
    const date = new Date(at)
    return Math.round(new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime() / 86_400_000)
}

/**
 * The heading of a day.
 *
 * @param {number} at
 * @param {number} [now]
 */
export function formatDay(at, now = Date.now()) {
    const days = dayOf(now) - dayOf(at)
    if (days === 0 || days === 1) return capitalized(relative.format(-days, 'day'))
    return new Date(at).getFullYear() === new Date(now).getFullYear() ? longDay.format(at) : oldDay.format(at)
}

/**
 * In a list: the time today, then the day.
 *
 * @param {number} at
 * @param {number} [now]
 */
export function formatWhen(at, now = Date.now()) {
    const days = dayOf(now) - dayOf(at)
    if (days <= 0) return time.format(at)
    if (days < 7) return days === 1 ? capitalized(relative.format(-1, 'day')) : weekday.format(at)
    return new Date(at).getFullYear() === new Date(now).getFullYear() ? shortDay.format(at) : oldDay.format(at)
}

/**
 * @param {number} at
 * @param {number} [now]
 */
export function formatAgo(at, now = Date.now()) {
    const minutes = Math.round((now - at) / 60_000)
    if (minutes < 1) return 'just now'
    if (minutes < 60) return relative.format(-minutes, 'minute')
    if (minutes < 60 * 24) return relative.format(-Math.round(minutes / 60), 'hour')
    return relative.format(-Math.round(minutes / 1440), 'day')
}

/** @param {number} milliseconds */
export function formatDuration(milliseconds) {
    const seconds = Math.max(0, Math.round(milliseconds / 1000))
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** @param {number} bytes */
export function formatSize(bytes) {
    if (bytes < 1000) return `${bytes} B`
    const units = ['KB', 'MB', 'GB']
    let [value, unit] = [bytes / 1000, 0]
    while (value >= 999.5 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1]
    return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`
}

/** @param {string} text */
const capitalized = text => text.charAt(0).toLocaleUpperCase() + text.slice(1)

/** @param {string} name */
export function initials(name) {
    const words = name.trim().split(/[\s._-]+/u).filter(Boolean)
    const letters = words.length > 1 ? [words[0], words[words.length - 1]] : words
    return letters.map(word => [...word][0] ?? '').join('').toLocaleUpperCase() || '?'
}

/**
 * One of so many, always the same of a text.
 *
 * @param {string} text
 * @param {number} count
 */
export function bucket(text, count) {
    let hash = 2166136261
    for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16777619)
    return (hash >>> 0) % count
}

/**
 * A number of things, in words: «1 member», «2 members».
 *
 * @param {number} count
 * @param {string} noun for one; others get an s
 */
export const counted = (count, noun) => `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`
