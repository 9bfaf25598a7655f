import Foundation
import ParleyProtocol
import ParleyStore
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge

@Suite("Changes of messages", .onEveryStore)
struct ChangeMessagesTests {
    private let test: TestWriter
    private let conversation: ConversationID
    private let message = MessageID.random()

    init() throws {
        test = try TestWriter()
        conversation = try test.conversation(["alice", "bob"])
        test.carryOut([try send(conversation, id: message)], now: at(1))
    }

    @Test(
        "a change is stored, announced by its own event and answered with its place",
        arguments: [
            (RecordKind.edit, "message.edited"), (.delete, "message.deleted"), (.reaction, "message.reaction"),
        ])
    func changes(kind: RecordKind, event: String) throws {
        let id = MessageID.random()
        let outcome = test.carryOut([try change(kind, message, in: conversation, id: id)], now: at(5))
        let published = try outcome.effects.outgoing.published
        #expect(published.map(\.event) == [event, nil])
        #expect(published.map(\.position) == [2, nil])
        let announced = try #require(published.first)
        #expect(announced.topic == "parley/v1/conversations/\(conversation)/messages")
        #expect(announced.data["id"] as? String == "\(id)")
        #expect(announced.data["target_id"] as? String == "\(message)")
        #expect(announced.data["kind"] as? String == kind.rawValue)
        #expect(announced.data["message_type"] as? String == "text")
        #expect((announced.data["encrypted_content"] is NSNull) == (kind == .delete))
        let reply = try #require(published.last)
        #expect(Set(reply.data.keys) == ["id", "epoch", "seq", "created_at"])
        #expect(reply.data["id"] as? String == "\(id)" && reply.seq == 2)
        #expect(reply.data["created_at"] as? String == "\(at(5))")
    }

    @Test("a change moves the conversation to the front, and is not its last message")
    func changeMovesToFront() throws {
        test.carryOut([try change(.edit, message, in: conversation)], now: at(5))
        #expect(
            try test.text("SELECT last_seq || ' ' || last_message_seq || ' ' || updated_at FROM conversations")
                == "2 1 \(at(5).milliseconds)")
    }

    @Test("deleting takes the ciphertext of the message and of its edits, and leaves the rest")
    func deletingTakesCiphertext() throws {
        test.carryOut([
            try change(.edit, message, in: conversation), try change(.reaction, message, in: conversation),
            try send(conversation), try change(.delete, message, in: conversation),
        ])
        #expect(try test.text("SELECT group_concat(seq) FROM records WHERE content IS NOT NULL") == "3,4")
        #expect(try test.text("SELECT group_concat(seq) FROM records WHERE nonce IS NOT NULL") == "3,4")
    }

    @Test("a repeat gets the first reply again, when the ciphertext is gone too, and does nothing twice")
    func repeatGetsFirstReply() throws {
        let edit = try change(.edit, message, in: conversation)
        let deletion = try change(.delete, message, in: conversation)
        let first = test.carryOut([edit, deletion])
        let second = test.carryOut([edit, deletion])
        #expect(try second.effects.outgoing.events.isEmpty)
        #expect(try first.effects.outgoing.replies.map(\.payload) == second.effects.outgoing.replies.map(\.payload))
        // Under another id it is done already; with other content it is another's.
        let again = test.carryOut([try change(.delete, message, in: conversation)])
        #expect(try again.effects.outgoing.events.isEmpty)
        #expect(try again.effects.outgoing.replies.map(\.seq) == [3])
        let other = test.carryOut([
            try change(.edit, message, in: conversation, id: edit.changeID, text: "another text altogether")
        ])
        #expect(try other.effects.outgoing.replies.map(\.code) == ["conflict"])
        #expect(try test.text("SELECT count(*) FROM records") == "3")
    }

    @Test("a batch sees what it has done: what it deletes it neither edits nor reacts to")
    func batchSeesItsOwn() throws {
        let id = MessageID.random()
        let outcome = test.carryOut([
            try send(conversation, id: id), try change(.edit, id, in: conversation),
            try change(.delete, id, in: conversation), try change(.edit, id, in: conversation),
            try change(.reaction, id, in: conversation, from: device("bob", "phone")),
            try change(.delete, id, in: conversation),
        ])
        let replies = try outcome.effects.outgoing.replies
        #expect(replies.map(\.code) == [nil, nil, nil, "not_found", "not_found", nil])
        #expect(replies.map(\.seq) == [2, 3, 4, nil, nil, 4])
    }

    @Test("refusals: strangers, others than the sender, what is no message of the conversation")
    func refusals() throws {
        let (bob, carol) = (device("bob", "phone"), device("carol", "phone"))
        let other = try test.conversation(["alice", "bob"])
        let edit = try change(.edit, message, in: conversation)
        test.carryOut([edit])
        let refused: [(IncomingCommand, String?)] = [
            (try change(.edit, message, in: conversation, from: bob), "forbidden"),
            (try change(.delete, message, in: conversation, from: bob), "forbidden"),
            (try change(.reaction, message, in: conversation, from: bob), nil),
            (try change(.delete, message, in: conversation, from: carol), "not_found"),
            (try change(.reaction, message, in: conversation, from: carol), "not_found"),
            (try change(.edit, .random(), in: conversation), "not_found"),
            (try change(.edit, message, in: other), "not_found"),
            (try change(.delete, message, in: .random()), "not_found"),
            (try change(.reaction, edit.changeID, in: conversation), "bad_request"),
            (try change(.edit, message, in: conversation, from: device("alice", "laptop")), nil),
        ]
        let outcome = test.carryOut(refused.map(\.0))
        #expect(try outcome.effects.outgoing.replies.map(\.code) == refused.map(\.1))
    }

    @Test("what was before one joined can be neither reacted nor replied to")
    func beforeJoiningIsOutOfReach() throws {
        let conversation = try test.conversation(["alice", "bob"])
        try test.execute("UPDATE members SET visible_from = 1 WHERE user = 'bob'")
        let (unseen, seen, bob) = (MessageID.random(), MessageID.random(), device("bob", "phone"))
        test.carryOut([try send(conversation, id: unseen), try send(conversation, id: seen)])
        let asked: [(IncomingCommand, String?)] = [
            (try change(.reaction, unseen, in: conversation, from: bob), "not_found"),
            (try send(conversation, from: bob, replyTo: unseen), "not_found"),
            (try change(.reaction, seen, in: conversation, from: bob), nil),
            (try send(conversation, from: bob, replyTo: seen), nil),
            (try change(.reaction, unseen, in: conversation), nil),
            (try send(conversation, replyTo: unseen), nil),
        ]
        #expect(try test.carryOut(asked.map(\.0)).effects.outgoing.replies.map(\.code) == asked.map(\.1))
    }
}

extension Incoming {
    /// The id of a change.
    fileprivate var changeID: MessageID {
        (request as? any MessageChange)?.change.id ?? .random()
    }
}
