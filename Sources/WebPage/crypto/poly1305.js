// @ts-check
/**
 * Poly1305 (RFC 8439 §2.5) on six limbs of 22 bits in doubles: every sum of products stays below 2^53.
 *
 * 2^132 is 20 modulo 2^130 - 5.
 */

const BASE = 4194304
const INVERSE = 1 / 4194304
const MASK = 0x3fffff

export class Poly1305 {
    /** @param {Uint8Array} key 32 bytes, for one message */
    constructor(key) {
        const word = (/** @type {number} */ at) =>
            (key[at] | (key[at + 1] << 8) | (key[at + 2] << 16) | (key[at + 3] << 24)) >>> 0
        const [t0, t1, t2, t3] = [
            word(0) & 0x0fffffff, word(4) & 0x0ffffffc, word(8) & 0x0ffffffc, word(12) & 0x0ffffffc,
        ]
        this.r = [
            t0 & MASK, ((t0 >>> 22) | (t1 << 10)) & MASK, ((t1 >>> 12) | (t2 << 20)) & MASK, (t2 >>> 2) & MASK,
            ((t2 >>> 24) | (t3 << 8)) & MASK, t3 >>> 14,
        ]
        this.h = [0, 0, 0, 0, 0, 0]
        this.pad = [word(16), word(20), word(24), word(28)]
        this.rest = new Uint8Array(16)
        this.restLength = 0
    }

    /** @param {Uint8Array} bytes */
    update(bytes) {
        let at = 0
        if (this.restLength > 0) {
            at = Math.min(16 - this.restLength, bytes.length)
            this.rest.set(bytes.subarray(0, at), this.restLength)
            this.restLength += at
            if (this.restLength < 16) return this
            this.#blocks(this.rest, 0, 16, 1 << 18)
            this.restLength = 0
        }
        const end = at + ((bytes.length - at) & ~15)
        if (end > at) this.#blocks(bytes, at, end, 1 << 18)
        this.rest.set(bytes.subarray(end), 0)
        this.restLength = bytes.length - end
        return this
    }

    /** Zeros up to the next whole block, as the AEADs have them. */
    align() {
        if (this.restLength > 0) this.update(new Uint8Array(16 - this.restLength))
        return this
    }

    /** @returns {Uint8Array} 16 bytes */
    finish() {
        if (this.restLength > 0) {
            this.rest.fill(0, this.restLength)
            this.rest[this.restLength] = 1
            this.#blocks(this.rest, 0, 16, 0)
        }
        const tag = this.#reduced()
        this.r.fill(0)
        this.h.fill(0)
        this.pad.fill(0)
        this.rest.fill(0)
        return tag
    }

    /**
     * @param {Uint8Array} data
     * @param {number} at
     * @param {number} end
     * @param {number} high 2^128 of a whole block, in the last limb
     */
    #blocks(data, at, end, high) {
        const [r0, r1, r2, r3, r4, r5] = this.r
        const [s1, s2, s3, s4, s5] = [20 * r1, 20 * r2, 20 * r3, 20 * r4, 20 * r5]
        let [h0, h1, h2, h3, h4, h5] = this.h
        for (; at < end; at += 16) {
            const t0 = data[at] | (data[at + 1] << 8) | (data[at + 2] << 16) | (data[at + 3] << 24)
            const t1 = data[at + 4] | (data[at + 5] << 8) | (data[at + 6] << 16) | (data[at + 7] << 24)
            const t2 = data[at + 8] | (data[at + 9] << 8) | (data[at + 10] << 16) | (data[at + 11] << 24)
            const t3 = data[at + 12] | (data[at + 13] << 8) | (data[at + 14] << 16) | (data[at + 15] << 24)
            h0 += t0 & MASK
            h1 += ((t0 >>> 22) | (t1 << 10)) & MASK
            h2 += ((t1 >>> 12) | (t2 << 20)) & MASK
            h3 += (t2 >>> 2) & MASK
            h4 += ((t2 >>> 24) | (t3 << 8)) & MASK
            h5 += (t3 >>> 14) | high

            let d0 = h0 * r0 + h1 * s5 + h2 * s4 + h3 * s3 + h4 * s2 + h5 * s1
            let d1 = h0 * r1 + h1 * r0 + h2 * s5 + h3 * s4 + h4 * s3 + h5 * s2
            let d2 = h0 * r2 + h1 * r1 + h2 * r0 + h3 * s5 + h4 * s4 + h5 * s3
            let d3 = h0 * r3 + h1 * r2 + h2 * r1 + h3 * r0 + h4 * s5 + h5 * s4
            let d4 = h0 * r4 + h1 * r3 + h2 * r2 + h3 * r1 + h4 * r0 + h5 * s5
            let d5 = h0 * r5 + h1 * r4 + h2 * r3 + h3 * r2 + h4 * r1 + h5 * r0

            let carry = Math.floor(d0 * INVERSE)
            h0 = d0 - carry * BASE
            d1 += carry
            carry = Math.floor(d1 * INVERSE)
            h1 = d1 - carry * BASE
            d2 += carry
            carry = Math.floor(d2 * INVERSE)
            h2 = d2 - carry * BASE
            d3 += carry
            carry = Math.floor(d3 * INVERSE)
            h3 = d3 - carry * BASE
            d4 += carry
            carry = Math.floor(d4 * INVERSE)
            h4 = d4 - carry * BASE
            d5 += carry
            carry = Math.floor(d5 * INVERSE)
            h5 = d5 - carry * BASE
            d0 = h0 + 20 * carry
            carry = Math.floor(d0 * INVERSE)
            h0 = d0 - carry * BASE
            h1 += carry
        }
        this.h = [h0, h1, h2, h3, h4, h5]
    }

    /** The value modulo 2^130 - 5, plus the second half of the key, modulo 2^128. */
    #reduced() {
        const h = this.h
        const carryAll = () => {
            for (let limb = 0; limb < 5; limb++) {
                h[limb + 1] += Math.floor(h[limb] * INVERSE)
                h[limb] -= Math.floor(h[limb] * INVERSE) * BASE
            }
        }
        for (let round = 0; round < 3; round++) {
            carryAll()
            // The last limb has 20 bits of the 130.
            const over = Math.floor(h[5] / 1048576)
            h[5] -= over * 1048576
            h[0] += 5 * over
        }
        carryAll()
        // Less the modulus, if that is not negative: the value plus 5 reaches 2^130 then.
        const g = new Array(6)
        let carry = 5
        for (let limb = 0; limb < 6; limb++) {
            const sum = h[limb] + carry
            carry = limb < 5 ? sum >>> 22 : sum >>> 20
            g[limb] = limb < 5 ? sum & MASK : sum & 0xfffff
        }
        const choice = -carry
        const [v0, v1, v2, v3, v4, v5] = h.map((limb, index) => (limb & ~choice) | (g[index] & choice))
        const words = [
            (v0 | (v1 << 22)) >>> 0, ((v1 >>> 10) | (v2 << 12)) >>> 0, ((v2 >>> 20) | (v3 << 2) | (v4 << 24)) >>> 0,
            ((v4 >>> 8) | (v5 << 14)) >>> 0,
        ]
        const tag = new Uint8Array(16)
        let sum = 0
        for (let word = 0; word < 4; word++) {
            sum = words[word] + this.pad[word] + Math.floor(sum / 4294967296)
            for (let byte = 0; byte < 4; byte++) tag[4 * word + byte] = (sum >>> 0) >>> (8 * byte)
        }
        return tag
    }
}
