import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

@Suite("Receipts", .onEveryStore)
struct MarkReceiptsTests {
    private let test: TestWriter
    private let group: ConversationID
    private let ids: [MessageID]

    init() throws {
        test = try TestWriter()
        (group, ids) = try MarkReceiptsTests.group(test)
    }

    /// A group with four messages of alice's.
    ///
    /// - Parameter sql: what makes its members others than they are, before the writer knows them.
    private static func group(_ test: TestWriter, _ sql: String? = nil) throws -> (ConversationID, [MessageID]) {
        let id = try test.conversation(["alice", "bob", "carol"])
        if let sql { try test.execute(sql) }
        let messages = (0..<4).map { _ in MessageID.random() }
        test.carryOut(try messages.map { try send(id, id: $0) })
        return (id, messages)
    }

    private func mark(
        _ kind: any Command.Type, _ id: MessageID, in conversation: ConversationID? = nil,
        by sender: DeviceAddress = device("bob", "phone"), of test: TestWriter? = nil, now: Timestamp = at(5)
    ) throws -> [Published] {
        let test = test ?? self.test
        let json = "{\"conversation_id\":\"\(conversation ?? group)\",\"message_id\":\"\(id)\"}"
        return try test.carryOut([try request(kind, json, from: sender)], now: now).effects.outgoing.published
    }

    /// A direct conversation of alice's and bob's with one message of alice's.
    private func direct(_ test: TestWriter) throws -> (id: ConversationID, message: MessageID) {
        let (id, message) = (try ConversationID.direct(["alice", "bob"]), MessageID.random())
        let outcome = test.carryOut([
            try request(CreateConversation.self, #"{"type":"direct","participant_ids":["bob"]}"#),
            try send(id, id: message),
        ])
        #expect(try outcome.effects.outgoing.replies.map(\.isOK) == [true, true])
        return (id, message)
    }

    @Test("reading is told to the members, and clears the conversation on the reader's other devices")
    func readingIsTold() throws {
        let published = try mark(MarkRead.self, ids[1])
        #expect(published.map(\.event) == ["message.read", "conversation.read", nil])
        #expect(published[0].topic.hasSuffix("conversations/\(group)/receipts"))
        #expect(published[1].topic.hasSuffix("users/bob/events"))
        let cleared = published[1].data
        #expect(cleared["conversation_id"] as? String == "\(group)")
        #expect(cleared["last_read_message_id"] as? String == "\(ids[1])")
        #expect(cleared["seq"] as? Int == 2 && cleared["unread_count"] as? Int == 2)
        #expect(cleared["at"] as? String == "\(at(5))")
        #expect(published[2].data["seq"] as? Int == 2 && published[2].data["at"] as? String == "\(at(5))")
    }

    @Test("a receipt that does not move the user's watermark announces nothing and is replied to as it stands")
    func unmovedWatermarkAnnouncesNothing() throws {
        _ = try mark(MarkRead.self, ids[2], now: at(5))
        for (kind, id, sender) in [
            (MarkRead.self, ids[2], "phone"), (MarkRead.self, ids[0], "phone"), (MarkDelivered.self, ids[1], "phone"),
            (MarkRead.self, ids[1], "laptop"), (MarkRead.self, ids[2], "laptop"),
        ] as [(any Command.Type, MessageID, DeviceID)] {
            let published = try mark(kind, id, by: device("bob", sender), now: at(6))
            #expect(published.map(\.event) == [nil] && published.map(\.seq) == [3])
            #expect(published[0].data["at"] as? String == "\(at(5))")
        }
        #expect(
            try test.text(
                "SELECT group_concat(mark) FROM (SELECT device || delivered_seq || read_seq AS mark FROM device_watermarks ORDER BY device) AS marks"
            )
                == "laptop33,phone33")
    }

