// @ts-check
/** SHA-256 (FIPS 180-4) in parts: WebCrypto's digest needs all of a file in memory. */

/** The first 32 bits of the fractional parts of roots of primes. */
const K = new Int32Array(64)
const INITIAL = new Int32Array(8)
for (let candidate = 2, count = 0; count < 64; candidate++) {
    let isPrime = true
    for (let divisor = 2; divisor * divisor <= candidate; divisor++) isPrime &&= candidate % divisor !== 0
    if (!isPrime) continue
    if (count < 8) INITIAL[count] = (Math.sqrt(candidate) % 1) * 4294967296
    K[count++] = (Math.cbrt(candidate) % 1) * 4294967296
}

export class SHA256 {
    constructor() {
        this.h = INITIAL.slice()
        this.w = new Int32Array(64)
        this.rest = new Uint8Array(64)
        this.restLength = 0
        this.length = 0
    }

    /** @param {Uint8Array} bytes */
    update(bytes) {
        this.length += bytes.length
        let at = 0
        if (this.restLength > 0) {
            at = Math.min(64 - this.restLength, bytes.length)
            this.rest.set(bytes.subarray(0, at), this.restLength)
            this.restLength += at
            if (this.restLength < 64) return this
            this.#block(this.rest, 0)
        }
        for (; at + 64 <= bytes.length; at += 64) this.#block(bytes, at)
        this.rest.set(bytes.subarray(at))
        this.restLength = bytes.length - at
        return this
    }

    /** @returns {Uint8Array} 32 bytes */
    finish() {
        const bits = this.length * 8
        const padding = new Uint8Array(((119 - this.restLength) % 64) + 9)
        padding[0] = 0x80
        const view = new DataView(padding.buffer)
        view.setUint32(padding.length - 8, Math.floor(bits / 4294967296))
        view.setUint32(padding.length - 4, bits >>> 0)
        this.update(padding)
        const hash = new Uint8Array(32)
        const output = new DataView(hash.buffer)
        this.h.forEach((value, index) => output.setInt32(4 * index, value))
        return hash
    }

    /**
     * @param {Uint8Array} data
     * @param {number} at
     */
    #block(data, at) {
        const w = this.w
        for (let index = 0; index < 16; index++, at += 4) {
            w[index] = (data[at] << 24) | (data[at + 1] << 16) | (data[at + 2] << 8) | data[at + 3]
        }
        for (let index = 16; index < 64; index++) {
            const x = w[index - 15]
            const y = w[index - 2]
            const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
            const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
            w[index] = (w[index - 16] + s0 + w[index - 7] + s1) | 0
        }
        const h = this.h
        let a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], last = h[7]
        for (let index = 0; index < 64; index++) {
            const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
            const t1 = (last + s1 + ((e & f) ^ (~e & g)) + K[index] + w[index]) | 0
            const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
            const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
            last = g
            g = f
            f = e
            e = (d + t1) | 0
            d = c
            c = b
            b = a
            a = (t1 + t2) | 0
        }
        h[0] += a
        h[1] += b
        h[2] += c
        h[3] += d
        h[4] += e
        h[5] += f
        h[6] += g
        h[7] += last
    }
}
