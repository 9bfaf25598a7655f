// @ts-check
/** The stream ciphers that WebCrypto lacks: ChaCha20 (RFC 8439), Salsa20, and their key-deriving H forms. */

/**
 * @param {Uint8Array} bytes
 * @param {number} at
 */
const word = (bytes, at) => bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)

/** @param {Uint8Array} bytes */
const words = (bytes) => Array.from({ length: bytes.length / 4 }, (_, index) => word(bytes, 4 * index))

/** @param {number[]} values */
function bytesOf(values) {
    const bytes = new Uint8Array(4 * values.length)
    const view = new DataView(bytes.buffer)
    values.forEach((value, index) => view.setUint32(4 * index, value, true))
    return bytes
}

// "expand 32-byte k"
const [C0, C1, C2, C3] = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]

const isLittleEndian = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1

/**
 * Twenty rounds of ChaCha.
 *
 * @param {Uint32Array|Int32Array} input 16 words
 * @param {Int32Array} output the words after the rounds, without the input added
 */
function chachaRounds(input, output) {
    let x0 = input[0] | 0, x1 = input[1] | 0, x2 = input[2] | 0, x3 = input[3] | 0
    let x4 = input[4] | 0, x5 = input[5] | 0, x6 = input[6] | 0, x7 = input[7] | 0
    let x8 = input[8] | 0, x9 = input[9] | 0, x10 = input[10] | 0, x11 = input[11] | 0
    let x12 = input[12] | 0, x13 = input[13] | 0, x14 = input[14] | 0, x15 = input[15] | 0
    for (let round = 0; round < 10; round++) {
        x0 = (x0 + x4) | 0; x12 ^= x0; x12 = (x12 << 16) | (x12 >>> 16)
        x8 = (x8 + x12) | 0; x4 ^= x8; x4 = (x4 << 12) | (x4 >>> 20)
        x0 = (x0 + x4) | 0; x12 ^= x0; x12 = (x12 << 8) | (x12 >>> 24)
        x8 = (x8 + x12) | 0; x4 ^= x8; x4 = (x4 << 7) | (x4 >>> 25)
        x1 = (x1 + x5) | 0; x13 ^= x1; x13 = (x13 << 16) | (x13 >>> 16)
        x9 = (x9 + x13) | 0; x5 ^= x9; x5 = (x5 << 12) | (x5 >>> 20)
        x1 = (x1 + x5) | 0; x13 ^= x1; x13 = (x13 << 8) | (x13 >>> 24)
        x9 = (x9 + x13) | 0; x5 ^= x9; x5 = (x5 << 7) | (x5 >>> 25)
        x2 = (x2 + x6) | 0; x14 ^= x2; x14 = (x14 << 16) | (x14 >>> 16)
        x10 = (x10 + x14) | 0; x6 ^= x10; x6 = (x6 << 12) | (x6 >>> 20)
        x2 = (x2 + x6) | 0; x14 ^= x2; x14 = (x14 << 8) | (x14 >>> 24)
        x10 = (x10 + x14) | 0; x6 ^= x10; x6 = (x6 << 7) | (x6 >>> 25)
        x3 = (x3 + x7) | 0; x15 ^= x3; x15 = (x15 << 16) | (x15 >>> 16)
        x11 = (x11 + x15) | 0; x7 ^= x11; x7 = (x7 << 12) | (x7 >>> 20)
        x3 = (x3 + x7) | 0; x15 ^= x3; x15 = (x15 << 8) | (x15 >>> 24)
        x11 = (x11 + x15) | 0; x7 ^= x11; x7 = (x7 << 7) | (x7 >>> 25)

        x0 = (x0 + x5) | 0; x15 ^= x0; x15 = (x15 << 16) | (x15 >>> 16)
        x10 = (x10 + x15) | 0; x5 ^= x10; x5 = (x5 << 12) | (x5 >>> 20)
        x0 = (x0 + x5) | 0; x15 ^= x0; x15 = (x15 << 8) | (x15 >>> 24)
        x10 = (x10 + x15) | 0; x5 ^= x10; x5 = (x5 << 7) | (x5 >>> 25)
        x1 = (x1 + x6) | 0; x12 ^= x1; x12 = (x12 << 16) | (x12 >>> 16)
        x11 = (x11 + x12) | 0; x6 ^= x11; x6 = (x6 << 12) | (x6 >>> 20)
        x1 = (x1 + x6) | 0; x12 ^= x1; x12 = (x12 << 8) | (x12 >>> 24)
        x11 = (x11 + x12) | 0; x6 ^= x11; x6 = (x6 << 7) | (x6 >>> 25)
        x2 = (x2 + x7) | 0; x13 ^= x2; x13 = (x13 << 16) | (x13 >>> 16)
        x8 = (x8 + x13) | 0; x7 ^= x8; x7 = (x7 << 12) | (x7 >>> 20)
        x2 = (x2 + x7) | 0; x13 ^= x2; x13 = (x13 << 8) | (x13 >>> 24)
        x8 = (x8 + x13) | 0; x7 ^= x8; x7 = (x7 << 7) | (x7 >>> 25)
        x3 = (x3 + x4) | 0; x14 ^= x3; x14 = (x14 << 16) | (x14 >>> 16)
        x9 = (x9 + x14) | 0; x4 ^= x9; x4 = (x4 << 12) | (x4 >>> 20)
        x3 = (x3 + x4) | 0; x14 ^= x3; x14 = (x14 << 8) | (x14 >>> 24)
        x9 = (x9 + x14) | 0; x4 ^= x9; x4 = (x4 << 7) | (x4 >>> 25)
    }
    output[0] = x0; output[1] = x1; output[2] = x2; output[3] = x3
    output[4] = x4; output[5] = x5; output[6] = x6; output[7] = x7
    output[8] = x8; output[9] = x9; output[10] = x10; output[11] = x11
    output[12] = x12; output[13] = x13; output[14] = x14; output[15] = x15
}

