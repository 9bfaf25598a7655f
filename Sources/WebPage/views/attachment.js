// @ts-check
/** Pictures, files and recordings in a message. Nothing is shown by the sender's word for its kind. */
import { el, fill, isolated } from './dom.js'
import { describe } from './errors.js'
import { formatDuration, formatSize } from './format.js'
import { icon } from './icons.js'
import { iconButton } from './parts.js'
import { shownPicture } from './picture.js'

/** @typedef {import('../client/types.js').Message} Message */
/** @typedef {import('../client/types.js').FileReference} FileReference */

/** Pictures up to this size are fetched without being asked for, in bytes. */
const FETCHED = 5_000_000
const LONGEST_NAME = 120

/**
 * @param {Message} message
 * @param {FileReference} file
 * @param {import('./message.js').Surroundings} around
 */
export function attachment(message, file, around) {
    if (message.type === 'image') return picture(message, file, around)
    if (message.type === 'voice') return recording(message, file, around)
    return plainFile(file, around)
}

/** What was opened of this page's messages, so that a row that comes again shows it at once. */
const opened = new Map()
const KEPT = 40

/**
 * @param {FileReference} file
 * @param {import('./message.js').Surroundings} around
 * @param {(got: number, total: number) => void} [onProgress]
 * @returns {Promise<Blob>}
 */
function open(file, around, onProgress) {
    const key = String(file.digest)
    const known = opened.get(key)
    if (known) return known
    const blob = around.client.attachments.open(file, { onProgress })
    opened.set(key, blob)
    blob.catch(() => opened.delete(key))
    if (opened.size > KEPT) opened.delete(opened.keys().next().value)
    return blob
}

/** @param {Message} message @param {FileReference} file @param {import('./message.js').Surroundings} around */
function picture(message, file, around) {
    const [width, height] = [message.content?.width ?? 0, message.content?.height ?? 0]
    const frame = el('div', { class: 'picture' })
    const ratio = width && height ? Math.min(2.2, Math.max(0.5, width / height)) : 4 / 3
    frame.style.aspectRatio = String(ratio)
    const load = async () => {
        fill(frame, el('span', { class: 'spinner' }))
        try {
            const shown = await shownPicture(await open(file, around))
            const showFile = () => {
                frame.style.aspectRatio = 'auto'
                fill(frame, plainFile(file, around, 'This is no picture that can be shown.'))
            }
            if (!shown) return showFile()
            // Its first bytes may be a picture's, and the others not.
            const image = el('img', { alt: message.content?.caption || 'Picture', on: { error: showFile } })
            image.src = shown.url
            fill(frame, el('button', { type: 'button', 'aria-label': 'Show the picture',
                on: { click: () => enlarge(shown.url, image.alt) } }, image))
        } catch (error) {
            fill(frame, failed(error, load))
        }
    }
    if (file.size <= FETCHED) load()
    else fill(frame, el('button', { type: 'button', class: 'fetch', on: { click: load } }, icon('down'),
        formatSize(file.size)))
    return frame
}

/** @param {string} url @param {string} alt */
function enlarge(url, alt) {
    const element = el('dialog', { class: 'lightbox', 'aria-label': alt })
    const close = () => element.close()
    element.append(iconButton('Close', 'close', close), el('img', { src: url, alt, on: { click: close } }))
    element.addEventListener('close', () => element.remove())
    document.body.append(element)
    element.showModal()
}

/** @param {unknown} error @param {() => void} again */
function failed(error, again) {
    return el('button', { type: 'button', class: 'fetch', on: { click: again } }, icon('warning'), describe(error),
        ' Try again')
}

/**
 * @param {FileReference} file
 * @param {import('./message.js').Surroundings} around
 * @param {string} [note]
 */
function plainFile(file, around, note) {
    const status = el('span', { class: 'help' }, note ?? formatSize(file.size))
    const save = async () => {
        try {
            const blob = await open(file, around, (got, total) => {
                status.textContent = `${Math.round(100 * got / Math.max(1, total))} %`
            })
            // A download, whatever it is: the browser opens nothing of it here.
            const url = URL.createObjectURL(new Blob([blob], { type: 'application/octet-stream' }))
            el('a', { href: url, download: safeName(file.name) }).click()
            setTimeout(() => URL.revokeObjectURL(url), 60_000)
            status.textContent = formatSize(file.size)
        } catch (error) {
            status.textContent = describe(error)
        }
    }
    return el('button', { type: 'button', class: 'file', on: { click: save } },
        el('span', { class: 'card-icon' }, icon('file')),
        el('span', { class: 'entry-text' }, isolated(safeName(file.name), 'file-name'), status))
}

/** A name without folders, control characters, and marks that turn the direction. @param {string} name */
export function safeName(name) {
    const last = name.split(/[/\\]/u).at(-1) ?? ''
    const plain = last.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}<>:"|?*]/gu, '').replace(/^[.\s]+|[.\s]+$/gu, '')
    if (plain.length <= LONGEST_NAME) return plain || 'file'
    // What is cut is of the middle: the end says what kind of file it is.
    const ending = /\.[^.]{1,16}$/u.exec(plain)?.[0] ?? ''
    return plain.slice(0, LONGEST_NAME - ending.length).replace(/\p{Cs}$/u, '') + ending
}

/** @param {Message} message @param {FileReference} file @param {import('./message.js').Surroundings} around */
function recording(message, file, around) {
    const total = message.content?.durationMs ?? 0
    const time = el('span', { class: 'help' }, formatDuration(total))
    const bar = el('input', { type: 'range', min: 0, max: 1000, value: 0, 'aria-label': 'Position' })
    /** @type {HTMLAudioElement|null} */
    let audio = null
    const toggle = iconButton('Play', 'play', async () => {
        try {
            audio ??= await prepare()
            if (audio.paused) await audio.play()
            else audio.pause()
        } catch (error) {
            time.textContent = describe(error)
        }
    }, 'primary')
    const prepare = async () => {
        const blob = await open(file, around)
        if (!blob.type.startsWith('audio/')) throw new Error('This is no recording.')
        const made = new Audio(URL.createObjectURL(blob))
        const length = () => Number.isFinite(made.duration) && made.duration > 0 ? made.duration * 1000 : total
        const show = () => {
            const now = made.currentTime * 1000
            bar.value = String(length() ? Math.round(1000 * now / length()) : 0)
            time.textContent = formatDuration(made.paused && now === 0 ? total : now)
            fill(toggle, icon(made.paused ? 'play' : 'pause'))
            toggle.setAttribute('aria-label', made.paused ? 'Play' : 'Pause')
        }
        for (const event of ['timeupdate', 'play', 'pause', 'ended']) made.addEventListener(event, show)
        bar.addEventListener('input', () => { made.currentTime = Number(bar.value) / 1e6 * length() })
        around.ending.add(() => made.pause())
        return made
    }
    return el('div', { class: 'recording' }, toggle, bar, time)
}
