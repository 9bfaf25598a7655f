import ParleyProtocol
import ParleyStore
import TestNames
import TestSupport
import TestedStores
import Testing

@testable import ParleyBridge

@Suite("The writer", .onEveryStore)
struct WriterTests {
    private let test: TestWriter
    private let conversation: ConversationID

    init() throws {
        test = try TestWriter()
        conversation = try test.conversation(["alice", "bob"])
    }

    @Test("a message is stored, announced and replied to, in this order")
    func storedAnnouncedReplied() throws {
        let id = MessageID.random()
        let outcome = test.carryOut([try send(conversation, id: id)], now: at(5))
        #expect(outcome.isCommitted)
        let published = try outcome.effects.outgoing.published
        #expect(published.map(\.event) == ["message.new", nil])
        #expect(published.map(\.isOK) == [nil, true])
        #expect(published.map(\.position) == [1, nil])
        #expect(published.first?.topic == "parley/v1/conversations/\(conversation)/messages")
        #expect(published.last?.topic == "parley/v1/down/alice/phone/messages/send/accepted")
        for item in published {
            #expect(item.seq == 1 && item.data["id"] as? String == "\(id)")
            #expect(item.data["created_at"] as? String == "\(at(5))")
        }
        #expect(try test.text("SELECT count(*) FROM records") == "1")
    }

    @Test("with the echo as reply there is no other, but to a repeat there is")
    func echoReplacesReply() throws {
        let id = MessageID.random()
        let first = test.carryOut([try send(conversation, id: id, echo: true)])
        #expect(try first.effects.outgoing.published.map(\.event) == ["message.new"])
        let second = test.carryOut([try send(conversation, id: id, echo: true)])
        #expect(try second.effects.outgoing.published.map(\.isOK) == [true])
        #expect(try second.effects.outgoing.replies.first?.seq == 1)
        let other = test.carryOut([try send(conversation, id: id, text: "another text altogether", echo: true)])
        #expect(try other.effects.outgoing.published.map(\.code) == ["conflict"])
    }

    @Test("a batch is one transaction, and what one writes the next one sees")
    func batchIsOneTransaction() throws {
        let id = MessageID.random()
        let outcome = test.carryOut([
            try send(conversation, id: id), try send(conversation, id: id), try send(conversation, replyTo: id),
            try send(conversation, replyTo: .random()),
        ])
        let replies = try outcome.effects.outgoing.replies
        #expect(replies.map(\.seq) == [1, 1, 2, nil])
        #expect(replies.map(\.code) == [nil, nil, nil, "not_found"])
        #expect(test.counters.batches.current == 1 && test.counters.messages.current == 2)
    }

    @Test(
        "a device that is not, or no longer, and one that may not, change nothing",
        arguments: [
            (device("alice", "tablet"), "unauthenticated"), (device("nobody", "phone"), "unauthenticated"),
            (device("carol", "phone"), "not_found"),
        ])
    func senders(sender: DeviceAddress, code: String) throws {
        let outcome = test.carryOut([try send(conversation, from: sender)])
        #expect(try outcome.effects.outgoing.published.map(\.code) == [code])
        #expect(try test.text("SELECT count(*) FROM records") == "0")
    }

