import ParleyProtocol
import Sodium

/// The keys that this device shares with others, computed once and kept while they are in use.
///
/// Without them every message would cost a multiplication on the curve, which takes longer than all the rest.
struct Sessions: Sendable {
    /// One of this device's key pairs, by its place among them, and another device's key.
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
    private let backend: Backend
    /// A key for each conversation and direction.
    private var aesKeys: RecentlyUsed<Way, AESKey>
    /// What the AES keys are derived from.
    private var sharedSecrets: RecentlyUsed<Pair, SecretBytes>
    /// The same for every conversation and both directions.
    private var boxKeys: RecentlyUsed<Pair, Box.SharedKey>

    /// - Parameter capacity: how many keys of each kind are kept.
    init(keys: [IdentityKeyPair], backend: Backend, capacity: Int) {
        self.keys = keys
        self.backend = backend
        aesKeys = RecentlyUsed(capacity: capacity)
        sharedSecrets = RecentlyUsed(capacity: capacity / 4)
        boxKeys = RecentlyUsed(capacity: capacity)
    }

    /// How many keys are kept.
    var count: Int { aesKeys.count + sharedSecrets.count + boxKeys.count }

    /// The key by which one of a pair seals for the other in this suite and conversation.
    mutating func key(
        _ suite: Suite, _ pair: Pair, _ direction: Direction, in conversation: ConversationID
    ) throws(SodiumError) -> PairwiseKey {
        switch suite {
        case .x25519AESGCM:
            let way = Way(conversation: conversation, direction: direction, pair: pair)
            if let key = aesKeys[way] { return .aes(key) }
            let key = try makeAESKey(way)
            aesKeys.insert(key, for: way)
            return .aes(key)
        case .naclBox, .groupBox:
            if let key = boxKeys[pair] { return .box(key) }
            let key = try Box.SharedKey(between: keys[pair.own].secretKey, and: X25519.PublicKey(pair.peer.bytes))
            boxKeys.insert(key, for: pair)
            return .box(key)
        }
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
            try backend.derivedKey(
                from: secret, salt: Array(way.conversation.description.utf8),
                info: Array("parley/v1".utf8) + [0] + sender.bytes + recipient.bytes, count: AESKey.length)
        }
        return try derived.withBytes { key throws(SodiumError) in try AESKey(key, backend: backend) }
    }

    private mutating func sharedSecret(_ pair: Pair) throws(SodiumError) -> SecretBytes {
        if let secret = sharedSecrets[pair] { return secret }
        let secret = try backend.sharedSecret(of: keys[pair.own], with: pair.peer.bytes)
        sharedSecrets.insert(secret, for: pair)
        return secret
    }
}
