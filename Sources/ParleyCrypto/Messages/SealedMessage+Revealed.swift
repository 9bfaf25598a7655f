import ParleyProtocol
import Sodium

extension SealedMessage {
    /// Opens the message with its own content key, which a recipient has revealed.
    ///
    /// Every holder of the content key can seal other content with it: the result is the sender's only if a trusted
    /// party, such as the gateway, confirms these bytes.
    ///
    /// - Throws: `OpeningError.malformed` for a message without a content key of its own, `.notAuthentic`,
    ///   `.headerMismatch`.
    package func open(_ header: MessageHeader, contentKey: [UInt8]) throws(OpeningError) -> [UInt8] {
        guard recipientKeys != nil, suite == header.suite, nonce.count == suite.nonceLength,
            Limits.minimumContentBytes...Limits.contentBytes ~= content.count
        else { throw .malformed }
        let key = try withOpeningError { () throws(SodiumError) in
            try ContentKey(WipedBytes(copying: contentKey.span), suite)
        }
        return try key.open(content, header: header.bytes, nonce: nonce)
    }
}
