import ParleyProtocol
import Sodium

extension SealedMessage {
    /// The content, opened with the message's own content key, which one of its recipients has revealed.
    ///
    /// Whoever has the content key can seal other words with it: what this opens is its sender's only if somebody who
    /// is trusted, such as the gateway, says that these are the bytes that they have sent.
    ///
    /// - Throws: `OpeningError.malformed` for a message that has no content key of its own, `.notAuthentic`,
    ///   `.headerMismatch`.
    package func open(_ header: MessageHeader, contentKey: [UInt8]) throws(OpeningError) -> [UInt8] {
        guard recipientKeys != nil, suite == header.suite, nonce.count == suite.nonceLength,
            Limits.minimumContentBytes...Limits.contentBytes ~= content.count
        else { throw .malformed }
        let key: ContentKey
        do {
            key = try ContentKey(WipedBytes(copying: contentKey.span), suite)
        } catch {
            throw OpeningError(error)
        }
        return try key.open(content, header: header.bytes, nonce: nonce)
    }
}
