import CSodium

/// Diffie-Hellman over Curve25519 (RFC 7748).
package enum X25519 {
    package static let publicKeyLength = 32
    package static let secretKeyLength = 32
    package static let sharedSecretLength = 32
    package static let seedLength = 32

    /// Whether a public key may be used: 32 bytes, and not of low order in any spelling, non-canonical ones included.
    ///
    /// A key of low order gives an all-zero secret whatever the other side's key is (RFC 7748 §6.1).
    package static func acceptsPublicKey(_ key: Span<UInt8>) -> Bool {
        key.count == publicKeyLength && !isLowOrder(key)
    }

    /// Whether multiplying `key` gives nothing but zero: `crypto_scalarmult` refuses that for every scalar alike,
    /// because a scalar is clamped to a multiple of the cofactor.
    package static func isLowOrder(_ key: Span<UInt8>) -> Bool {
        guard key.count == publicKeyLength else { return false }
        let scalar = [UInt8](repeating: 0x42, count: secretKeyLength)
        let product = try? unsafe Library.bytes(count: sharedSecretLength, orThrow: .lowOrderKey) { output in
            unsafe key.withCBytes { key, _ in
                unsafe scalar.span.withCBytes { scalar, _ in unsafe crypto_scalarmult(output, scalar, key) }
            }
        }
        return product == nil
    }

    /// The public half, which anybody may have. There is none that is of low order.
    package struct PublicKey: Hashable, Sendable {
        package let bytes: [UInt8]

        /// - Throws: `SodiumError.wrongLength` unless there are 32 bytes, `.lowOrderKey` for a key that protects
        ///   nothing.
        package init(_ bytes: [UInt8]) throws(SodiumError) {
            try bytes.span.requireCount(publicKeyLength)
            guard !isLowOrder(bytes.span) else { throw .lowOrderKey }
            self.bytes = bytes
        }

        /// The public key of `secret` (`crypto_scalarmult_base`), which is never of low order.
        fileprivate init(of secret: SecretBytes) throws(SodiumError) {
            bytes = try unsafe Library.bytes(count: publicKeyLength, orThrow: .refused) { output in
                secret.withBytes { secret in
                    unsafe secret.withCBytes { secret, _ in unsafe crypto_scalarmult_base(output, secret) }
                }
            }
        }
    }

    /// The secret half, with its public one.
    package struct SecretKey: Sendable {
        package let bytes: SecretBytes
        package let publicKey: PublicKey

        /// - Throws: `SodiumError.wrongLength` unless there are 32 bytes.
        package init(_ bytes: SecretBytes) throws(SodiumError) {
            guard bytes.count == secretKeyLength else {
                throw .wrongLength(expected: secretKeyLength, actual: bytes.count)
            }
            publicKey = try PublicKey(of: bytes)
            self.bytes = bytes
        }

        /// A new random key.
        package static func generate() throws(SodiumError) -> SecretKey {
            try SecretKey(.random(count: secretKeyLength))
        }

        /// The key that libsodium derives from a 32-byte seed (`crypto_box_seed_keypair`).
        ///
        /// - Throws: `SodiumError.wrongLength` for a seed of another length.
        package init(seed: SecretBytes) throws(SodiumError) {
            guard seed.count == seedLength else { throw .wrongLength(expected: seedLength, actual: seed.count) }
            var publicBytes = [UInt8](repeating: 0, count: publicKeyLength)
            let secret = try unsafe SecretBytes(count: secretKeyLength) { target throws(SodiumError) in
                try Library.call(orThrow: .refused) {
                    seed.withBytes { seed in
                        unsafe seed.withCBytes { seed, _ in unsafe crypto_box_seed_keypair(&publicBytes, target, seed) }
                    }
                }
            }
            try self.init(secret)
        }

        /// The secret that only the holders of the two keys can compute (`crypto_scalarmult`).
        ///
        /// It is a point of the curve and no key: derive keys from it.
        /// - Throws: `SodiumError.lowOrderKey` for a secret of zero.
        package func sharedSecret(with other: PublicKey) throws(SodiumError) -> SecretBytes {
            try unsafe SecretBytes(count: sharedSecretLength) { target throws(SodiumError) in
                try Library.call(orThrow: .lowOrderKey) {
                    bytes.withBytes { secret in
                        unsafe secret.withCBytes { secret, _ in
                            unsafe other.bytes.span.withCBytes { key, _ in
                                unsafe crypto_scalarmult(target, secret, key)
                            }
                        }
                    }
                }
            }
        }
    }
}
