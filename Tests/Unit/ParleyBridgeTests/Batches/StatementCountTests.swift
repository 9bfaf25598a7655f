import Logging
import ParleyProtocol
import Synchronization
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// What a batch of the frequent commands costs the database: with 64 of them two statements each at most, whatever has
/// to be read for them.
@Suite("How many statements a batch takes")
struct StatementCountTests {
    private let test: TestWriter
    private let counter = StatementCounter()

    init() throws {
        test = try TestWriter(trace: { [counter] _ in counter.count() })
        try test.store.write { transaction in
            for number in 0..<64 {
                let user = try #require(UserID("user\(number)"))
                try transaction.users.insert(
                    user, role: .member, displayName: user.text, messagePrivacy: .anyone, at: at(0))
                try transaction.devices.put(device(user, "phone"), tokenID: .random(), now: at(0), expiresAt: at(1000))
            }
        }
    }

    private func sender(_ number: Int) throws -> DeviceAddress {
        device(try #require(UserID("user\(number)")), "phone")
    }

    /// A batch by 64 people in as many conversations of two, by a process that has none of it in memory.
    private func cost(_ command: (Int, ConversationID, DeviceAddress) throws -> IncomingCommand) throws -> Int {
        let conversations = try (0..<64).map { number in
            let id = try ConversationID.direct([try sender(number).user, "alice"])
            _ = test.carryOut([
                try request(
                    CreateConversation.self, #"{"type":"direct","participant_ids":["alice"]}"#, from: sender(number)),
                try send(id, id: message(number), from: sender(number)),
            ])
            return id
        }
        let commands = try conversations.enumerated().map { try command($0, $1, try sender($0)) }
        let writer = try test.anotherWriter()
        counter.reset()
        let outcome = writer.carryOut(commands, now: at(70_000))
        let replies = try outcome.effects.outgoing.replies
        #expect(replies.allSatisfy { $0.isOK == true } && outcome.isCommitted)
        return counter.statements
    }

    private func message(_ number: Int) -> MessageID { MessageID(UUIDValue(high: 9, low: UInt64(number))) }

    @Test("messages by many in many conversations")
    func manyMessages() throws {
        #expect(try cost { _, id, sender in try send(id, from: sender) } <= 90)
    }

    @Test("changes of messages by many in many conversations", arguments: [RecordKind.edit, .reaction])
    func manyChanges(kind: RecordKind) throws {
        let cost = try cost { number, id, sender in try change(kind, message(number), in: id, from: sender) }
        #expect(cost <= 128)
    }

    @Test("reactions of which many are notified cost what others do")
    func manyNotified() throws {
        let cost = try cost { number, id, _ in
            try change(.reaction, message(number), in: id, from: device("alice", "phone"))
        }
        #expect(cost <= 128)
        #expect(try test.text("SELECT count(*) FROM notifications") == "64")
    }

    @Test("receipts by many in many conversations")
    func manyReceipts() throws {
        let cost = try cost { number, id, sender in
            let json = #"{"conversation_id":"\#(id)","message_id":"\#(message(number))"}"#
            return try request(MarkRead.self, json, from: sender)
        }
        #expect(cost <= 128)
    }

    @Test("typing by many in many conversations")
    func muchTyping() throws {
        let cost = try cost { _, id, sender in
            try request(StartTyping.self, #"{"conversation_id":"\#(id)"}"#, from: sender)
        }
        #expect(cost <= 128)
    }

    @Test("presence of many")
    func presenceOfMany() throws {
        var changes: [PresenceReport] = []
        for number in 0..<64 { changes.append(.online(try sender(number).user)) }
        let presence = try PresenceDuty(test.store, Settings(), now: at(0))
        presence.handle(changes, now: at(0))
        counter.reset()
        #expect(try test.writer.run(due: presence, now: at(0)).outgoing.events.count == 64)
        #expect(counter.statements <= 128)
    }

    @Test("the badges of many who have read everything are counted by one query")
    func badges() throws {
        for number in 0..<64 {
            let user = try sender(number).user
            _ = test.carryOut([
                try request(
                    CreateConversation.self, #"{"type":"direct","participant_ids":["\#(user)"]}"#,
                    from: device("alice", "phone"))
            ])
        }
        let scopes = try (0..<64).map { UnreadScope.badge(of: try sender($0).user, at: at(0)) }
        func cost(_ count: Int) throws -> Int {
            counter.reset()
            let counts = try test.store.read { try $0.unread.counts(scopes.prefix(count)) }
            #expect(counts.count == count && counts.values.allSatisfy { $0 == 0 })
            return counter.statements
        }
        // A reader that is new says more.
        _ = try cost(1)
        #expect(try cost(64) == cost(1))
    }

    @Test("a message alone, in memory, is read by one query and written by two")
    func messageAlone() throws {
        let id = try test.conversation(["alice", "bob"])
        test.writer.push.people.replace(with: ["alice", "bob"], unknownSince: at(0))
        test.carryOut([try send(id)])
        counter.reset()
        #expect(test.writer.carryOut([try send(id)], now: at(0)).isCommitted)
        #expect(counter.statements <= 6, "BEGIN, the record's id, the last position, the record, the log, COMMIT")
    }
}

private final class StatementCounter: Sendable {
    private let number = Atomic<Int>(0)

    func count() { number.wrappingAdd(1, ordering: .relaxed) }

    func reset() { number.store(0, ordering: .relaxed) }

    var statements: Int { number.load(ordering: .relaxed) }
}
