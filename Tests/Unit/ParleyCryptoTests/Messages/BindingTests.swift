import ParleyCrypto
import ParleyProtocol
import Testing

/// Nothing of a message can be changed without its opening failing, whichever suite sealed it.
@Suite("What a sealed message is bound to")
struct BindingTests {
    /// A message of Alice's that Bob has, and what Bob makes of it.
    struct Received {
        let message: SealedMessage
        let header: MessageHeader
        let bob: Party
        private let alice: Party
        private var cipher: MessageCipher

        init(_ way: Way) throws {
            (alice, bob) = (try Party.alice(), try Party.bob())
            header = try MessageHeader.full(way.suite, from: alice)
            var sender = alice.cipher()
            message = try sender.seal(hello, header, for: way.addressing.recipients(bob, Party.carol()))
            cipher = bob.cipher()
        }

        mutating func open(_ message: SealedMessage? = nil, _ header: MessageHeader? = nil) throws -> [UInt8] {
            try cipher.open(message ?? self.message, header ?? self.header, with: .ofSender([alice.key]))
        }
    }

    @Test("as it was sealed it opens", arguments: Way.all)
    func untouched(way: Way) throws {
        var received = try Received(way)
        #expect(try received.open() == hello)
        // A device cannot tell a copy: what came before is for the client to know, by its id.
        #expect(try received.open() == hello)
    }

    @Test("every bit of nonce, content and sealed key, flipped, makes it fail", arguments: Way.all)
    func bitFlips(way: Way) throws {
        var received = try Received(way)
        var refused = 0
        func refuses(_ message: SealedMessage, _ what: String) {
            #expect(throws: OpeningError.notAuthentic, "\(what)") { try received.open(message) }
            refused += 1
        }
        let message = received.message
        for bit in 0..<message.nonce.count * 8 {
            refuses(message.with(nonce: message.nonce.flipping(bit)), "bit \(bit) of the nonce")
        }
        for bit in 0..<message.content.count * 8 {
            refuses(message.with(content: message.content.flipping(bit)), "bit \(bit) of the content")
        }
        let bob = received.bob.address
        if let key = message.encryptedKey(for: bob) {
            for bit in 0..<key.count * 8 {
                refuses(message.with(encryptedKey: key.flipping(bit), for: bob), "bit \(bit) of the sealed key")
            }
        }
        #expect(refused >= (12 + 32) * 8)
        #expect(try received.open() == hello)
    }

    @Test("truncated or extended by a byte it fails", arguments: Way.all)
    func otherLengths(way: Way) throws {
        var received = try Received(way)
        let content = received.message.content
        for other in [Array(content.dropLast()), Array(content.dropFirst()), content + [0], [0] + content] {
            #expect(throws: OpeningError.notAuthentic) { try received.open(received.message.with(content: other)) }
        }
    }

    @Test("every field of the header, changed, makes it fail", arguments: Way.all)
    func headerFields(way: Way) throws {
        var received = try Received(way)
        let header = received.header
        let otherID = MessageID.random()
        let mallory = UserID("mallory")
        let laptop = DeviceID("laptop")
        var changes: [(String, (inout MessageHeader) -> Void)] = [
            ("sender", { $0.sender = DeviceAddress(user: mallory, device: $0.sender.device) }),
            ("device", { $0.sender = DeviceAddress(user: $0.sender.user, device: laptop) }),
            ("conversation", { $0.conversation = .random() }),
            ("id", { $0.id = otherID }),
            ("reply_to", { $0.replyTo = otherID }),
            ("no reply_to", { $0.replyTo = nil }),
            ("target", { $0.target = otherID }),
            ("no target", { $0.target = nil }),
            ("reply_to and target exchanged", { ($0.replyTo, $0.target) = ($0.target, $0.replyTo) }),
            ("expires_in", { $0.expiresIn = 3601 }),
            ("no expires_in", { $0.expiresIn = nil }),
        ]
        for type in MessageType.allCases where type != header.type {
            changes.append(("type \(type)", { $0.type = type }))
        }
        for kind in RecordKind.allCases where kind != header.kind {
            changes.append(("kind \(kind)", { $0.kind = kind }))
        }
        // Where it is the suite's own box that opens, the header inside tells that it was another.
        let expected: OpeningError =
            way.suite == .naclBox && way.addressing == .one ? .headerMismatch : .notAuthentic
        for (name, change) in changes {
            var other = header
            change(&other)
            #expect(other != header)
            #expect(throws: expected, "\(name)") { try received.open(nil, other) }
        }
        #expect(try received.open() == hello)
    }

    @Test("under another suite's name it fails", arguments: Way.all)
    func otherSuite(way: Way) throws {
        var received = try Received(way)
        for suite in Suite.Bound.allCases where suite != way.suite {
            var header = received.header
            header.suite = suite
            // With the nonce that it has, and with one as long as the other suite's.
            let nonce = Array((received.message.nonce + received.message.nonce).prefix(suite.nonceLength))
            for nonce in [received.message.nonce, nonce] {
                #expect(throws: OpeningError.self) {
                    try received.open(received.message.with(suite: suite, nonce: nonce), header)
                }
            }
            #expect(throws: OpeningError.malformed, "the header names another suite than the message") {
                try received.open(received.message, header)
            }
        }
    }
}

extension [UInt8] {
    func flipping(_ bit: Int) -> [UInt8] {
        var bytes = self
        bytes[bit / 8] ^= 1 << (bit % 8)
        return bytes
    }
}