    @Test("what a device sent before it was revoked counts, and not what it sent after")
    func revokedInTheSameBatch() throws {
        let outcome = test.carryOut([
            try send(conversation),
            try request(RevokeDevice.self, #"{"device_id":"phone"}"#, from: device("alice", "laptop")),
            try send(conversation),
        ])
        #expect(try outcome.effects.outgoing.replies.map(\.code) == [nil, nil, "unauthenticated"])
        #expect(outcome.effects.audience == [.deviceEnded(device("alice", "phone"))])
    }

    @Test("only an operator works users and devices")
    func operatorsAlone() throws {
        let json = #"{"user_id":"dave"}"#
        let outcome = test.carryOut([
            try request(AddUser.self, json), try request(AddUser.self, json, from: device("operator", "console")),
        ])
        #expect(try outcome.effects.outgoing.replies.map(\.code) == ["forbidden", nil])
        #expect(try test.store.read { try $0.users.hasMember("dave") })
    }

    @Test("created_at never goes back in a conversation, whatever the clock does, and another follows the clock")
    func createdAtNeverGoesBack() throws {
        let first = try test.conversation(["alice", "bob"])
        let second = try test.conversation(["alice", "bob"], now: at(-9000))
        var times: [String] = []
        for now in [10, -5000, 20, -8000, 20] as [Int64] {
            let outcome = test.carryOut([try send(first)], now: at(now))
            times += try outcome.effects.outgoing.replies.compactMap { $0.data["created_at"] as? String }
        }
        #expect(times == ([10, 10, 20, 20, 20] as [Int64]).map { "\(at($0))" })
        let outcome = test.carryOut([try send(second)], now: at(-5000))
        #expect(try outcome.effects.outgoing.replies.first?.data["created_at"] as? String == "\(at(-5000))")
    }

    @Test("the time does not go back when the cache has forgotten, either")
    func forgottenTimeDoesNotGoBack() throws {
        let test = try TestWriter { $0.cachedConversations = 2 }
        let conversations = try (0..<9).map { _ in try test.conversation(["alice", "bob"]) }
        for conversation in conversations { test.carryOut([try send(conversation)], now: at(100)) }
        for conversation in conversations {
            let outcome = test.carryOut([try send(conversation)], now: at(-100))
            #expect(try outcome.effects.outgoing.replies.first?.data["created_at"] as? String == "\(at(100))")
        }
    }
}

@Suite("The writer's faults")
struct WriterFaultTests {
    private let test: TestWriter
    private let conversation: ConversationID

    init() throws {
        test = try TestWriter()
        conversation = try test.conversation(["alice", "bob"])
    }

    /// Makes the database refuse records with this content, as a fault of ours would.
    private func poison(_ test: TestWriter) throws {
        try test.execute(
            """
            CREATE TRIGGER poison BEFORE INSERT ON records WHEN NEW.content = CAST('poison poison poison' AS BLOB)
            BEGIN SELECT RAISE(ABORT, 'poisoned'); END
            """)
    }

    @Test("one request that hits a fault does not take the others along")
    func faultTakesNothingAlong() throws {
        try poison(test)
        let outcome = test.carryOut([
            try send(conversation), try send(conversation, text: "poison poison poison"), try send(conversation),
        ])
        let replies = try outcome.effects.outgoing.replies
        #expect(replies.map(\.code) == [nil, "internal", nil])
        #expect(replies.map(\.seq) == [1, nil, 2])
        #expect(try outcome.effects.outgoing.events.map(\.position) == [1, 2])
        #expect(try test.text("SELECT group_concat(seq) FROM records") == "1,2")
        // The whole batch, then the one in it.
        #expect(test.counters.failedBatches.current == 2)
    }

    @Test("a mark that was to be noted with a batch that fails is not noted")
    func failedBatchNotesNoMark() throws {
        test.carryOut([try send(conversation)])
        try poison(test)
        test.published.set(1)
        let outcome = test.carryOut([try send(conversation, text: "poison poison poison")])
        #expect(!outcome.isCommitted)
        #expect(try test.store.read { try $0.outbox.publishedThrough() } == 0)
    }

    @Test("on a full disk every write is answered unavailable, and nothing of it is remembered")
    func fullDiskIsUnavailable() throws {
        test.carryOut([try send(conversation)])
        let pages = try #require(try test.text("SELECT page_count FROM pragma_page_count"))
        try test.execute("PRAGMA max_page_count = \(pages)")
        let large = try (0..<20).map { _ in try send(conversation, text: String(repeating: "x", count: 8000)) }
        for _ in 0..<3 {
            let outcome = test.carryOut(large)
            #expect(!outcome.isCommitted)
            #expect(try outcome.effects.outgoing.published.allSatisfy { $0.code == "unavailable" })
            #expect(outcome.effects.outgoing.items.count == 20)
        }
        #expect(try test.text("SELECT count(*) FROM records") == "1")
        try test.execute("PRAGMA max_page_count = 1000000")
        let outcome = test.carryOut(large)
        #expect(try outcome.effects.outgoing.replies.map(\.seq) == Array(2...21))
        #expect(try outcome.effects.outgoing.events.map(\.position?.number) == Array(2...21))
    }

