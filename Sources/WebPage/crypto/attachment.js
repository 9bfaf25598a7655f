// @ts-check
/** Attachments (docs/protocol.md, "Attachments"): streams of chunks, sealed and opened in parts. */

import { CHUNK_OVERHEAD, HEADER_LENGTH, SecretStream, TAG_FINAL, TAG_MESSAGE } from './secretstream.js'
import { random, sha256 } from './curves.js'
import { SHA256 } from './sha256.js'

const CHUNK = 65536
const SEALED_CHUNK = CHUNK + CHUNK_OVERHEAD
/** What is read at once. */
const BATCH = 16 * CHUNK
/** Up to here WebCrypto hashes all at once, which is faster; beyond, memory is dearer. */
const HASHED_AT_ONCE = 1 << 26

/** @param {number} size of the content */
export const sealedLength = (size) => HEADER_LENGTH + size + CHUNK_OVERHEAD * Math.max(1, Math.ceil(size / CHUNK))

/**
 * @param {Blob} file
 * @param {AbortSignal} [signal]
 * @returns {Promise<{sealed: Blob, key: Uint8Array, digest: Uint8Array, size: number}>}
 */
export async function sealFile(file, signal) {
    const [key, header] = [random(32), random(HEADER_LENGTH)]
    const stream = new SecretStream(key, header)
    const hash = sealedLength(file.size) > HASHED_AT_ONCE ? new SHA256().update(header) : null
    const parts = [header]
    let at = 0
    do {
        signal?.throwIfAborted()
        const bytes = new Uint8Array(await file.slice(at, at + BATCH).arrayBuffer())
        if (bytes.length !== Math.min(BATCH, file.size - at)) throw new Error('the file has changed')
        for (let from = 0; from < Math.max(1, bytes.length); from += CHUNK) {
            const isLast = at + from + CHUNK >= file.size
            const chunk = stream.seal(bytes.subarray(from, from + CHUNK), isLast ? TAG_FINAL : TAG_MESSAGE)
            hash?.update(chunk)
            parts.push(chunk)
        }
        at += BATCH
    } while (at < file.size)
    const sealed = new Blob(/** @type {BlobPart[]} */ (parts))
    const digest = hash?.finish() ?? await sha256(new Uint8Array(await sealed.arrayBuffer()))
    return { sealed, key, digest, size: file.size }
}

/**
 * Opens what comes in parts of any length. Nothing of it may be used before `finish` has returned.
 */
export class OpeningFile {
    /** @param {Uint8Array} key @param {number} size of the content */
    constructor(key, size) {
        this.key = key
        this.size = size
        this.expected = sealedLength(size)
        this.received = 0
        this.hash = new SHA256()
        /** @type {SecretStream|null} */
        this.stream = null
        this.rest = new Uint8Array(0)
        /** @type {Uint8Array[]} */
        this.parts = []
        this.isFinal = false
    }

    /**
     * @param {Uint8Array} bytes
     * @returns {boolean} false where it is not what was sealed
     */
    update(bytes) {
        this.received += bytes.length
        if (this.received > this.expected) return false
        this.hash.update(bytes)
        const joined = new Uint8Array(this.rest.length + bytes.length)
        joined.set(this.rest)
        joined.set(bytes, this.rest.length)
        let at = 0
        if (this.stream === null) {
            if (joined.length < HEADER_LENGTH) {
                this.rest = joined
                return true
            }
            this.stream = new SecretStream(this.key, joined.subarray(0, HEADER_LENGTH))
            at = HEADER_LENGTH
        }
        const isWhole = this.received === this.expected
        while (joined.length - at >= SEALED_CHUNK || (isWhole && at < joined.length)) {
            const opened = this.isFinal ? null : this.stream.open(joined.subarray(at, at + SEALED_CHUNK))
            if (opened === null) return false
            at += Math.min(SEALED_CHUNK, joined.length - at)
            this.isFinal = opened.tag === TAG_FINAL
            if (!this.isFinal && opened.tag !== TAG_MESSAGE) return false
            this.parts.push(opened.content)
        }
        this.rest = joined.slice(at)
        return true
    }

    /** @returns {{content: Blob, digest: Uint8Array}|null} null where it is not whole */
    finish() {
        const content = new Blob(/** @type {BlobPart[]} */ (this.parts))
        if (!this.isFinal || this.received !== this.expected || content.size !== this.size) return null
        return { content, digest: this.hash.finish() }
    }
}
