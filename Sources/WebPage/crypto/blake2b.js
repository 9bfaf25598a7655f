// @ts-check
/** BLAKE2b (RFC 7693), on pairs of 32-bit halves. */

// The fractional parts of the square roots of the first eight primes, low half first.
const IV = Uint32Array.of(
    0xf3bcc908, 0x6a09e667, 0x84caa73b, 0xbb67ae85, 0xfe94f82b, 0x3c6ef372, 0x5f1d36f1, 0xa54ff53a, 0xade682d1,
    0x510e527f, 0x2b3e6c1f, 0x9b05688c, 0xfb41bd6b, 0x1f83d9ab, 0x137e2179, 0x5be0cd19)

const SIGMA = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4], [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13], [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11], [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5], [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
]

/** The four words of each mixing: columns, then diagonals. */
const MIXED = [
    [0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15], [0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13],
    [3, 4, 9, 14],
]

const v = new Uint32Array(32)
const m = new Uint32Array(32)

/**
 * v[a] += v[b] + m[x]
 *
 * @param {number} a
 * @param {number} b
 * @param {number} low
 * @param {number} high
 */
function add(a, b, low, high) {
    const sum = v[a] + v[b] + low
    v[a + 1] = v[a + 1] + v[b + 1] + high + (sum >= 8589934592 ? 2 : sum >= 4294967296 ? 1 : 0)
    v[a] = sum
}

/**
 * v[a] = (v[a] ^ v[b]) rotated right by 32, 24, 16 or 63
 *
 * @param {number} a
 * @param {number} b
 * @param {number} by
 */
function rotate(a, b, by) {
    const low = v[a] ^ v[b]
    const high = v[a + 1] ^ v[b + 1]
    if (by === 32) {
        v[a] = high
        v[a + 1] = low
    } else if (by === 63) {
        v[a] = (low << 1) | (high >>> 31)
        v[a + 1] = (high << 1) | (low >>> 31)
    } else {
        v[a] = (low >>> by) | (high << (32 - by))
        v[a + 1] = (high >>> by) | (low << (32 - by))
    }
}

/**
 * @param {Uint32Array} h
 * @param {Uint8Array} data
 * @param {number} at where the block of 128 bytes begins
 * @param {number} count of the bytes up to its end
 * @param {boolean} isLast
 */
function compress(h, data, at, count, isLast) {
    for (let index = 0; index < 32; index++) {
        const from = at + 4 * index
        m[index] = data[from] | (data[from + 1] << 8) | (data[from + 2] << 16) | (data[from + 3] << 24)
    }
    v.set(h)
    v.set(IV, 16)
    v[24] ^= count
    v[25] ^= Math.floor(count / 4294967296)
    if (isLast) {
        v[28] = ~v[28]
        v[29] = ~v[29]
    }
    for (let round = 0; round < 12; round++) {
        const order = SIGMA[round % 10]
        for (let mix = 0; mix < 8; mix++) {
            const places = MIXED[mix]
            const [a, b, c, d] = [2 * places[0], 2 * places[1], 2 * places[2], 2 * places[3]]
            const [x, y] = [2 * order[2 * mix], 2 * order[2 * mix + 1]]
            add(a, b, m[x], m[x + 1])
            rotate(d, a, 32)
            add(c, d, 0, 0)
            rotate(b, c, 24)
            add(a, b, m[y], m[y + 1])
            rotate(d, a, 16)
            add(c, d, 0, 0)
            rotate(b, c, 63)
        }
    }
    for (let index = 0; index < 16; index++) h[index] ^= v[index] ^ v[index + 16]
}

/**
 * @param {Uint8Array} data
 * @param {number} length of the hash, 1 to 64 bytes
 * @param {Uint8Array} [key] at most 64 bytes
 * @returns {Uint8Array}
 */
export function blake2b(data, length, key = new Uint8Array(0)) {
    const h = IV.slice()
    h[0] ^= 0x01010000 ^ (key.length << 8) ^ length
    let input = data
    if (key.length > 0) {
        input = new Uint8Array(128 + data.length)
        input.set(key)
        input.set(data, 128)
    }
    const last = Math.max(0, Math.ceil(input.length / 128) - 1) * 128
    for (let at = 0; at < last; at += 128) compress(h, input, at, at + 128, false)
    const block = new Uint8Array(128)
    block.set(input.subarray(last))
    compress(h, block, 0, input.length, true)
    const hash = new Uint8Array(64)
    const view = new DataView(hash.buffer)
    for (let index = 0; index < 16; index++) view.setUint32(4 * index, h[index], true)
    v.fill(0)
    m.fill(0)
    return hash.slice(0, length)
}
