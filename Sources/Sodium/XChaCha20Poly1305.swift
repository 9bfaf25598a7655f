import CSodium

/// XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha, the IETF construction of RFC 8439 with a nonce long enough to be
/// random).
package enum XChaCha20Poly1305 {
    package static let keyLength = 32
    package static let nonceLength = 24
    package static let tagLength = 16

    /// The ciphertext and its 16-byte tag (`crypto_aead_xchacha20poly1305_ietf_encrypt`).
    ///
    /// - Throws: `SodiumError.wrongLength` for a nonce or key of another length. Never use a nonce twice for a key.
    package static func seal(
        _ message: Span<UInt8>, nonce: Span<UInt8>, additionalData: Span<UInt8>, key: Span<UInt8>
    ) throws(SodiumError) -> [UInt8] {
        try nonce.requireCount(nonceLength)
        try key.requireCount(keyLength)
        return try unsafe Library.bytes(count: message.count + tagLength, orThrow: .refused) { output in
            unsafe message.withCBytes { message, count in
                unsafe additionalData.withCBytes { data, dataCount in
                    unsafe nonce.withCBytes { nonce, _ in
                        unsafe key.withCBytes { key, _ in
                            unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
                                output, nil, message, UInt64(count), data, UInt64(dataCount), nil, nonce, key)
                        }
                    }
                }
            }
        }
    }

    /// The opened message (`crypto_aead_xchacha20poly1305_ietf_decrypt`).
    ///
    /// - Throws: `SodiumError.wrongLength` for a nonce or key of another length, `.notAuthentic`.
    package static func open(
        _ sealed: Span<UInt8>, nonce: Span<UInt8>, additionalData: Span<UInt8>, key: Span<UInt8>
    ) throws(SodiumError) -> [UInt8] {
        try nonce.requireCount(nonceLength)
        try key.requireCount(keyLength)
        guard sealed.count >= tagLength else { throw .notAuthentic }
        return try unsafe Library.bytes(count: sealed.count - tagLength, orThrow: .notAuthentic) { output in
            unsafe sealed.withCBytes { sealed, count in
                unsafe additionalData.withCBytes { data, dataCount in
                    unsafe nonce.withCBytes { nonce, _ in
                        unsafe key.withCBytes { key, _ in
                            unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
                                output, nil, nil, sealed, UInt64(count), data, UInt64(dataCount), nonce, key)
                        }
                    }
                }
            }
        }
    }
}
