import ParleyProtocol
import Sodium

/// Seals and opens the messages of one device, by the suites of protocol §6.
///
/// It caches keys of peers, up to a bound, so that further messages need no public-key operation. One actor owns it.
/// Make a new one after a rotation of keys.
package struct MessageCipher: Sendable {
    /// The cached keys of each kind: enough for a busy device.
    package static let sessionCapacity = 1024

    package let device: DeviceAddress
    let keys: [IdentityKeyPair]
    let random: @Sendable (Int) throws(SodiumError) -> [UInt8]
    var sessions: Sessions
    var headers = HeaderBytes()

    /// - Parameters:
    ///   - current: the published keys, used to seal.
    ///   - retired: earlier keys, newest first, to open old messages.
    ///   - random: the source of nonces and content keys.
    package init(
        device: DeviceAddress, current: IdentityKeyPair, retired: [IdentityKeyPair] = [],
        sessionCapacity: Int = MessageCipher.sessionCapacity,
        random: @escaping @Sendable (Int) throws(SodiumError) -> [UInt8] = RandomBytes.make(count:)
    ) {
        self.device = device
        keys = [current] + retired
        self.random = random
        sessions = Sessions(keys: keys, capacity: sessionCapacity)
    }

    package var identityKey: IdentityKey { keys[0].publicKey }
}

extension MessageCipher {
    /// Seals `content` under `header`, whose sender must be this device, with the header's suite.
    ///
    /// - Parameter content: the UTF-8 JSON object of protocol §6, "Content", which is not checked.
    package mutating func seal(
        _ content: [UInt8], _ header: MessageHeader, for recipients: Recipients
    ) throws(SealingError) -> SealedMessage {
        let headerBytes = headers.write(header)
        let maximum = MessageCipher.longestContent(header.suite, headerBytes)
        guard content.count <= maximum else { throw .tooLarge(maximum: maximum) }
        switch recipients {
        case .one(let peer):
            guard header.suite != .groupBox else { throw .needsRecipientKeys }
            do throws(SodiumError) {
                return try seal(content, header, headerBytes, for: peer)
            } catch {
                throw SealingError(error)
            }
        case .devices(let devices):
            guard !devices.isEmpty else { throw .noRecipients }
            guard devices.count <= Limits.recipientKeys else {
                throw .tooManyRecipients(maximum: Limits.recipientKeys)
            }
            do throws(SodiumError) {
                return try seal(content, header, headerBytes, for: devices)
            } catch {
                throw SealingError(error)
            }
        }
    }

    private static func longestContent(_ suite: Suite.Bound, _ header: [UInt8]) -> Int {
        let whole = Limits.contentBytes - ContentKey.tagLength
        switch suite {
        case .x25519AESGCM, .groupBox: return whole
        case .naclBox: return whole - HeadedContent.overhead(header)
        }
    }

    /// Without `recipient_keys`: the content is sealed under the pairwise key of the two devices.
    private mutating func seal(
        _ content: [UInt8], _ header: MessageHeader, _ headerBytes: [UInt8], for peer: IdentityKey
    ) throws(SodiumError) -> SealedMessage {
        let key = try outgoingKey(header, peer)
        let nonce = try random(header.suite.nonceLength)
        let sealed = try key.contentKey.seal(content, header: headerBytes, nonce: nonce)
        return SealedMessage(suite: header.suite, nonce: nonce, content: sealed, recipientKeys: nil)
    }

    /// With `recipient_keys`: the content is sealed under its own key, which is sealed for each device.
    private mutating func seal(
        _ content: [UInt8], _ header: MessageHeader, _ headerBytes: [UInt8], for devices: [(DeviceAddress, IdentityKey)]
    ) throws(SodiumError) -> SealedMessage {
        // One system call for all randomness: the nonce, the content key, a nonce for each device.
        let nonceLength = header.suite.nonceLength
        let firstKeyNonce = nonceLength + ContentKey.length
        var drawn = try random(firstKeyNonce + nonceLength * devices.count)
        defer { wipe(&drawn) }
        let nonce = Array(drawn[..<nonceLength])
        let contentKey = WipedBytes(copying: drawn.span.extracting(nonceLength..<firstKeyNonce))
        let sealed = try ContentKey(contentKey, header.suite).seal(content, header: headerBytes, nonce: nonce)
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

extension SealingError {
    init(_ error: SodiumError) {
        switch error {
        case .lowOrderKey: self = .weakKey
        case .unavailable, .wrongLength, .notAuthentic, .costOutOfBounds, .outOfMemory, .refused: self = .unavailable
        }
    }
}

package enum Recipients: Sendable {
    /// The only other device of a direct conversation: the content itself is sealed for it. Not with `group-box`.
    case one(IdentityKey)
    /// A content key is sealed for each device, in `recipient_keys`.
    case devices([(DeviceAddress, IdentityKey)])
}

/// The known identity keys of the other side of a message, newest first: its keys may have changed since.
package enum KnownKeys: Sendable {
    /// The sending device's.
    case ofSender([IdentityKey])
    /// Those of the recipients of this device's own message: the shared secret is the same at both ends.
    case ofRecipients([DeviceAddress: [IdentityKey]])
}

/// A sealed message (protocol §5, "message") that is bound to a header, as the gateway stores it.
public struct SealedMessage: Hashable, Sendable {
    public let suite: Suite.Bound
    /// Its length depends on the suite.
    public let nonce: [UInt8]
    /// `encrypted_content`.
    public let content: [UInt8]
    /// The content key sealed for each device; `nil` if the content itself is sealed for one.
    public let recipientKeys: [RecipientKey]?

    public init(suite: Suite.Bound, nonce: [UInt8], content: [UInt8], recipientKeys: [RecipientKey]?) {
        (self.suite, self.nonce, self.content, self.recipientKeys) = (suite, nonce, content, recipientKeys)
    }
}

extension Suite {
    /// A suite by its name.
    ///
    /// - Throws: `OpeningError.unknownSuite`, with at most 64 characters of the name.
    public init(named name: String) throws(OpeningError) {
        guard let suite = Suite(rawValue: name) else { throw .unknownSuite(String(name.prefix(64))) }
        self = suite
    }
}
