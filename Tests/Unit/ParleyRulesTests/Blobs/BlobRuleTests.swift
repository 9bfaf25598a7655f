import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("Blobs")
struct BlobRuleTests {
    private static let group = conversation(.group, [member("alice"), member("bob", visibleFrom: 20)])
    private static let waiting = Duration.seconds(3600)

    private static func digest(_ byte: UInt8 = 6) throws -> BlobDigest {
        try #require(BlobDigest([UInt8](repeating: byte, count: 32)))
    }

    private static func request(size: Int = 100, for conversation: ConversationFacts = group) throws -> CreateBlob {
        CreateBlob(id: .random(), conversation: conversation.id, size: size, digest: try digest())
    }

    private static func stored(
        of conversation: ConversationFacts = group, disappearsAt: Timestamp? = nil, seq: Int? = nil
    ) throws -> StoredBlob {
        StoredBlob(
            blob: Blob(
                id: .random(), conversation: conversation.id, size: 100, digest: try digest(), createdAt: at(0),
                expiresAt: disappearsAt),
            maker: "alice", disappearsAt: disappearsAt, seq: seq)
    }

    private static func bounds(bytes: Int = 1000, unnamed: Int = 2) -> CreateBlobRule.Bounds {
        CreateBlobRule.Bounds(bytes: bytes, unnamed: unnamed, waiting: waiting)
    }

    private static func facts(
        _ conversation: ConversationFacts? = group, unnamed: Int = 0, firstEnd: Timestamp? = nil,
        _ relationship: Relationship? = nil
    ) -> CreateBlobRule.Facts {
        CreateBlobRule.Facts(
            conversation: conversation, relationship: relationship,
            unnamed: CreateBlobRule.UnnamedBlobs(count: unnamed, firstEnd: firstEnd))
    }

    private func create(
        _ request: CreateBlob, by user: UserID = "alice", _ facts: CreateBlobRule.Facts = facts(),
        _ bounds: CreateBlobRule.Bounds = bounds()
    ) throws(Rejection) -> StoredBlob {
        try CreateBlobRule.decide(request, by: user, facts: facts, bounds: bounds, now: at(500), steady: at(200))
    }

    // MARK: Announcing

    @Test("a blob waits for a message for so long, by both clocks")
    func waits() throws {
        let request = try Self.request()
        let stored = try create(request)
        let blob = Blob(
            id: request.id, conversation: Self.group.id, size: 100, digest: request.digest, createdAt: at(500),
            expiresAt: at(3_600_500))
        #expect(stored == StoredBlob(blob: blob, maker: "alice", disappearsAt: at(3_600_200)))
    }

    @Test("who may not write to a conversation may announce nothing for it, and it is not there for strangers")
    func mayWrite() throws {
        let request = try Self.request()
        #expect(rejection { try create(request, by: "carol") } == .conversationNotFound)
        #expect(rejection { try create(request, Self.facts(nil)) } == .conversationNotFound)
        let closed = conversation(.group, [member("alice", isOpen: false), member("bob")])
        #expect(rejection { try create(request, Self.facts(closed)) } == .conversationNotFound)
    }

    @Test("in a direct conversation it is as with messages: the blocker hears of the block, the blocked of no answer")
    func blocks() throws {
        typealias Side = Contact.Side
        let direct = conversation(.direct, [member("alice"), member("bob")])
        let request = try Self.request(for: direct)
        func refusal(_ alice: Side, _ bob: Side) -> ErrorCode? {
            let relationship = Relationship(Contact("alice", alice, "bob", bob), openFor: ["alice", "bob"])
            return rejection { try create(request, Self.facts(direct, relationship)) }?.code
        }
        #expect(refusal(Side(follows: true), Side(follows: true)) == nil)
        #expect(refusal(Side(), Side()) == nil)
        #expect(refusal(Side(request: .waiting), Side()) == .requestLimit)
        #expect(refusal(Side(request: .waiting), Side(blocks: true)) == .requestLimit)
        #expect(refusal(Side(blocks: true), Side()) == .blocked)
    }

    @Test(
        "a size is bounded by the setting and what sealing adds",
        arguments: [(17, true), (1000 + 4096, true), (1000 + 4097, false), (Limits.blobBytes.upperBound, false)])
    func sizes(size: Int, isTaken: Bool) throws {
        let request = try Self.request(size: size)
        #expect(rejection { try create(request) }?.code == (isTaken ? nil : .tooLarge))
    }

    @Test("a gibibyte that is sealed in parts of 64 KiB is no more than the setting allows")
    func sealing() throws {
        let bytes = 1 << 30
        let request = try Self.request(size: bytes + 24 + 17 * (bytes >> 16))
        #expect(rejection { try create(request, Self.facts(), Self.bounds(bytes: bytes)) } == nil)
        let most = 1 << 40
        let larger = try Self.request(size: most + most / 1024 + 4097)
        #expect(rejection { try create(larger, Self.facts(), Self.bounds(bytes: most)) }?.code == .tooLarge)
    }

