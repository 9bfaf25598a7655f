import Crypto
import Sodium

extension Backend {
    /// The shared secret of X25519 (RFC 7748 §6.1), 32 bytes that are never all zero.
    ///
    /// - Throws: `SodiumError.wrongLength` unless `peer` has 32 bytes, `.lowOrderKey` where the secret would be zero.
    package func sharedSecret(of own: IdentityKeyPair, with peer: [UInt8]) throws(SodiumError) -> SecretBytes {
        guard peer.count == IdentityKey.length else {
            throw .wrongLength(expected: IdentityKey.length, actual: peer.count)
        }
        switch self {
        case .libsodium:
            return try own.secretKey.sharedSecret(with: X25519.PublicKey(peer))
        case .swiftCrypto:
            let secret = try own.secret.withBytes { own throws(SodiumError) in
                try swiftCryptoSharedSecret(of: own, with: peer)
            }
            guard !secret.withBytes(isZero) else { throw .lowOrderKey }
            return secret
        }
    }

    /// BoringSSL's, which is zero for a key of low order.
    private func swiftCryptoSharedSecret(of own: Span<UInt8>, with peer: [UInt8]) throws(SodiumError) -> SecretBytes {
        let agreed: SharedSecret
        do {
            let key = try unsafe own.withUnsafeBytes {
                try unsafe Curve25519.KeyAgreement.PrivateKey(rawRepresentation: $0)
            }
            agreed = try key.sharedSecretFromKeyAgreement(with: .init(rawRepresentation: peer))
        } catch {
            throw .refused
        }
        var bytes = unsafe agreed.withUnsafeBytes { unsafe [UInt8]($0) }
        defer { wipe(&bytes) }
        return try SecretBytes(copying: bytes.span)
    }
}

/// In a time that depends on the length alone.
private func isZero(_ bytes: Span<UInt8>) -> Bool {
    var gathered: UInt8 = 0
    for index in bytes.indices { gathered |= bytes[index] }
    return gathered == 0
}