/**
 * Twenty rounds of Salsa.
 *
 * @param {Uint32Array|Int32Array} input
 * @param {Int32Array} output
 */
function salsaRounds(input, output) {
    const x = output
    x.set(input)
    /** @type {(to: number, a: number, b: number, by: number) => void} */
    const step = (to, a, b, by) => {
        const sum = (x[a] + x[b]) | 0
        x[to] ^= (sum << by) | (sum >>> (32 - by))
    }
    /** @type {(a: number, b: number, c: number, d: number) => void} */
    const quarter = (a, b, c, d) => {
        step(b, a, d, 7)
        step(c, b, a, 9)
        step(d, c, b, 13)
        step(a, d, c, 18)
    }
    for (let round = 0; round < 10; round++) {
        quarter(0, 4, 8, 12)
        quarter(5, 9, 13, 1)
        quarter(10, 14, 2, 6)
        quarter(15, 3, 7, 11)
        quarter(0, 1, 2, 3)
        quarter(5, 6, 7, 4)
        quarter(10, 11, 8, 9)
        quarter(15, 12, 13, 14)
    }
}

/**
 * The content xor a key stream of 64-byte blocks.
 *
 * @param {(input: Int32Array, output: Int32Array) => void} rounds
 * @param {Int32Array} input the state of the first block
 * @param {number} counter the place of the block number in the state
 * @param {Uint8Array} data
 */
function xor(rounds, input, counter, data) {
    const length = data.length
    // Aligned, and as long as whole words.
    const output = new Uint8Array(((length + 3) >> 2) << 2)
    output.set(data)
    const target = new Int32Array(output.buffer)
    const block = new Int32Array(16)
    for (let at = 0; at < target.length; at += 16) {
        rounds(input, block)
        const count = Math.min(16, target.length - at)
        for (let index = 0; index < count; index++) {
            const stream = (block[index] + input[index]) | 0
            target[at + index] ^= isLittleEndian ? stream : swapped(stream)
        }
        input[counter] = (input[counter] + 1) | 0
    }
    block.fill(0)
    return output.subarray(0, length)
}

/** @param {number} value */
const swapped = (value) =>
    (value << 24) | ((value & 0xff00) << 8) | ((value >>> 8) & 0xff00) | (value >>> 24)

/**
 * ChaCha20 with a nonce of 12 bytes.
 *
 * @param {Uint8Array} data
 * @param {Uint8Array} key 32 bytes
 * @param {Uint8Array} nonce
 * @param {number} counter the first block's
 */
export function chacha20(data, key, nonce, counter) {
    const input = Int32Array.from([C0, C1, C2, C3, ...words(key), counter, ...words(nonce)])
    return xor(chachaRounds, input, 12, data)
}

/**
 * @param {Uint8Array} key 32 bytes
 * @param {Uint8Array} nonce 16 bytes
 * @returns {Uint8Array} 32 bytes
 */
export function hchacha20(key, nonce) {
    const output = new Int32Array(16)
    chachaRounds(Int32Array.from([C0, C1, C2, C3, ...words(key), ...words(nonce)]), output)
    return bytesOf([0, 1, 2, 3, 12, 13, 14, 15].map((index) => output[index]))
}

/**
 * @param {number[]} key 8 words
 * @param {number[]} middle 4 words: nonce and block number
 */
const salsaState = (key, middle) =>
    Int32Array.from([C0, ...key.slice(0, 4), C1, ...middle, C2, ...key.slice(4), C3])

/**
 * XSalsa20 with a nonce of 24 bytes.
 *
 * @param {Uint8Array} data at most 2^32 blocks
 * @param {Uint8Array} key 32 bytes
 * @param {Uint8Array} nonce
 */
export function xsalsa20(data, key, nonce) {
    const derived = hsalsa20(key, nonce.subarray(0, 16))
    return xor(salsaRounds, salsaState(words(derived), [...words(nonce.subarray(16, 24)), 0, 0]), 8, data)
}

/**
 * @param {Uint8Array} key 32 bytes
 * @param {Uint8Array} nonce 16 bytes
 * @returns {Uint8Array} 32 bytes
 */
export function hsalsa20(key, nonce) {
    const output = new Int32Array(16)
    salsaRounds(salsaState(words(key), words(nonce)), output)
    return bytesOf([0, 5, 10, 15, 6, 7, 8, 9].map((index) => output[index]))
}
