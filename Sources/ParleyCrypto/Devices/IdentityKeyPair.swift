import Sodium

/// A device's own X25519 key pair.
package struct IdentityKeyPair: Sendable {
    package let publicKey: IdentityKey
    let secretKey: X25519.SecretKey

    /// 32 bytes, for a key store.
    package var secret: SecretBytes { secretKey.bytes }

    package static func generate() throws(SodiumError) -> IdentityKeyPair {
        try IdentityKeyPair(X25519.SecretKey.generate())
    }

    /// Stored keys.
    ///
    /// - Throws: `SodiumError.wrongLength` unless there are 32 bytes.
    package init(secret: SecretBytes) throws(SodiumError) {
        try self.init(X25519.SecretKey(secret))
    }

    /// The shared secret of X25519 (RFC 7748 §6.1), 32 bytes that are never all zero.
    ///
    /// - Throws: `SodiumError.wrongLength` unless `peer` has 32 bytes, `.lowOrderKey` where the secret would be zero.
    package func sharedSecret(with peer: [UInt8]) throws(SodiumError) -> SecretBytes {
        try secretKey.sharedSecret(with: X25519.PublicKey(peer))
    }

    private init(_ secretKey: X25519.SecretKey) throws(SodiumError) {
        guard let publicKey = IdentityKey(secretKey.publicKey.bytes) else { throw .lowOrderKey }
        self.publicKey = publicKey
        self.secretKey = secretKey
    }
}
