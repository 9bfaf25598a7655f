import ParleyProtocol
import Sodium

extension MessageCipher {
    /// How many pairs of keys are tried for one message.
    package static let attempts = 256

    /// The content of `message`, which the other side has sealed under exactly this header.
    ///
    /// No suite is tried but the one named; each known key of the other side with each of this device's own.
    /// - Parameter known: `.ofRecipients` for a message of this device, `.ofSender` for any other.
    package mutating func open(
        _ message: SealedMessage, _ header: MessageHeader, with known: KnownKeys
    ) throws(OpeningFailure) -> [UInt8] {
        guard message.suite == header.suite, message.nonce.count == message.suite.nonceLength,
            Limits.minimumContentBytes...Limits.contentBytes ~= message.content.count
        else { throw .malformed }
        let direction = try direction(header, known)
        let candidates = try candidates(message, known)
        let headerBytes = header.bytes
        let commitment = try commitment(message, headerBytes)
        var attempts = 0
        for candidate in candidates {
            for own in keys.indices {
                guard attempts < MessageCipher.attempts else { throw .notAuthentic }
                attempts += 1
                let pair = Sessions.Pair(own: own, peer: candidate.peer)
                do throws(OpeningFailure) {
                    let key = try sessionKey(header, pair, direction)
                    let contentKey = try contentKey(candidate, key, message.suite, commitment)
                    return try contentKey.open(message.content, header: headerBytes, nonce: message.nonce)
                } catch .notAuthentic {
                    continue
                }
            }
        }
        throw .notAuthentic
    }

    /// A key of the other side with which it may have been sealed, and what was sealed for one device.
    private struct Candidate {
        let peer: IdentityKey
        /// `nil` where the content itself was.
        let encryptedKey: [UInt8]?
    }

    /// A message of this device is opened only as one that it has sealed, any other only as one that it has not.
    private func direction(_ header: MessageHeader, _ known: KnownKeys) throws(OpeningFailure) -> Sessions.Direction {
        switch (known, header.sender == device) {
        case (.ofRecipients, true): return .outgoing
        case (.ofSender, false): return .incoming
        case (.ofRecipients, false), (.ofSender, true): throw .malformed
        }
    }

    private func candidates(_ message: SealedMessage, _ known: KnownKeys) throws(OpeningFailure) -> [Candidate] {
        let candidates: [Candidate]
        switch (message.recipientKeys, known) {
        case (nil, _) where message.suite == .groupBox:
            throw .malformed
        case (let recipientKeys?, _) where recipientKeys.count > Limits.recipientKeys:
            throw .malformed
        case (nil, .ofSender(let keys)):
            candidates = keys.map { Candidate(peer: $0, encryptedKey: nil) }
        case (nil, .ofRecipients(let keys)):
            candidates = keys.values.joined().map { Candidate(peer: $0, encryptedKey: nil) }
        case (let recipientKeys?, .ofSender(let keys)):
            guard let mine = recipientKeys.first(where: { $0.address == device }) else { throw .notForThisDevice }
            candidates = keys.map { Candidate(peer: $0, encryptedKey: mine.encryptedKey) }
        case (let recipientKeys?, .ofRecipients(let keys)):
            candidates = recipientKeys.flatMap { recipient in
                (keys[recipient.address] ?? []).map { Candidate(peer: $0, encryptedKey: recipient.encryptedKey) }
            }
        }
        guard !candidates.isEmpty else { throw .senderKeysUnknown }
        return candidates
    }

    private func commitment(_ message: SealedMessage, _ header: [UInt8]) throws(OpeningFailure) -> [UInt8] {
        guard message.recipientKeys != nil else { return [] }
        do {
            return try Commitment.make(header: header, nonce: message.nonce, content: message.content)
        } catch {
            throw OpeningFailure(error)
        }
    }

    private mutating func sessionKey(
        _ header: MessageHeader, _ pair: Sessions.Pair, _ direction: Sessions.Direction
    ) throws(OpeningFailure) -> PairwiseKey {
        do {
            return try sessions.key(header.suite, pair, direction, in: header.conversation)
        } catch {
            throw OpeningFailure(error)
        }
    }

    private func contentKey(
        _ candidate: Candidate, _ key: PairwiseKey, _ suite: Suite, _ commitment: [UInt8]
    ) throws(OpeningFailure) -> ContentKey {
        guard let encryptedKey = candidate.encryptedKey else { return key.contentKey }
        let bytes = try key.open(encryptedKey, commitment)
        do {
            return try ContentKey(bytes, suite, backend)
        } catch {
            throw OpeningFailure(error)
        }
    }
}

extension OpeningFailure {
    init(_ error: SodiumError) {
        switch error {
        case .lowOrderKey: self = .weakKey
        case .wrongLength: self = .malformed
        case .notAuthentic: self = .notAuthentic
        case .unavailable, .unsupportedProcessor, .costOutOfBounds, .outOfMemory, .refused: self = .unavailable
        }
    }
}
