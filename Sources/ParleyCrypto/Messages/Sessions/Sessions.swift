import ParleyProtocol
import Sodium

/// A cache of the keys that this device shares with others: without it, each message would cost a public-key operation,
/// more than all the rest.
struct Sessions: Sendable {
    /// One of this device's key pairs, by its index, and another device's key.
    struct Pair: Hashable, Sendable {
        let own: Int
        let peer: IdentityKey
    }

    /// Which of the two has sealed.
    enum Direction: Hashable, Sendable {
        case outgoing, incoming
    }

    private struct Way: Hashable, Sendable {
        let conversation: ConversationID
        let direction: Direction
        let pair: Pair
    }

    private let keys: [IdentityKeyPair]
    /// A key for each conversation and direction.
    private var aesKeys: BoundedCache<Way, AESKey>
    /// The last one used, found without a lookup.
    private var latest: (way: Way, key: AESKey)?
    /// The sources of the AES keys.
    private var sharedSecrets: BoundedCache<Pair, SecretBytes>
    /// One for all conversations and both directions.
    private var boxKeys: BoundedCache<Pair, Box.SharedKey>

    /// - Parameter capacity: of each kind of keys.
    init(keys: [IdentityKeyPair], capacity: Int) {
        self.keys = keys
        aesKeys = BoundedCache(capacity: capacity)
        sharedSecrets = BoundedCache(capacity: capacity / 4)
        boxKeys = BoundedCache(capacity: capacity)
    }

    var count: Int { aesKeys.count + sharedSecrets.count + boxKeys.count }

    /// The pairwise key in a suite and conversation.
    mutating func key(
        _ suite: Suite.Bound, _ pair: Pair, _ direction: Direction, in conversation: ConversationID
    ) throws(SodiumError) -> PairwiseKey {
        switch suite {
        case .x25519AESGCM:
            let way = Way(conversation: conversation, direction: direction, pair: pair)
            if let latest, latest.way == way { return .aes(latest.key) }
            let known = aesKeys[way]
            let key = if let known { known } else { try makeAESKey(way) }
            if known == nil { aesKeys[way] = key }
            latest = (way, key)
            return .aes(key)
        case .naclBox, .groupBox: return .box(try boxKey(pair))
        }
    }

    mutating func boxKey(_ pair: Pair) throws(SodiumError) -> Box.SharedKey {
        if let key = boxKeys[pair] { return key }
        let key = try Box.SharedKey(between: keys[pair.own].secretKey, and: X25519.PublicKey(pair.peer.bytes))
        boxKeys[pair] = key
        return key
    }

    private mutating func makeAESKey(_ way: Way) throws(SodiumError) -> AESKey {
        let (own, peer) = (keys[way.pair.own], way.pair.peer)
        let secret = try sharedSecret(way.pair)
        let (sender, recipient) =
            switch way.direction {
            case .outgoing: (own.publicKey, peer)
            case .incoming: (peer, own.publicKey)
            }
        let derived = try secret.withBytes { secret throws(SodiumError) in
            try HKDFSHA256.derive(
                from: secret, salt: Array(way.conversation.description.utf8),
                info: Array("parley/v1".utf8) + [0] + sender.bytes + recipient.bytes, count: AESKey.length)
        }
        return try derived.withBytes { key throws(SodiumError) in try AESKey(key) }
    }

    private mutating func sharedSecret(_ pair: Pair) throws(SodiumError) -> SecretBytes {
        if let secret = sharedSecrets[pair] { return secret }
        let secret = try keys[pair.own].sharedSecret(with: pair.peer.bytes)
        sharedSecrets[pair] = secret
        return secret
    }
}

/// A key that two devices share. It seals content for one device, or a content key for one of several.
enum PairwiseKey: Sendable {
    case aes(AESKey)
    case box(Box.SharedKey)

    /// The length of an `encrypted_key`: nonce, sealed key, tag.
    private var encryptedKeyLength: Int {
        switch self {
        case .aes: AESKey.nonceLength + ContentKey.length + AESKey.tagLength
        case .box: Box.nonceLength + ContentKey.length + Commitment.length + Box.tagLength
        }
    }

    private var nonceLength: Int {
        switch self {
        case .aes: AESKey.nonceLength
        case .box: Box.nonceLength
        }
    }

    var contentKey: ContentKey {
        switch self {
        case .aes(let key): .aes(key)
        case .box(let key): .box(key)
        }
    }

    /// The `encrypted_key` (protocol §6): the nonce, and the content key sealed together with the commitment.
    ///
    /// - Parameter nonce: as long as that of the suite's messages.
    func seal(_ contentKey: WipedBytes, _ commitment: [UInt8], nonce: [UInt8]) throws(SodiumError) -> [UInt8] {
        switch self {
        case .aes(let key):
            return try contentKey.withBytes { contentKey throws(SodiumError) in
                try nonce + key.seal(contentKey, nonce: nonce.span, additionalData: commitment.span)
            }
        case .box(let key):
            var plaintext: [UInt8] = []
            plaintext.reserveCapacity(ContentKey.length + commitment.count)
            defer { wipe(&plaintext) }
            contentKey.withBytes { bytes in
                for index in bytes.indices { plaintext.append(bytes[index]) }
            }
            plaintext += commitment
            return try nonce + key.seal(plaintext.span, nonce: nonce.span)
        }
    }

    /// The content key in an `encrypted_key`.
    ///
    /// - Throws: `OpeningError.malformed` for a wrong length, `.notAuthentic` if this key did not seal it, or for
    ///   another commitment.
    func open(_ encryptedKey: [UInt8], _ commitment: [UInt8]) throws(OpeningError) -> WipedBytes {
        guard encryptedKey.count == encryptedKeyLength else { throw .malformed }
        let nonce = encryptedKey.span.extracting(first: nonceLength)
        let sealed = encryptedKey.span.extracting(droppingFirst: nonceLength)
        var opened: [UInt8]
        do {
            switch self {
            case .aes(let key): opened = try key.open(sealed, nonce: nonce, additionalData: commitment.span)
            case .box(let key): opened = try key.open(sealed, nonce: nonce)
            }
        } catch {
            throw OpeningError(error)
        }
        defer { wipe(&opened) }
        switch self {
        case .aes: break
        case .box:
            // The content key of another message must not serve for this one.
            guard equalInConstantTime(opened.span.extracting(droppingFirst: ContentKey.length), commitment.span)
            else { throw .notAuthentic }
        }
        return WipedBytes(copying: opened.span.extracting(first: ContentKey.length))
    }
}
