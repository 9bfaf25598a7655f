// @ts-check
/** libsodium's `crypto_secretstream_xchacha20poly1305`, without associated data. */

import { concat, equal } from './bytes.js'
import { Poly1305 } from './poly1305.js'
import { chacha20, hchacha20 } from './stream.js'

export const HEADER_LENGTH = 24
/** A sealed chunk is that much longer than its content. */
export const CHUNK_OVERHEAD = 17
export const TAG_MESSAGE = 0
export const TAG_FINAL = 3
const TAG_REKEY = 2

/** One direction of a stream. */
export class SecretStream {
    /**
     * @param {Uint8Array} key 32 bytes
     * @param {Uint8Array} header 24 random bytes, before the first chunk
     */
    constructor(key, header) {
        this.key = hchacha20(key, header.subarray(0, 16))
        this.nonce = concat(Uint8Array.of(1, 0, 0, 0), header.subarray(16, 24))
    }

    /**
     * @param {Uint8Array} content
     * @param {number} tag
     */
    seal(content, tag) {
        const block = chacha20(Uint8Array.of(tag, ...new Uint8Array(63)), this.key, this.nonce, 1)
        const sealed = chacha20(content, this.key, this.nonce, 2)
        const mac = this.#mac(block, sealed)
        this.#advance(mac, tag)
        return concat(block.subarray(0, 1), sealed, mac)
    }

    /**
     * @param {Uint8Array} chunk
     * @returns {{content: Uint8Array, tag: number}|null}
     */
    open(chunk) {
        if (chunk.length < CHUNK_OVERHEAD) return null
        const block = chacha20(Uint8Array.of(chunk[0], ...new Uint8Array(63)), this.key, this.nonce, 1)
        const tag = block[0]
        block[0] = chunk[0]
        const sealed = chunk.subarray(1, chunk.length - 16)
        const mac = this.#mac(block, sealed)
        if (!equal(mac, chunk.subarray(chunk.length - 16))) return null
        const content = chacha20(sealed, this.key, this.nonce, 2)
        this.#advance(mac, tag)
        return { content, tag }
    }

    /**
     * @param {Uint8Array} block 64 bytes: the sealed tag, and the stream after it
     * @param {Uint8Array} sealed
     */
    #mac(block, sealed) {
        const lengths = new DataView(new ArrayBuffer(16))
        lengths.setUint32(8, 64 + sealed.length, true)
        return new Poly1305(chacha20(new Uint8Array(32), this.key, this.nonce, 0))
            .update(block).update(sealed)
            // So many zeros, and not up to a whole block: libsodium's format has it so.
            .update(new Uint8Array(sealed.length & 15))
            .update(new Uint8Array(lengths.buffer)).finish()
    }

    /**
     * @param {Uint8Array} mac
     * @param {number} tag
     */
    #advance(mac, tag) {
        const nonce = this.nonce
        for (let index = 0; index < 8; index++) nonce[4 + index] ^= mac[index]
        let isOver = true
        for (let index = 0; index < 4 && isOver; index++) {
            nonce[index] = (nonce[index] + 1) & 255
            isOver = nonce[index] === 0
        }
        if ((tag & TAG_REKEY) !== 0 || isOver) this.#rekey()
    }

    #rekey() {
        const fresh = chacha20(concat(this.key, this.nonce.subarray(4)), this.key, this.nonce, 0)
        this.key = fresh.slice(0, 32)
        this.nonce = concat(Uint8Array.of(1, 0, 0, 0), fresh.subarray(32))
    }
}
