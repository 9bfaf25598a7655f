import ParleyProtocol
import Sodium

extension MessageCipher {
    /// Seals `content` under `header`, whose sender is to be this device, by the suite that the header names.
    ///
    /// - Parameter content: the UTF-8 JSON object of protocol §6, "Content"; what is in it is not looked at.
    package mutating func seal(
        _ content: [UInt8], _ header: MessageHeader, for recipients: Recipients
    ) throws(SealingFailure) -> SealedMessage {
        let headerBytes = headers.write(header)
        let maximum = MessageCipher.longestContent(header.suite, headerBytes)
        guard content.count <= maximum else { throw .tooLarge(maximum: maximum) }
        switch recipients {
        case .one(let peer):
            guard header.suite != .groupBox else { throw .needsRecipientKeys }
            do throws(SodiumError) {
                return try seal(content, header, headerBytes, for: peer)
            } catch {
                throw SealingFailure(error)
            }
        case .devices(let devices):
            guard !devices.isEmpty else { throw .noRecipients }
            guard devices.count <= Limits.recipientKeys else {
                throw .tooManyRecipients(maximum: Limits.recipientKeys)
            }
            do throws(SodiumError) {
                return try seal(content, header, headerBytes, for: devices)
            } catch {
                throw SealingFailure(error)
            }
        }
    }

    private static func longestContent(_ suite: Suite, _ header: [UInt8]) -> Int {
        let whole = Limits.contentBytes - ContentKey.tagLength
        switch suite {
        case .x25519AESGCM, .groupBox: return whole
        case .naclBox: return whole - HeadedContent.overhead(header)
        }
    }

    /// Without `recipient_keys`: the content itself under the key that the two devices share.
    private mutating func seal(
        _ content: [UInt8], _ header: MessageHeader, _ headerBytes: [UInt8], for peer: IdentityKey
    ) throws(SodiumError) -> SealedMessage {
        let key = try outgoingKey(header, peer)
        let nonce = try random(header.suite.nonceLength)
        let sealed = try key.contentKey.seal(content, header: headerBytes, nonce: nonce)
        return SealedMessage(suite: header.suite, nonce: nonce, content: sealed, recipientKeys: nil)
    }

    /// With `recipient_keys`: the content under a key of its own, and that key for each device.
    private mutating func seal(
        _ content: [UInt8], _ header: MessageHeader, _ headerBytes: [UInt8], for devices: [(DeviceAddress, IdentityKey)]
    ) throws(SodiumError) -> SealedMessage {
        // All randomness at once, which is a system call: the nonce, the content key, a nonce for each device.
        let nonceLength = header.suite.nonceLength
        let firstKeyNonce = nonceLength + ContentKey.length
        var drawn = try random(firstKeyNonce + nonceLength * devices.count)
        defer { wipe(&drawn) }
        let nonce = Array(drawn[..<nonceLength])
        let contentKey = WipedBytes(copying: drawn.span.extracting(nonceLength..<firstKeyNonce))
        let sealed = try ContentKey(contentKey, header.suite, backend).seal(
            content, header: headerBytes, nonce: nonce)
        let commitment = try Commitment.make(header: headerBytes, nonce: nonce, content: sealed)
        var recipientKeys: [RecipientKey] = []
        recipientKeys.reserveCapacity(devices.count)
        for (index, (address, peer)) in devices.enumerated() {
            let start = firstKeyNonce + nonceLength * index
            let encryptedKey = try outgoingKey(header, peer).seal(
                contentKey, commitment, nonce: Array(drawn[start..<start + nonceLength]))
            recipientKeys.append(RecipientKey(address: address, encryptedKey: encryptedKey))
        }
        return SealedMessage(suite: header.suite, nonce: nonce, content: sealed, recipientKeys: recipientKeys)
    }

    private mutating func outgoingKey(_ header: MessageHeader, _ peer: IdentityKey) throws(SodiumError) -> PairwiseKey {
        try sessions.key(header.suite, Sessions.Pair(own: 0, peer: peer), .outgoing, in: header.conversation)
    }
}

extension SealingFailure {
    init(_ error: SodiumError) {
        switch error {
        case .lowOrderKey: self = .weakKey
        case .unavailable, .unsupportedProcessor, .wrongLength, .notAuthentic, .costOutOfBounds, .outOfMemory,
            .refused:
            self = .unavailable
        }
    }
}
