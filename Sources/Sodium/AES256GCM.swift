import CSodium

/// AES-256-GCM (NIST SP 800-38D) with nonces of 12 bytes and tags of 16, by the processor's own instructions.
package enum AES256GCM {
    package static let keyLength = 32
    package static let nonceLength = 12
    package static let tagLength = 16

    /// Whether the processor has the instructions (`crypto_aead_aes256gcm_is_available`); without them there is no key.
    package static let isAvailable = (try? Library.start()) != nil && crypto_aead_aes256gcm_is_available() != 0

    /// A key expanded for use (`crypto_aead_aes256gcm_beforenm`), which costs about as much as sealing a short message.
    package final class Key: Sendable {
        private let state: WipedBytes

        /// - Throws: `SodiumError.unsupportedProcessor`; `.wrongLength` unless the key has 32 bytes.
        package init(_ key: Span<UInt8>) throws(SodiumError) {
            guard isAvailable else { throw .unsupportedProcessor }
            try key.requireCount(keyLength)
            // The state is loaded by instructions that fault on an address which is no multiple of 16.
            state = try unsafe WipedBytes(count: crypto_aead_aes256gcm_statebytes()) { target throws(SodiumError) in
                try Library.call(orThrow: .refused) {
                    unsafe key.withCBytes { key, _ in
                        unsafe crypto_aead_aes256gcm_beforenm(
                            UnsafeMutableRawPointer(target).assumingMemoryBound(to: crypto_aead_aes256gcm_state.self),
                            key)
                    }
                }
            }
        }

        /// The ciphertext and its 16-byte tag (`crypto_aead_aes256gcm_encrypt_afternm`).
        ///
        /// - Throws: `SodiumError.wrongLength` unless the nonce has 12 bytes. It must never come twice for this key.
        package func seal(
            _ message: Span<UInt8>, nonce: Span<UInt8>, additionalData: Span<UInt8>
        ) throws(SodiumError) -> [UInt8] {
            try nonce.requireCount(nonceLength)
            return try unsafe Library.bytes(count: message.count + tagLength, orThrow: .refused) { output in
                unsafe message.withCBytes { message, count in
                    unsafe additionalData.withCBytes { data, dataCount in
                        unsafe nonce.withCBytes { nonce, _ in
                            unsafe state.withState(as: crypto_aead_aes256gcm_state.self) { state in
                                unsafe crypto_aead_aes256gcm_encrypt_afternm(
                                    output, nil, message, UInt64(count), data, UInt64(dataCount), nil, nonce, state)
                            }
                        }
                    }
                }
            }
        }

        /// The message that was sealed (`crypto_aead_aes256gcm_decrypt_afternm`).
        ///
        /// - Throws: `SodiumError.wrongLength` unless the nonce has 12 bytes, `.notAuthentic`.
        package func open(
            _ sealed: Span<UInt8>, nonce: Span<UInt8>, additionalData: Span<UInt8>
        ) throws(SodiumError) -> [UInt8] {
            try nonce.requireCount(nonceLength)
            guard sealed.count >= tagLength else { throw .notAuthentic }
            return try unsafe Library.bytes(count: sealed.count - tagLength, orThrow: .notAuthentic) { output in
                unsafe sealed.withCBytes { sealed, count in
                    unsafe additionalData.withCBytes { data, dataCount in
                        unsafe nonce.withCBytes { nonce, _ in
                            unsafe state.withState(as: crypto_aead_aes256gcm_state.self) { state in
                                unsafe crypto_aead_aes256gcm_decrypt_afternm(
                                    output, nil, nil, sealed, UInt64(count), data, UInt64(dataCount), nonce, state)
                            }
                        }
                    }
                }
            }
        }
    }
}
