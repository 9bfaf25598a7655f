import CSodium

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
    package static let digestLength = 32

    /// The 32-byte digest (`crypto_hash_sha256`).
    package static func hash(_ message: Span<UInt8>) throws(SodiumError) -> [UInt8] {
        try unsafe Library.bytes(count: digestLength, orThrow: .refused) { output in
            unsafe message.withCBytes { message, count in
                unsafe crypto_hash_sha256(output, message, UInt64(count))
            }
        }
    }
}

/// BLAKE2b without a key (RFC 7693).
package enum BLAKE2b {
    /// How long a digest is to be, in bytes: the length is part of what is hashed, so one is no prefix of the other.
    package enum DigestLength: Int, Sendable {
        case bytes16 = 16
        case bytes32 = 32
    }

    /// The digest (`crypto_generichash`).
    package static func hash(_ message: Span<UInt8>, length: DigestLength) throws(SodiumError) -> [UInt8] {
        try unsafe Library.bytes(count: length.rawValue, orThrow: .refused) { output in
            unsafe message.withCBytes { message, count in
                unsafe crypto_generichash(output, length.rawValue, message, UInt64(count), nil, 0)
            }
        }
    }
}
