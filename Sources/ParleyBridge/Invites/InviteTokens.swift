import ParleyProtocol
import Sodium

extension TokenIssuer {
    /// The token of an invite. It follows from the invite's seed and the gateway's own key: a repeated request gets it
    /// again, though it is not stored.
    ///
    /// - Parameter seed: 16 random bytes.
    func inviteToken(seed: [UInt8]) throws(SodiumError) -> InviteToken {
        let secret = try secret(for: "invite tokens")
        let bytes = try BLAKE2b.hash(seed.span, length: .bytes16, key: secret.span)
        guard let token = InviteToken(bytes: bytes) else { throw .refused }
        return token
    }
}

extension InviteToken {
    /// The stored digest, 32 bytes.
    var digest: [UInt8] {
        get throws(SodiumError) {
            try BLAKE2b.hash((Array("parley/v1 invite".utf8) + bytes).span, length: .bytes32)
        }
    }
}