    @Test("what is not there for the reader is not found, and changes nothing")
    func unseenIsNotFound() throws {
        let other = try test.conversation(["alice", "carol"])
        let foreign = MessageID.random()
        test.carryOut([try send(other, id: foreign)])
        let (late, lateIDs) = try MarkReceiptsTests.group(
            test, "UPDATE members SET visible_from = 2, joined_seq = 2 WHERE user = 'carol'")
        #expect(try mark(MarkRead.self, .random()).map(\.code) == ["not_found"])
        #expect(try mark(MarkRead.self, foreign).map(\.code) == ["not_found"])
        #expect(try mark(MarkRead.self, foreign, in: other).map(\.code) == ["not_found"])
        #expect(try mark(MarkRead.self, ids[0], in: .random()).map(\.code) == ["not_found"])
        let carol = device("carol", "phone")
        #expect(try mark(MarkRead.self, lateIDs[1], in: late, by: carol).map(\.code) == ["not_found"])
        #expect(try test.text("SELECT count(*) FROM device_watermarks") == "0")
        #expect(try mark(MarkRead.self, lateIDs[2], in: late, by: carol).map(\.code) == [nil, nil, nil])
    }

    @Test("who sees what was before they joined has a watermark from their joining on")
    func watermarkFromJoining() throws {
        let (id, messages) = try MarkReceiptsTests.group(
            test,
            "UPDATE members SET joined_seq = 3, delivered_seq = 3, read_seq = 3, joined_at = \(at(4).milliseconds) "
                + "WHERE user = 'carol'")
        let published = try mark(MarkRead.self, messages[0], in: id, by: device("carol", "phone"))
        #expect(published.map(\.event) == [nil] && published.map(\.seq) == [3])
        #expect(published[0].data["at"] as? String == "\(at(4))")
    }

    @Test("who sends no read receipts is heard to have received, and their other devices are cleared")
    func hiddenReadingIsReceiving() throws {
        test.carryOut([try request(ProfileChange.self, #"{"send_read_receipts":false}"#, from: device("bob", "phone"))])
        #expect(try mark(MarkRead.self, ids[1]).map(\.event) == ["message.delivered", "conversation.read", nil])
        #expect(try mark(MarkDelivered.self, ids[2]).map(\.event) == ["message.delivered", nil])
        #expect(try mark(MarkRead.self, ids[2]).map(\.event) == ["conversation.read", nil])
        #expect(
            try test.text(
                "SELECT told_delivered_seq || '' || told_read_seq || read_seq FROM members WHERE user = 'bob'")
                == "303")
    }

    private static let noReceipts: (any Command.Type, String) = (ProfileChange.self, #"{"send_read_receipts":false}"#)

    @Test(
        "in a direct conversation both have them on, and the reader may write to the other",
        arguments: [
            ([], ["message.read", "conversation.read", nil]),
            ([("alice", noReceipts)], ["message.delivered", "conversation.read", nil]),
            ([("bob", noReceipts)], ["message.delivered", "conversation.read", nil]),
            ([("alice", (Block.self, #"{"user_id":"bob"}"#))], ["conversation.read", nil]),
            ([("bob", (Block.self, #"{"user_id":"alice"}"#))], ["conversation.read", nil]),
            // Friends no more, and not yet to be asked again.
            (
                [
                    ("alice", (Follow.self, #"{"user_id":"bob"}"#)), ("bob", (Follow.self, #"{"user_id":"alice"}"#)),
                    ("alice", (ProfileChange.self, #"{"message_privacy":"followers"}"#)),
                    ("bob", (Unfollow.self, #"{"user_id":"alice"}"#)),
                ], ["conversation.read", nil]
            ),
        ] as [([(UserID, (any Command.Type, String))], [String?])])
    func directNeedsBoth(
        before: [(UserID, (any Command.Type, String))], events: [String?]
    ) throws {
        let (id, message) = try direct(test)
        for (user, (kind, json)) in before {
            let outcome = test.carryOut([try request(kind, json, from: device(user, "phone"))])
            #expect(try outcome.effects.outgoing.replies.map(\.isOK) == [true])
        }
        #expect(try mark(MarkRead.self, message, in: id).map(\.event) == events)
    }

    @Test("a request's recipient tells nothing of it: it is not theirs")
    func requestTellsNothing() throws {
        let strict = try TestWriter(privacy: .followers)
        let (id, message) = try direct(strict)
        #expect(try mark(MarkDelivered.self, message, in: id, of: strict).map(\.code) == ["not_found"])
        #expect(try strict.text("SELECT count(*) FROM device_watermarks") == "0")
    }
}
