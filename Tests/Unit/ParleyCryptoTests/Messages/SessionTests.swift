import ParleyProtocol
import Sodium
import Testing

@testable import ParleyCrypto

@Suite("Warm sessions")
struct SessionTests {
    @Test("are bounded, and what was dropped is made again", arguments: Suite.Bound.allCases)
    func bounded(suite: Suite.Bound) throws {
        let (alice, bob) = (try Party.alice(), try Party.bob())
        var sender = MessageCipher(device: alice.address, current: alice.keys, sessionCapacity: 4)
        var recipient = MessageCipher(device: bob.address, current: bob.keys, sessionCapacity: 4)
        var header = try MessageHeader.full(suite, from: alice)
        let peers = try (1...10).map { try keyPair(first: UInt8($0 * 20)).publicKey }
        for round in 0..<2 {
            for peer in peers {
                header.conversation = .random()
                let message = try sender.seal(
                    hello, header, for: .devices([(alice.address, peer), (bob.address, bob.key)]))
                #expect(
                    try recipient.open(message, header, with: .ofSender([peer, alice.key])) == hello, "round \(round)")
                #expect(sender.sessions.count <= 12)
                #expect(recipient.sessions.count <= 12)
            }
        }
    }

    @Test("the two directions, and each conversation, have keys of their own")
    func keysApart() throws {
        let (alice, bob) = (try Party.alice(), try Party.bob())
        var sessions = Sessions(keys: [alice.keys], capacity: 8)
        let pair = Sessions.Pair(own: 0, peer: bob.key)
        let conversations = [ConversationID.random(), .random()]
        let nonce = [UInt8](repeating: 0, count: 12)
        var sealed: Set<[UInt8]> = []
        for conversation in conversations {
            for direction in [Sessions.Direction.outgoing, .incoming] {
                let key = try sessions.key(.x25519AESGCM, pair, direction, in: conversation)
                sealed.insert(try key.contentKey.seal(hello, header: [], nonce: nonce))
            }
        }
        #expect(sealed.count == 4)
    }

    @Test("what one side sends with, the other receives with")
    func bothSides() throws {
        let (alice, bob) = (try Party.alice(), try Party.bob())
        var ofAlice = Sessions(keys: [alice.keys], capacity: 8)
        var ofBob = Sessions(keys: [alice.keys, bob.keys], capacity: 8)
        let conversation = ConversationID.random()
        let nonce = [UInt8](repeating: 0, count: 12)
        let out = try ofAlice.key(.x25519AESGCM, Sessions.Pair(own: 0, peer: bob.key), .outgoing, in: conversation)
        let sealed = try out.contentKey.seal(hello, header: [1], nonce: nonce)
        let `in` = try ofBob.key(.x25519AESGCM, Sessions.Pair(own: 1, peer: alice.key), .incoming, in: conversation)
        #expect(try `in`.contentKey.open(sealed, header: [1], nonce: nonce) == hello)
    }

    @Test("of many known keys only so many are tried for one message")
    func attempts() throws {
        let (alice, bob) = (try Party.alice(), try Party.bob())
        let (message, header) = try alice.sealed(.naclBox, for: .one(bob.key))
        let other = try keyPair(first: 200).publicKey
        let before = [IdentityKey](repeating: other, count: MessageCipher.attempts - 1)
        #expect(try bob.open(message, header, with: .ofSender(before + [alice.key])) == hello)
        #expect(throws: OpeningError.notAuthentic) {
            try bob.open(message, header, with: .ofSender(before + [other, alice.key]))
        }
    }
}

@Suite("Failures")
struct FailureTests {
    static let faults: [SodiumError] = [
        .unavailable, .wrongLength(expected: 1, actual: 2), .lowOrderKey, .notAuthentic,
        .costOutOfBounds, .outOfMemory, .refused,
    ]

    @Test("each fault of a library is named by what an app can do about it")
    func faults() {
        #expect(
            Self.faults.map(OpeningError.init(_:)) == [
                .unavailable, .malformed, .weakKey, .notAuthentic, .unavailable, .unavailable, .unavailable,
            ])
        #expect(Self.faults.map(SealingError.init(_:)).filter { $0 == .weakKey }.count == 1)
        #expect(Self.faults.map(SealingError.init(_:)).filter { $0 == .unavailable }.count == 6)
    }

    @Test("what OpenSSL refuses is named as what libsodium refuses")
    func aes() throws {
        let (nothing, nonce) = ([UInt8](), [UInt8](repeating: 2, count: 12))
        #expect(throws: SodiumError.wrongLength(expected: 32, actual: 0)) { try AESKey(nothing.span) }
        let key = try AESKey([UInt8](repeating: 1, count: 32).span)
        #expect(throws: SodiumError.wrongLength(expected: 12, actual: 0)) {
            try key.seal(nothing.span, nonce: nothing.span, additionalData: nothing.span)
        }
        for count in [0, 15, 16, 17] {
            let forged = [UInt8](repeating: 0, count: count)
            #expect(throws: SodiumError.notAuthentic) {
                try key.open(forged.span, nonce: nonce.span, additionalData: nothing.span)
            }
        }
    }

    @Test("each has its own code and sentence")
    func names() {
        let failures: [OpeningError] = [
            .unknownSuite("x"), .malformed, .notForThisDevice, .senderKeysUnknown, .senderKeyChanged, .weakKey,
            .notAuthentic, .headerMismatch, .notBound, .badContent, .replayed, .unavailable,
        ]
        #expect(Set(failures.map(\.code)).count == failures.count)
        #expect(Set(failures.map(\.description)).count == failures.count)
        let refusals: [SealingError] = [
            .noRecipients, .tooManyRecipients(maximum: 1), .tooLarge(maximum: 1), .needsRecipientKeys, .weakKey,
            .unavailable,
        ]
        #expect(Set(refusals.map(\.description)).count == refusals.count)
    }
}
