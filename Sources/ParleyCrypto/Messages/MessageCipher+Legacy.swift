import ParleyProtocol
import Sodium

extension MessageCipher {
    /// Opens a `legacy-nacl-box` of a direct conversation.
    ///
    /// It proves that one of the two wrote the content, and nothing else: the key is the same in both directions and in
    /// every conversation, and no header is sealed. The caller shows it as such.
    /// - Parameters:
    ///   - sealed: the output of `crypto_box_easy`.
    ///   - peers: the known keys of the other side, newest first.
    /// - Throws: `OpeningError.malformed` for a wrong length, `.senderKeysUnknown`, `.weakKey`, `.notAuthentic`.
    package mutating func openLegacy(
        _ sealed: [UInt8], nonce: [UInt8], with peers: [IdentityKey]
    ) throws(OpeningError) -> [UInt8] {
        guard nonce.count == Box.nonceLength, Limits.minimumContentBytes...Limits.contentBytes ~= sealed.count else {
            throw .malformed
        }
        guard !peers.isEmpty else { throw .senderKeysUnknown }
        var attempts = 0
        for peer in peers {
            for own in keys.indices where attempts < MessageCipher.attempts {
                attempts += 1
                do throws(SodiumError) {
                    return try sessions.boxKey(Sessions.Pair(own: own, peer: peer))
                        .open(sealed.span, nonce: nonce.span)
                } catch .notAuthentic {
                    continue
                } catch {
                    throw OpeningError(error)
                }
            }
        }
        throw .notAuthentic
    }
}
