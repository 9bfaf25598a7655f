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

/// SHA-512 (FIPS 180-4).
package enum SHA512 {
    package static let digestLength = 64

    /// The 64-byte digest (`crypto_hash_sha512`, which always succeeds and needs no initialisation).
    package static func hash(_ message: Span<UInt8>) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: digestLength)
        unsafe message.withCBytes { message, count in
            _ = unsafe crypto_hash_sha512(&digest, message, UInt64(count))
        }
        return digest
    }
}
