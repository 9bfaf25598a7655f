import ParleyProtocol
import Sodium

extension MessageCipher {
    /// The most pairs of keys that are tried for one message.
    package static let attempts = 256

    /// Opens a message that was sealed under exactly this header.
    ///
    /// Only the named suite is tried, with each known key of the other side and each of this device's own.
    /// - Parameter known: `.ofRecipients` for a message of this device, `.ofSender` for any other.
    package mutating func open(
        _ message: SealedMessage, _ header: MessageHeader, with known: KnownKeys
    ) throws(OpeningError) -> [UInt8] {
        guard message.suite == header.suite, message.nonce.count == message.suite.nonceLength,
            Limits.minimumContentBytes...Limits.contentBytes ~= message.content.count
        else { throw .malformed }
        let direction = try direction(header, known)
        let candidates = try candidates(message, known)
        let headerBytes = headers.write(header)
        let commitment = try commitment(message, headerBytes)
        var attempts = 0
        for candidate in candidates.peers.indices {
            for own in keys.indices {
                guard attempts < MessageCipher.attempts else { throw .notAuthentic }
                attempts += 1
                let pair = Sessions.Pair(own: own, peer: candidates.peers[candidate])
                do throws(OpeningError) {
                    let key = try withOpeningError { () throws(SodiumError) in
                        try sessions.key(header.suite, pair, direction, in: header.conversation)
                    }
                    let contentKey = try contentKey(candidates.encryptedKey(candidate), key, message.suite, commitment)
                    return try contentKey.open(message.content, header: headerBytes, nonce: message.nonce)
                } catch .notAuthentic {
                    continue
                }
            }
        }
        throw .notAuthentic
    }

    /// The keys that may open a message, each with the key sealed under it.
    private struct Candidates {
        var peers: [IdentityKey]
        /// One for each of `peers`; empty if the content itself was sealed for one device.
        var encryptedKeys: [[UInt8]] = []

        func encryptedKey(_ index: Int) -> [UInt8]? { encryptedKeys.isEmpty ? nil : encryptedKeys[index] }
    }

    /// This device's own messages open only as outgoing ones, others only as incoming.
    private func direction(_ header: MessageHeader, _ known: KnownKeys) throws(OpeningError) -> Sessions.Direction {
        switch (known, header.sender == device) {
        case (.ofRecipients, true): return .outgoing
        case (.ofSender, false): return .incoming
        case (.ofRecipients, false), (.ofSender, true): throw .malformed
        }
    }

    private func candidates(_ message: SealedMessage, _ known: KnownKeys) throws(OpeningError) -> Candidates {
        let candidates: Candidates
        switch (message.recipientKeys, known) {
        case (nil, _) where message.suite == .groupBox:
            throw .malformed
        case (let recipientKeys?, _) where recipientKeys.count > Limits.recipientKeys:
            throw .malformed
        case (nil, .ofSender(let keys)):
            candidates = Candidates(peers: keys)
        case (nil, .ofRecipients(let keys)):
            candidates = Candidates(peers: Array(keys.values.joined()))
        case (let recipientKeys?, .ofSender(let keys)):
            guard let mine = recipientKeys.first(where: { $0.address == device }) else { throw .notForThisDevice }
            guard !mine.isLeftOut else { throw .leftOut }
            candidates = Candidates(
                peers: keys, encryptedKeys: Array(repeating: mine.encryptedKey, count: keys.count))
        case (let recipientKeys?, .ofRecipients(let keys)):
            var found = Candidates(peers: [])
            for recipient in recipientKeys where !recipient.isLeftOut {
                for peer in keys[recipient.address] ?? [] {
                    found.peers.append(peer)
                    found.encryptedKeys.append(recipient.encryptedKey)
                }
            }
            candidates = found
        }
        guard !candidates.peers.isEmpty else { throw .senderKeysUnknown }
        return candidates
    }

    private func commitment(_ message: SealedMessage, _ header: [UInt8]) throws(OpeningError) -> [UInt8] {
        guard message.recipientKeys != nil else { return [] }
        return try withOpeningError { () throws(SodiumError) in
            try Commitment.make(header: header, nonce: message.nonce, content: message.content)
        }
    }

    private func contentKey(
        _ encryptedKey: [UInt8]?, _ key: PairwiseKey, _ suite: Suite.Bound, _ commitment: [UInt8]
    ) throws(OpeningError) -> ContentKey {
        guard let encryptedKey else { return key.contentKey }
        let bytes = try key.open(encryptedKey, commitment)
        return try withOpeningError { () throws(SodiumError) in try ContentKey(bytes, suite) }
    }
}

/// Runs `body`, and reports its failure as an ``OpeningError``.
func withOpeningError<Value>(_ body: () throws(SodiumError) -> Value) throws(OpeningError) -> Value {
    do throws(SodiumError) { return try body() } catch { throw OpeningError(error) }
}

extension OpeningError {
    init(_ error: SodiumError) {
        switch error {
        case .lowOrderKey: self = .weakKey
        case .wrongLength: self = .malformed
        case .notAuthentic: self = .notAuthentic
        case .unavailable, .costOutOfBounds, .outOfMemory, .refused: self = .unavailable
        }
    }
}
