import ParleyProtocol
import Sodium

/// Seals and opens the messages of one device, by the suites of protocol §6.
///
/// It keeps what was computed for a peer (a warm session), up to a bound, so that the next message to or from it costs
/// no public-key operation. One actor owns it. After a rotation of keys make a new one.
package struct MessageCipher: Sendable {
    /// As many keys of each kind are kept as a busy device talks to others.
    package static let sessionCapacity = 1024

    package let device: DeviceAddress
    let keys: [IdentityKeyPair]
    let random: @Sendable (Int) throws(SodiumError) -> [UInt8]
    var sessions: Sessions
    var headers = HeaderBytes()

    /// - Parameters:
    ///   - current: what this device has published, and seals with.
    ///   - retired: what it had published before, newest first: opens old messages.
    ///   - random: where nonces and content keys come from, by their count.
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

    /// The key by which others know this device.
    package var identityKey: IdentityKey { keys[0].publicKey }
}

extension MessageCipher {
    /// Seals `content` under `header`, whose sender is to be this device, by the suite that the header names.
    ///
    /// - Parameter content: the UTF-8 JSON object of protocol §6, "Content"; what is in it is not looked at.
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

/// For whom a message is sealed.
package enum Recipients: Sendable {
    /// The one other device of a direct conversation: the content itself is sealed for it. Not with `group-box`.
    case one(IdentityKey)
    /// A content key is sealed for each, and travels in `recipient_keys`.
    case devices([(DeviceAddress, IdentityKey)])
}

/// The identity keys that are known of the other side of a message, newest first: a device may have changed its keys
/// after it had sent this.
package enum KnownKeys: Sendable {
    /// Of the device that sent it.
    case ofSender([IdentityKey])
    /// Of the devices for which this device itself has sealed it. What two devices share opens it at either end.
    case ofRecipients([DeviceAddress: [IdentityKey]])
}

/// A message as it travels (protocol §5, "message"): what the gateway stores, and nobody but its devices can open.
public struct SealedMessage: Hashable, Sendable {
    public let suite: Suite
    /// As long as the suite says.
    public let nonce: [UInt8]
    /// `encrypted_content`.
    public let content: [UInt8]
    /// The content key, sealed for each device; `nil` where the content itself is sealed for one.
    public let recipientKeys: [RecipientKey]?

    public init(suite: Suite, nonce: [UInt8], content: [UInt8], recipientKeys: [RecipientKey]?) {
        self.suite = suite
        self.nonce = nonce
        self.content = content
        self.recipientKeys = recipientKeys
    }
}

extension Suite {
    /// The suite that a message names.
    ///
    /// - Throws: `OpeningError.unknownSuite`, with at most 64 characters of the name.
    public init(named name: String) throws(OpeningError) {
        guard let suite = Suite(rawValue: name) else { throw .unknownSuite(String(name.prefix(64))) }
        self = suite
    }
}