    @Test("too many that no message names are refused until the first of them is over")
    func unnamed() throws {
        let request = try Self.request()
        #expect(rejection { try create(request, Self.facts(unnamed: 1, firstEnd: at(300))) } == nil)
        let refusal = rejection { try create(request, Self.facts(unnamed: 2, firstEnd: at(300))) }
        #expect(refusal?.code == .rateLimited && refusal?.retryAfterMilliseconds == 100)
        // It is over, and its row is not marked yet.
        #expect(rejection { try create(request, Self.facts(unnamed: 9, firstEnd: at(1))) }?.retryAfterMilliseconds == 1)
        #expect(
            rejection { try create(request, Self.facts(unnamed: 9)) }?.retryAfterMilliseconds == 3_600_000)
    }

    @Test(
        "bytes count in units of 64 KiB, each that is begun",
        arguments: [(0, 1), (17, 1), (65_536, 1), (65_537, 2), (1 << 30, 16_384)])
    func units(bytes: Int, count: Int) { #expect(CreateBlobRule.units(of: bytes) == count) }

    // MARK: Naming

    @Test("a message names blobs of its sender's, for its conversation, that no message names and that are still there")
    func naming() throws {
        let sender = device("alice", "phone")
        func refusal(_ stored: [StoredBlob], of ids: [BlobID], by sender: DeviceAddress = sender) -> Rejection? {
            let message = SendMessage(
                id: .random(), conversation: Self.group.id, type: .file, suite: .naclBox,
                content: [UInt8](repeating: 7, count: 32), nonce: [UInt8](repeating: 9, count: 24), blobs: ids)
            let facts = SendMessageRule.Facts(
                conversation: Self.group, existing: nil, digest: [UInt8](repeating: 1, count: 16),
                knowsReplyTarget: true, blobs: stored, keyedDevices: [])
            return rejection {
                try SendMessageRule.decide(message, sender: sender, facts: facts, now: at(900), steady: at(100))
            }
        }
        let (one, two) = (try Self.stored(disappearsAt: at(101)), try Self.stored(disappearsAt: at(999)))
        #expect(refusal([one, two], of: [one.blob.id, two.blob.id]) == nil)
        #expect(refusal([], of: []) == nil)
        #expect(refusal([one], of: [one.blob.id, two.blob.id]) == .blobNotFound)
        #expect(refusal([one], of: [one.blob.id], by: device("bob", "phone")) == .blobNotFound)
        // Another device of the maker's may.
        #expect(refusal([one], of: [one.blob.id], by: device("alice", "laptop")) == nil)
        let others = [
            try Self.stored(disappearsAt: at(100)), try Self.stored(seq: 3),
            try Self.stored(disappearsAt: at(999), seq: 3),
            try Self.stored(of: conversation(.group, [member("alice")]), disappearsAt: at(999)),
        ]
        for other in others { #expect(refusal([other, one], of: [one.blob.id, other.blob.id]) == .blobNotFound) }
    }

    // MARK: Reading

    private func refusal(
        of stored: StoredBlob?, to user: UserID, in conversation: ConversationFacts? = group, isWithheld: Bool = false
    ) -> Rejection? {
        rejection {
            try ReadBlobRule.decide(
                by: user,
                facts: ReadBlobRule.Facts(blob: stored, conversation: conversation, isWithheld: isWithheld),
                steady: at(100))
        }
    }

    @Test("its maker has a blob while it is there, whatever has become of the conversation")
    func maker() throws {
        #expect(refusal(of: try Self.stored(disappearsAt: at(101)), to: "alice") == nil)
        #expect(refusal(of: try Self.stored(seq: 30), to: "alice", in: nil) == nil)
        #expect(refusal(of: try Self.stored(disappearsAt: at(100)), to: "alice") == .blobNotFound)
        #expect(refusal(of: nil, to: "alice") == .blobNotFound)
    }

    @Test("a member has what a message names that they may read, and everybody else the same answer as for nothing")
    func members() throws {
        let named = try Self.stored(seq: 21)
        #expect(refusal(of: named, to: "bob") == nil)
        #expect(refusal(of: try Self.stored(disappearsAt: at(101), seq: 41), to: "bob") == nil)
        // Before they joined, past the end of the log, and of no message.
        for seq in [20, 42] { #expect(refusal(of: try Self.stored(seq: seq), to: "bob") == .blobNotFound) }
        #expect(refusal(of: try Self.stored(disappearsAt: at(101)), to: "bob") == .blobNotFound)
        #expect(refusal(of: try Self.stored(disappearsAt: at(100), seq: 21), to: "bob") == .blobNotFound)
        #expect(refusal(of: named, to: "bob", isWithheld: true) == .blobNotFound)
        #expect(refusal(of: named, to: "carol") == .blobNotFound)
        #expect(refusal(of: named, to: "bob", in: nil) == .blobNotFound)
        let closed = conversation(.direct, [member("alice"), member("bob", isOpen: false)])
        #expect(refusal(of: named, to: "bob", in: closed) == .blobNotFound)
    }

    // MARK: Deleting

    @Test("its maker deletes a blob that no message names")
    func deleting() throws {
        let waiting = try Self.stored(disappearsAt: at(1))
        #expect(rejection { try DeleteBlobRule.decide(waiting, by: "alice") } == nil)
        #expect(rejection { try DeleteBlobRule.decide(waiting, by: "bob") } == .blobNotFound)
        #expect(rejection { try DeleteBlobRule.decide(nil, by: "alice") } == .blobNotFound)
        let named = try Self.stored(seq: 3)
        #expect(rejection { try DeleteBlobRule.decide(named, by: "alice") }?.code == .conflict)
        #expect(rejection { try DeleteBlobRule.decide(named, by: "bob") } == .blobNotFound)
    }
}
