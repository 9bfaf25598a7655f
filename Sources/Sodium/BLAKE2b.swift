import CSodium

/// BLAKE2b (RFC 7693), with a key or without, of a message in parts.
package struct BLAKE2b: ~Copyable {
    /// The length of a digest, in bytes: a part of the hashed data, so that no digest is a prefix of another.
    package enum DigestLength: Int, Sendable {
        case bytes16 = 16
        case bytes32 = 32
        case bytes64 = 64
    }

    /// In bytes.
    package static let keyLengths = 16...64
    /// The state is loaded by vector instructions.
    private static let stateAlignment = 64

    private let state: WipedBytes
    private let length: DigestLength

    /// Begins a message (`crypto_generichash_init`) without a key.
    package init(length: DigestLength) throws(SodiumError) {
        try self.init(length: length, anyKey: [UInt8]().span)
    }

    /// Begins a message (`crypto_generichash_init`) whose digest only a holder of the key can compute.
    ///
    /// - Throws: `SodiumError.wrongLength` for a key outside 16 to 64 bytes.
    package init(length: DigestLength, key: Span<UInt8>) throws(SodiumError) {
        try Self.requireKeyLength(key)
        try self.init(length: length, anyKey: key)
    }

    private init(length: DigestLength, anyKey key: Span<UInt8>) throws(SodiumError) {
        let size = crypto_generichash_statebytes()
        state = try unsafe WipedBytes(count: size, alignment: Self.stateAlignment) { target throws(SodiumError) in
            try Library.call(orThrow: .refused) {
                unsafe key.withCBytes { key, count in
                    unsafe crypto_generichash_init(OpaquePointer(target), key, count, length.rawValue)
                }
            }
        }
        self.length = length
    }

    /// Appends a part of the message (`crypto_generichash_update`).
    package mutating func update(_ part: Span<UInt8>) throws(SodiumError) {
        try Library.call(orThrow: .refused) {
            unsafe part.withCBytes { part, count in
                unsafe state.withOpaqueState { state in
                    unsafe crypto_generichash_update(state, part, UInt64(count))
                }
            }
        }
    }

    /// The digest of the whole message (`crypto_generichash_final`).
    package consuming func finish() throws(SodiumError) -> [UInt8] {
        let (state, length) = (state, length)
        return try unsafe Library.bytes(count: length.rawValue, orThrow: .refused) { output in
            unsafe state.withOpaqueState { state in unsafe crypto_generichash_final(state, output, length.rawValue) }
        }
    }

    /// The digest of `message` (`crypto_generichash`).
    package static func hash(_ message: Span<UInt8>, length: DigestLength) throws(SodiumError) -> [UInt8] {
        try hash(message, length: length, anyKey: [UInt8]().span)
    }

    /// The digest of `message` under a key (`crypto_generichash`).
    ///
    /// - Throws: `SodiumError.wrongLength` for a key outside 16 to 64 bytes.
    package static func hash(
        _ message: Span<UInt8>, length: DigestLength, key: Span<UInt8>
    ) throws(SodiumError) -> [UInt8] {
        try requireKeyLength(key)
        return try hash(message, length: length, anyKey: key)
    }

    private static func hash(
        _ message: Span<UInt8>, length: DigestLength, anyKey key: Span<UInt8>
    ) throws(SodiumError) -> [UInt8] {
        try unsafe Library.bytes(count: length.rawValue, orThrow: .refused) { output in
            unsafe message.withCBytes { message, count in
                unsafe key.withCBytes { key, keyCount in
                    unsafe crypto_generichash(output, length.rawValue, message, UInt64(count), key, keyCount)
                }
            }
        }
    }

    private static func requireKeyLength(_ key: Span<UInt8>) throws(SodiumError) {
        guard keyLengths.contains(key.count) else {
            throw .wrongLength(
                expected: key.count < keyLengths.lowerBound ? keyLengths.lowerBound : keyLengths.upperBound,
                actual: key.count)
        }
    }
}
