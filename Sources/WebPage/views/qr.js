// @ts-check
/** QR codes (ISO/IEC 18004) of bytes: versions 1 to 10, error correction M. */
import { el } from './dom.js'

/** Per version: codewords in all, those of correction in a block, and the blocks. */
const VERSIONS = [
    [26, 10, 1], [44, 16, 1], [70, 26, 1], [100, 18, 2], [134, 24, 2], [172, 16, 4], [196, 18, 4], [242, 22, 4],
    [292, 22, 5], [346, 26, 5],
]
const ALIGNMENT = [[], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50]]

// The field of 256 elements by x^8 + x^4 + x^3 + x^2 + 1.
const EXP = new Uint8Array(512)
const LOG = new Uint8Array(256)
for (let power = 0, value = 1; power < 255; power++) {
    EXP[power] = EXP[power + 255] = value
    LOG[value] = power
    value = value << 1 ^ (value & 0x80 ? 0x11d : 0)
}

/** @param {Uint8Array} data @param {number} count of codewords of correction (Reed-Solomon) */
export function correction(data, count) {
    let generator = [1]
    for (let root = 0; root < count; root++) {
        const next = [...generator, 0]
        for (let place = 0; place < generator.length; place++) {
            if (generator[place]) next[place + 1] ^= EXP[LOG[generator[place]] + root]
        }
        generator = next
    }
    const rest = new Uint8Array(count)
    for (const byte of data) {
        const factor = byte ^ rest[0]
        rest.copyWithin(0, 1)
        rest[count - 1] = 0
        if (!factor) continue
        for (let place = 0; place < count; place++) {
            if (generator[place + 1]) rest[place] ^= EXP[LOG[generator[place + 1]] + LOG[factor]]
        }
    }
    return rest
}

/**
 * The modules of a text's code, row by row; true is dark.
 *
 * @param {string} text
 * @returns {boolean[][]}
 */
export function qrModules(text) {
    const bytes = new TextEncoder().encode(text)
    const index = VERSIONS.findIndex(([all, per, blocks], at) => bytes.length <= all - per * blocks - (at < 9 ? 2 : 3))
    if (index < 0) throw new RangeError('too long for a QR code of version 10')
    const version = index + 1
    const codewords = interleaved(bytes, index)
    /** @type {{rows: boolean[][], penalty: number}|null} */
    let best = null
    for (let mask = 0; mask < 8; mask++) {
        const rows = drawn(version, codewords, mask)
        const penalty = penaltyOf(rows)
        if (!best || penalty < best.penalty) best = { rows, penalty }
    }
    return best?.rows ?? []
}

/** @param {Uint8Array} bytes @param {number} index */
function interleaved(bytes, index) {
    const [all, per, blocks] = VERSIONS[index]
    const capacity = all - per * blocks
    /** @type {number[]} */
    const bits = []
    const put = (/** @type {number} */ value, /** @type {number} */ count) => {
        for (let bit = count - 1; bit >= 0; bit--) bits.push(value >> bit & 1)
    }
    put(4, 4)
    put(bytes.length, index < 9 ? 8 : 16)
    for (const byte of bytes) put(byte, 8)
    put(0, Math.min(4, capacity * 8 - bits.length))
    while (bits.length % 8) bits.push(0)
    const data = new Uint8Array(capacity)
    for (let place = 0; place < capacity; place++) {
        data[place] = place * 8 < bits.length ? Number.parseInt(bits.slice(place * 8, place * 8 + 8).join(''), 2)
            : (place - bits.length / 8) % 2 ? 0x11 : 0xec
    }
    // Later blocks may be one longer.
    const short = Math.floor(capacity / blocks)
    const parts = []
    for (let block = 0, at = 0; block < blocks; block++) {
        const length = short + (block >= blocks - capacity % blocks ? 1 : 0)
        const part = data.subarray(at, at + length)
        parts.push({ part, check: correction(part, per) })
        at += length
    }
    const result = []
    for (let place = 0; place <= short; place++) {
        for (const { part } of parts) if (place < part.length) result.push(part[place])
    }
    for (let place = 0; place < per; place++) for (const { check } of parts) result.push(check[place])
    return result
}

/** @param {number} version @param {number[]} codewords @param {number} mask */
function drawn(version, codewords, mask) {
    const size = 17 + 4 * version
    /** @type {(boolean|null)[][]} */
    const rows = Array.from({ length: size }, () => Array(size).fill(null))
    const set = (/** @type {number} */ x, /** @type {number} */ y, /** @type {boolean} */ isDark) => {
        if (x >= 0 && y >= 0 && x < size && y < size) rows[y][x] = isDark
    }
    for (const [left, top] of [[0, 0], [size - 7, 0], [0, size - 7]]) {
        for (let y = -1; y <= 7; y++) {
            for (let x = -1; x <= 7; x++) {
                const ring = Math.max(Math.abs(x - 3), Math.abs(y - 3))
                set(left + x, top + y, ring !== 2 && ring !== 4)
            }
        }
    }
    const centres = ALIGNMENT[version - 1]
    for (const y of centres) {
        for (const x of centres) {
            if (rows[y][x] !== null) continue
            for (let dy = -2; dy <= 2; dy++) {
                for (let dx = -2; dx <= 2; dx++) set(x + dx, y + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1)
            }
        }
    }
    for (let place = 8; place < size - 8; place++) {
        rows[6][place] ??= place % 2 === 0
        rows[place][6] ??= place % 2 === 0
    }
    drawFormat(set, size, mask)
    if (version >= 7) drawVersion(set, size, version)
    drawData(rows, size, codewords, mask)
    return /** @type {boolean[][]} */ (rows)
}

