import CSodium

/// A stream of chunks under one key, none of which can be changed, left out, repeated or moved
/// (`crypto_secretstream_xchacha20poly1305`).
package enum SecretStream {
    package static let keyLength = 32
    package static let headerLength = 24
    /// The tag of a sealed chunk, in bytes.
    package static let chunkOverhead = 17

    /// The role of a chunk in its stream. The values are libsodium's.
    package enum Tag: UInt8, Sendable {
        case message = 0
        /// The end of a set of messages, but not of the stream.
        case push = 1
        /// The key changes after this chunk, so that the holder of the next one cannot open this one.
        case rekey = 2
        /// The end of the stream.
        case final = 3
    }

    /// Seals the chunks of one stream, in order.
    package struct Encryptor: ~Copyable {
        /// 24 random bytes that the opener needs beside the key.
        package let header: [UInt8]
        private let state: WipedBytes

        /// Begins a stream (`crypto_secretstream_xchacha20poly1305_init_push`).
        ///
        /// - Throws: `SodiumError.wrongLength` unless the key has 32 bytes.
        package init(key: Span<UInt8>) throws(SodiumError) {
            try key.requireCount(keyLength)
            var header = [UInt8](repeating: 0, count: headerLength)
            state = try unsafe WipedBytes(streamState: { state in
                unsafe key.withCBytes { key, _ in
                    unsafe crypto_secretstream_xchacha20poly1305_init_push(state, &header, key)
                }
            })
            self.header = header
        }

        /// Seals the next chunk (`crypto_secretstream_xchacha20poly1305_push`) into the beginning of `output`.
        ///
        /// - Throws: `SodiumError.wrongLength` for an output with less room than the chunk and 17 bytes.
        package mutating func seal(
            _ chunk: Span<UInt8>, as tag: Tag, additionalData: Span<UInt8>, into output: inout MutableSpan<UInt8>
        ) throws(SodiumError) {
            guard output.count >= chunk.count + chunkOverhead else {
                throw .wrongLength(expected: chunk.count + chunkOverhead, actual: output.count)
            }
            let code = unsafe output.withCBytes { output, _ in
                unsafe chunk.withCBytes { chunk, count in
                    unsafe additionalData.withCBytes { data, dataCount in
                        unsafe state.withState(as: crypto_secretstream_xchacha20poly1305_state.self) { state in
                            unsafe crypto_secretstream_xchacha20poly1305_push(
                                state, output, nil, chunk, UInt64(count), data, UInt64(dataCount), tag.rawValue)
                        }
                    }
                }
            }
            guard code == 0 else { throw .refused }
        }
    }

    /// Opens the chunks of one stream, in order.
    package struct Decryptor: ~Copyable {
        private let state: WipedBytes

        /// Begins a stream (`crypto_secretstream_xchacha20poly1305_init_pull`).
        ///
        /// - Throws: `SodiumError.wrongLength` unless the header has 24 bytes and the key 32.
        package init(header: Span<UInt8>, key: Span<UInt8>) throws(SodiumError) {
            try header.requireCount(headerLength)
            try key.requireCount(keyLength)
            state = try unsafe WipedBytes(streamState: { state in
                unsafe header.withCBytes { header, _ in
                    unsafe key.withCBytes { key, _ in
                        unsafe crypto_secretstream_xchacha20poly1305_init_pull(state, header, key)
                    }
                }
            })
        }

        /// Opens the next chunk (`crypto_secretstream_xchacha20poly1305_pull`) into the beginning of `output`.
        ///
        /// - Returns: the role of the chunk, which is 17 bytes shorter than when sealed.
        /// - Throws: `SodiumError.wrongLength` for an output without room for it; `.notAuthentic` if it is not the
        ///   stream's next chunk, which may be asked for again.
        package mutating func open(
            _ chunk: Span<UInt8>, additionalData: Span<UInt8>, into output: inout MutableSpan<UInt8>
        ) throws(SodiumError) -> Tag {
            guard chunk.count >= chunkOverhead else { throw .notAuthentic }
            guard output.count >= chunk.count - chunkOverhead else {
                throw .wrongLength(expected: chunk.count - chunkOverhead, actual: output.count)
            }
            var tag: UInt8 = 0
            let code = unsafe output.withCBytes { output, _ in
                unsafe chunk.withCBytes { chunk, count in
                    unsafe additionalData.withCBytes { data, dataCount in
                        unsafe state.withState(as: crypto_secretstream_xchacha20poly1305_state.self) { state in
                            unsafe crypto_secretstream_xchacha20poly1305_pull(
                                state, output, nil, &tag, chunk, UInt64(count), data, UInt64(dataCount))
                        }
                    }
                }
            }
            guard code == 0, let tag = Tag(rawValue: tag) else { throw .notAuthentic }
            return tag
        }
    }
}

extension WipedBytes {
    fileprivate convenience init(
        streamState fill: (UnsafeMutablePointer<crypto_secretstream_xchacha20poly1305_state>) -> CInt
    ) throws(SodiumError) {
        let size = crypto_secretstream_xchacha20poly1305_statebytes()
        try unsafe self.init(count: size) { target throws(SodiumError) in
            try Library.call(orThrow: .refused) {
                unsafe fill(
                    UnsafeMutableRawPointer(target)
                        .assumingMemoryBound(to: crypto_secretstream_xchacha20poly1305_state.self))
            }
        }
    }
}