    @Test("a rollback forgets what the cache had learnt in the transaction")
    func rollbackForgetsTheCache() throws {
        try poison(test)
        let key = #"{"identity_key":"CQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}"#
        // Alone, each of these fails with the one at its end.
        for _ in 0..<2 {
            let outcome = test.carryOut([try send(conversation, text: "poison poison poison")])
            #expect(try outcome.effects.outgoing.replies.map(\.code) == ["internal"])
        }
        let outcome = test.carryOut([
            try request(PublishKeys.self, key, from: device("bob", "phone")),
            try request(PublishKeys.self, key, from: device("bob", "laptop")),
            try request(RevokeDevice.self, #"{"device_id":"laptop"}"#, from: device("bob", "phone")),
            try send(conversation, text: "poison poison poison"), try send(conversation),
        ])
        // One device of the others' has keys: the message may be sealed for it directly.
        #expect(try outcome.effects.outgoing.replies.map(\.code) == [nil, nil, nil, "internal", nil])
        #expect(try outcome.effects.outgoing.replies.last?.seq == 1)
    }
}

@Suite("The writer's log", .onEveryStore)
struct WriterLogTests {
    /// A random mix of requests, and what must come of it.
    private struct Mix {
        let test: TestWriter
        let conversations: [ConversationID]
        let foreign: ConversationID
        var generator: Seeded
        /// What was accepted: its conversation and seq by its id.
        var accepted: [MessageID: (conversation: ConversationID, seq: Int)] = [:]
        var counts: [ConversationID: Int] = [:]
        var position = 0

        mutating func batch(_ size: Int) throws {
            var requests: [IncomingCommand] = []
            var expected: [(code: String?, seq: Int?)] = []
            for _ in 0..<size {
                let conversation = conversations[generator.number(0...conversations.count - 1)]
                let known = accepted.randomElement(using: &generator)
                switch (generator.number(0...9), known) {
                case (0, let known?):
                    requests.append(try send(known.value.conversation, id: known.key))
                    expected.append((nil, known.value.seq))
                case (1, let known?):
                    requests.append(try send(known.value.conversation, id: known.key, text: "with other content"))
                    expected.append(("conflict", nil))
                case (2, _):
                    requests.append(try send(foreign))
                    expected.append(("not_found", nil))
                case (3, _):
                    requests.append(try send(conversation, replyTo: .random()))
                    expected.append(("not_found", nil))
                default:
                    let id = MessageID.random()
                    requests.append(try send(conversation, id: id))
                    counts[conversation, default: 0] += 1
                    accepted[id] = (conversation, counts[conversation] ?? 0)
                    expected.append((nil, counts[conversation]))
                }
            }
            let outgoing = test.carryOut(requests).effects.outgoing
            #expect(try outgoing.replies.map(\.code) == expected.map(\.code))
            #expect(try outgoing.replies.map(\.seq) == expected.map(\.seq))
            for event in try outgoing.events {
                position += 1
                #expect(event.position?.number == position)
            }
        }
    }

    @Test(
        "seq has no hole, whatever mix of requests comes in whatever batches, with a cache large or small", .seeded,
        arguments: [(2, 3), (2, 40), (10_000, 40)])
    func gapless(cached: Int, conversations: Int) throws {
        let test = try TestWriter { $0.cachedConversations = cached }
        var mix = Mix(
            test: test, conversations: try (0..<conversations).map { _ in try test.conversation(["alice", "bob"]) },
            foreign: try test.conversation(["bob", "carol"]),
            generator: Seeded(stream: UInt64(cached + conversations)))
        for _ in 0..<12 { try mix.batch(mix.generator.number(1...60)) }
        #expect(
            try test.text(
                """
                SELECT count(*) FROM conversations c WHERE last_seq <> (SELECT count(*) FROM records WHERE conversation = c.key)
                    OR last_seq <> (SELECT coalesce(max(seq), 0) FROM records WHERE conversation = c.key)
                """) == "0")
        #expect(try test.text("SELECT count(*) FROM records") == "\(mix.accepted.count)")
    }
}
