import CSodium

/// Diffie-Hellman over Curve25519 (RFC 7748).
package enum X25519 {
    package static let publicKeyLength = 32

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
        let scalar = [UInt8](repeating: 0x42, count: 32)
        let product = try? unsafe Library.bytes(count: publicKeyLength, orThrow: .refused) { output in
            unsafe key.withCBytes { key, _ in
                unsafe scalar.span.withCBytes { scalar, _ in unsafe crypto_scalarmult(output, scalar, key) }
            }
        }
        return product == nil
    }
}
