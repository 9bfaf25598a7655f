import ParleyProtocol
import Sodium

/// The backup of an account key, which the gateway stores and cannot open: a 24-byte nonce, and the seed sealed with
/// XChaCha20-Poly1305 under a key derived from the recovery key (protocol §6).
package enum SealedAccount {
    package static let length = XChaCha20Poly1305.nonceLength + Ed25519.seedLength + XChaCha20Poly1305.tagLength
    private static let keyLabel = Array("parley/v1 recovery".utf8)

    package static func seal(
        _ account: AccountSecret, of user: UserID, with recovery: RecoveryKey
    ) throws(SodiumError) -> [UInt8] {
        let nonce = try RandomBytes.make(count: XChaCha20Poly1305.nonceLength)
        let key = try key(recovery)
        let sealed = try account.seed.withBytes { (seed) throws(SodiumError) in
            try key.withBytes { (key) throws(SodiumError) in
                try XChaCha20Poly1305.seal(seed, nonce: nonce.span, additionalData: label(user).span, key: key)
            }
        }
        return nonce + sealed
    }

    /// - Throws: `SodiumError.notAuthentic` for another recovery key or user, or any other data.
    package static func open(
        _ blob: [UInt8], of user: UserID, with recovery: RecoveryKey
    ) throws(SodiumError) -> AccountSecret {
        guard blob.count == length else { throw .notAuthentic }
        let nonceLength = XChaCha20Poly1305.nonceLength
        let key = try key(recovery)
        var seed = try key.withBytes { (key) throws(SodiumError) in
            try XChaCha20Poly1305.open(
                blob.span.extracting(nonceLength...), nonce: blob.span.extracting(..<nonceLength),
                additionalData: label(user).span, key: key)
        }
        defer { wipe(&seed) }
        return try AccountSecret(seed: SecretBytes(copying: seed.span))
    }

    private static func label(_ user: UserID) -> [UInt8] { Array("parley/v1 backup\(user)".utf8) }

    private static func key(_ recovery: RecoveryKey) throws(SodiumError) -> SecretBytes {
        var derived = try recovery.secret.withBytes { (secret) throws(SodiumError) in
            try BLAKE2b.hash(keyLabel.span, length: .bytes32, key: secret)
        }
        defer { wipe(&derived) }
        return try SecretBytes(copying: derived.span)
    }
}
