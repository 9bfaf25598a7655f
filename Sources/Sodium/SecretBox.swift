import CSodium

/// NaCl's `crypto_secretbox`: XSalsa20-Poly1305 under a shared key.
package enum SecretBox {
    package static let keyLength = 32
    package static let nonceLength = 24
    package static let tagLength = 16

    /// The 16-byte tag and the ciphertext (`crypto_secretbox_easy`).
    ///
    /// - Throws: `SodiumError.wrongLength` for a nonce or key of another length. Never use a nonce twice for a key.
    package static func seal(
        _ message: Span<UInt8>, nonce: Span<UInt8>, key: Span<UInt8>
    ) throws(SodiumError) -> [UInt8] {
        try nonce.requireCount(nonceLength)
        try key.requireCount(keyLength)
        return try unsafe Library.bytes(count: message.count + tagLength, orThrow: .refused) { output in
            unsafe message.withCBytes { message, count in
                unsafe nonce.withCBytes { nonce, _ in
                    unsafe key.withCBytes { key, _ in
                        unsafe crypto_secretbox_easy(output, message, UInt64(count), nonce, key)
                    }
                }
            }
        }
    }

    /// The message in `box` (`crypto_secretbox_open_easy`).
    ///
    /// - Throws: `SodiumError.wrongLength` for a nonce or key of another length, `.notAuthentic`.
    package static func open(
        _ box: Span<UInt8>, nonce: Span<UInt8>, key: Span<UInt8>
    ) throws(SodiumError) -> [UInt8] {
        try nonce.requireCount(nonceLength)
        try key.requireCount(keyLength)
        guard box.count >= tagLength else { throw .notAuthentic }
        return try unsafe Library.bytes(count: box.count - tagLength, orThrow: .notAuthentic) { output in
            unsafe box.withCBytes { box, count in
                unsafe nonce.withCBytes { nonce, _ in
                    unsafe key.withCBytes { key, _ in
                        unsafe crypto_secretbox_open_easy(output, box, UInt64(count), nonce, key)
                    }
                }
            }
        }
    }
}