/** @param {(x: number, y: number, isDark: boolean) => void} set @param {number} size @param {number} mask */
function drawFormat(set, size, mask) {
    // Correction M is 00.
    let rest = mask
    for (let round = 0; round < 10; round++) rest = rest << 1 ^ (rest >> 9) * 0x537
    const bits = (mask << 10 | rest) ^ 0x5412
    const at = (/** @type {number} */ bit) => (bits >> bit & 1) === 1
    for (let bit = 0; bit <= 5; bit++) set(8, bit, at(bit))
    set(8, 7, at(6)); set(8, 8, at(7)); set(7, 8, at(8))
    for (let bit = 9; bit < 15; bit++) set(14 - bit, 8, at(bit))
    for (let bit = 0; bit < 8; bit++) set(size - 1 - bit, 8, at(bit))
    for (let bit = 8; bit < 15; bit++) set(8, size - 15 + bit, at(bit))
    set(8, size - 8, true)
}

/** @param {(x: number, y: number, isDark: boolean) => void} set @param {number} size @param {number} version */
function drawVersion(set, size, version) {
    let rest = version
    for (let round = 0; round < 12; round++) rest = rest << 1 ^ (rest >> 11) * 0x1f25
    const bits = version << 12 | rest
    for (let bit = 0; bit < 18; bit++) {
        const [far, near] = [size - 11 + bit % 3, Math.floor(bit / 3)]
        set(far, near, (bits >> bit & 1) === 1)
        set(near, far, (bits >> bit & 1) === 1)
    }
}

/** @type {((x: number, y: number) => boolean)[]} */
const MASKS = [
    (x, y) => (x + y) % 2 === 0, (_, y) => y % 2 === 0, x => x % 3 === 0, (x, y) => (x + y) % 3 === 0,
    (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0, (x, y) => x * y % 2 + x * y % 3 === 0,
    (x, y) => (x * y % 2 + x * y % 3) % 2 === 0, (x, y) => ((x + y) % 2 + x * y % 3) % 2 === 0,
]

/** @param {(boolean|null)[][]} rows @param {number} size @param {number[]} codewords @param {number} mask */
function drawData(rows, size, codewords, mask) {
    let bit = 0
    let isUp = true
    for (let right = size - 1; right > 0; right -= 2) {
        if (right === 6) right = 5
        for (let step = 0; step < size; step++) {
            const y = isUp ? size - 1 - step : step
            for (const x of [right, right - 1]) {
                if (rows[y][x] !== null) continue
                const value = bit < codewords.length * 8 && (codewords[bit >> 3] >> 7 - (bit & 7) & 1) === 1
                bit++
                rows[y][x] = value !== MASKS[mask](x, y)
            }
        }
        isUp = !isUp
    }
}

/** How hard to read it is (§7.8.3). @param {boolean[][]} rows */
function penaltyOf(rows) {
    const size = rows.length
    let [penalty, dark] = [0, 0]
    const columns = rows.map((_, x) => rows.map(row => row[x]))
    for (const line of [...rows, ...columns]) {
        const text = line.map(Number).join('')
        for (const run of text.match(/0{5,}|1{5,}/g) ?? []) penalty += run.length - 2
        for (let at = 0; at + 11 <= size; at++) {
            const part = text.slice(at, at + 11)
            if (part === '10111010000' || part === '00001011101') penalty += 40
        }
    }
    for (let y = 0; y < size; y++) {
        for (let x = 0; x < size; x++) {
            if (rows[y][x]) dark++
            if (x && y && rows[y][x] === rows[y - 1][x] && rows[y][x] === rows[y][x - 1]
                && rows[y][x] === rows[y - 1][x - 1]) {
                penalty += 3
            }
        }
    }
    return penalty + 10 * Math.floor(Math.abs(dark * 20 - size * size * 10) / (size * size))
}

/**
 * The code as a picture, dark on white in every theme, with the quiet zone around it.
 *
 * @param {string} text
 * @param {string} label
 */
export function qrCode(text, label) {
    const rows = qrModules(text)
    const size = rows.length + 8
    const path = rows.map((row, y) => row.map((isDark, x) => (
        isDark ? `M${x + 4} ${y + 4}h1v1h-1z` : '')).join('')).join('')
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
    svg.setAttribute('viewBox', `0 0 ${size} ${size}`)
    svg.setAttribute('role', 'img')
    svg.setAttribute('aria-label', label)
    svg.setAttribute('shape-rendering', 'crispEdges')
    const shape = document.createElementNS('http://www.w3.org/2000/svg', 'path')
    shape.setAttribute('d', path)
    svg.append(shape)
    return el('div', { class: 'qr' }, svg)
}
