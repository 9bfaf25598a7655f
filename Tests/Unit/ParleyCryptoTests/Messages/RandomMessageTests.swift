import ParleyCrypto
import ParleyProtocol
import TestSupport
import Testing

/// What holds for any content, header and list of devices. Each failure names the case that failed, `seed`, beside the
/// seed of the run.
@Suite("Messages at random", .seeded)
struct RandomMessageTests {
    static let firstSeed = Seeded.seed % (1 << 32)

    static func parties(_ generator: inout Seeded) throws -> [Party] {
        let alphabet = Array("ABCabc019_-")
        func id(_ generator: inout Seeded) -> String {
            String(
                (0..<Int.random(in: 1...64, using: &generator)).map { _ in
                    alphabet.randomElement(using: &generator) ?? "a"
                })
        }
        return try (0..<4).map { number in
            try Party(id(&generator), id(&generator), first: UInt8(number * 40 + 1))
        }
    }

    static func header(_ way: Way, from sender: Party, _ generator: inout Seeded) throws -> MessageHeader {
        func id() -> MessageID { MessageID(.random(using: &generator)) }
        return MessageHeader(
            suite: way.suite, conversation: ConversationID(.random(using: &generator)), id: id(),
            sender: sender.address, type: try #require(MessageType.allCases.randomElement(using: &generator)),
            replyTo: Bool.random(using: &generator) ? id() : nil,
            kind: try #require(RecordKind.allCases.randomElement(using: &generator)),
            target: Bool.random(using: &generator) ? id() : nil,
            expiresIn: Bool.random(using: &generator) ? .random(in: Limits.expirySeconds, using: &generator) : nil)
    }

    @Test(
        "what was sealed opens, and with a bit flipped or under another header does not",
        arguments: Way.all)
    func anyMessage(way: Way) throws {
        for seed in Self.firstSeed..<Self.firstSeed + 40 {
            var generator = Seeded(seed: seed)
            let parties = try Self.parties(&generator)
            let (alice, bob) = (parties[0], parties[1])
            let header = try Self.header(way, from: alice, &generator)
            let content = (0..<Int.random(in: 0...2000, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            let others = parties.dropFirst().prefix(Int.random(in: 1...3, using: &generator))
            let recipients: Recipients =
                way.addressing == .one ? .one(bob.key) : .devices(others.map { ($0.address, $0.key) })
            var sender = alice.cipher()
            let message = try sender.seal(content, header, for: recipients)
            let flipped = message.with(
                content: message.content.flipping(.random(in: 0..<message.content.count * 8, using: &generator)))
            var otherHeader = try Self.header(way, from: alice, &generator)
            otherHeader.conversation = header.conversation
            let known = KnownKeys.ofSender([alice.key])
            #expect(try bob.open(message, header, with: known) == content, "seed \(seed)")
            #expect(throws: OpeningError.notAuthentic, "seed \(seed)") {
                try bob.open(flipped, header, with: known)
            }
            #expect(throws: OpeningError.self, "seed \(seed)") {
                try bob.open(message, otherHeader, with: known)
            }
        }
    }

    @Test("bytes that nobody sealed are refused, whatever their lengths", arguments: Way.all)
    func garbage(way: Way) throws {
        let (alice, bob) = (try Party.alice(), try Party.bob())
        var recipient = bob.cipher()
        for seed in Self.firstSeed..<Self.firstSeed + 200 {
            var generator = Seeded(seed: seed)
            func bytes(_ counts: [Int]) -> [UInt8] {
                (0..<(counts.randomElement(using: &generator) ?? 0)).map { _ in .random(in: 0...255, using: &generator)
                }
            }
            let keys = [RecipientKey(address: bob.address, encryptedKey: bytes([0, 12, 59, 60, 61, 104, 256]))]
            let message = SealedMessage(
                suite: way.suite, nonce: bytes([0, 12, 12, 24, 24]), content: bytes([0, 15, 16, 17, 32, 300]),
                recipientKeys: way.addressing == .one ? nil : keys)
            let header = try Self.header(way, from: alice, &generator)
            #expect(throws: OpeningError.self, "seed \(seed)") {
                try recipient.open(message, header, with: .ofSender([alice.key]))
            }
        }
    }
}
