import CSodium

/// Signatures over Curve25519 (RFC 8032, Ed25519).
package enum Ed25519 {
    package static let seedLength = 32
    package static let publicKeyLength = 32
    package static let signatureLength = 64
    /// libsodium keeps the seed and the public key side by side.
    private static let secretKeyLength = 64

    /// A key that signs, expanded from its 32-byte seed.
    package struct SigningKey: Sendable {
        package let publicKey: PublicKey
        private let expanded: SecretBytes

        /// - Throws: `SodiumError.wrongLength` unless the seed has 32 bytes.
        package init(seed: SecretBytes) throws(SodiumError) {
            guard seed.count == seedLength else {
                throw .wrongLength(expected: seedLength, actual: seed.count)
            }
            var secret: SecretBytes?
            let publicBytes = try unsafe Library.bytes(count: publicKeyLength, orThrow: .refused) { output in
                seed.withBytes { seed in
                    unsafe seed.withCBytes { seed, _ in
                        secret = try? unsafe SecretBytes(count: secretKeyLength) { target throws(SodiumError) in
                            guard unsafe crypto_sign_seed_keypair(output, target, seed) == 0 else { throw .refused }
                        }
                    }
                }
                return secret == nil ? -1 : 0
            }
            guard let secret else { throw .outOfMemory }
            expanded = secret
            publicKey = try PublicKey(bytes: publicBytes)
        }

        /// The 64-byte signature of `message` (`crypto_sign_detached`).
        package func sign(_ message: Span<UInt8>) throws(SodiumError) -> [UInt8] {
            try unsafe Library.bytes(count: signatureLength, orThrow: .refused) { output in
                expanded.withBytes { key in
                    unsafe key.withCBytes { key, _ in
                        unsafe message.withCBytes { message, count in
                            unsafe crypto_sign_detached(output, nil, message, UInt64(count), key)
                        }
                    }
                }
            }
        }
    }

    /// Whether a public key may be used: 32 bytes, a point of the curve in canonical form, and of the prime-order group
    /// (`crypto_core_ed25519_is_valid_point`).
    package static func acceptsPublicKey(_ key: Span<UInt8>) -> Bool {
        guard key.count == publicKeyLength else { return false }
        return Library.succeeds {
            unsafe key.withCBytes { key, _ in unsafe crypto_core_ed25519_is_valid_point(key) == 1 ? 0 : -1 }
        }
    }

    /// A key that verifies.
    package struct PublicKey: Hashable, Sendable {
        package let bytes: [UInt8]

        /// - Throws: `SodiumError.wrongLength` unless there are 32 bytes.
        package init(bytes: [UInt8]) throws(SodiumError) {
            guard bytes.count == publicKeyLength else {
                throw .wrongLength(expected: publicKeyLength, actual: bytes.count)
            }
            self.bytes = bytes
        }

        /// Whether `signature` is this key's over `message` (`crypto_sign_verify_detached`): also `false` for one of
        /// another length, one that is not in canonical form, and for a key of low order.
        package func verifies(_ signature: Span<UInt8>, of message: Span<UInt8>) -> Bool {
            guard signature.count == signatureLength else { return false }
            return Library.succeeds {
                unsafe signature.withCBytes { signature, _ in
                    unsafe message.withCBytes { message, count in
                        unsafe bytes.span.withCBytes { key, _ in
                            unsafe crypto_sign_verify_detached(signature, message, UInt64(count), key)
                        }
                    }
                }
            }
        }
    }
}
