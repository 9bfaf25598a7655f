import MQTTClient
import ParleyProtocol
import ParleyStore
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge

/// What making conversations, keys and typing cause.
@Suite("Conversations, first messages, typing and keys", .onEveryStore)
struct ConversationWriterTests {
    private let test: TestWriter

    init() throws { test = try TestWriter() }

    @Test("both users of a direct conversation make the same one, whoever asks first")
    func directIsTheSameForBoth() throws {
        let first = test.carryOut([
            try request(CreateConversation.self, #"{"type":"direct","participant_ids":["bob"]}"#)
        ])
        #expect(
            try first.effects.outgoing.events.map(\.topic.tail) == [
                "users/alice/events", "users/bob/events", "info",
            ])
        #expect(try first.effects.outgoing.events.map(\.isRetained) == [false, false, true])
        #expect(try first.effects.outgoing.events.map(\.position) == [1, 2, 3])
        #expect(try test.text("SELECT group_concat(position) FROM outbox") == "1,2,3")
        let id = try #require(try first.effects.outgoing.replies.first?.data["id"] as? String)
        let conversation = try #require(ConversationID(id))
        #expect(first.effects.audience == [.conversation(conversation, members: ["alice", "bob"])])

        let again = test.carryOut([
            try request(
                CreateConversation.self, #"{"type":"direct","participant_ids":["alice"]}"#, from: device("bob", "phone")
            )
        ])
        #expect(try again.effects.outgoing.published.map { $0.data["id"] as? String } == [id])
        #expect(again.effects.audience.isEmpty)
    }

    @Test("a group made again is the same, and its id is nobody else's")
    func groupMadeAgain() throws {
        let id = ConversationID.random()
        func create(_ rest: String, from sender: DeviceAddress = device("alice", "phone")) throws -> Published? {
            let json = "{\"type\":\"group\",\"id\":\"\(id)\",\(rest)}"
            return try test.carryOut([try request(CreateConversation.self, json, from: sender)]).effects.outgoing
                .replies
                .first
        }
        #expect(try create(#""participant_ids":["bob","carol"]"#)?.isOK == true)
        #expect(try create(#""participant_ids":["carol","bob","bob"]"#)?.isOK == true)
        #expect(try create(#""participant_ids":["alice","carol"]"#, from: device("bob", "phone"))?.code == "conflict")
        #expect(try test.text("SELECT count(*) FROM conversations") == "1")
    }

    @Test("nobody makes a group under the id of two others' direct conversation")
    func groupUnderADirectID() throws {
        let id = try ConversationID.direct(["alice", "bob"])
        let json = "{\"type\":\"group\",\"id\":\"\(id)\",\"participant_ids\":[\"alice\"]}"
        let outcome = test.carryOut([
            try request(CreateConversation.self, json, from: device("carol", "phone")),
            try request(CreateConversation.self, #"{"type":"direct","participant_ids":["bob"]}"#),
        ])
        #expect(try outcome.effects.outgoing.replies.map(\.code) == ["bad_request", nil])
    }

    @Test(
        "who is not there is not found, and an operator is nobody",
        arguments: [
            (#"["nobody"]"#, "alice", "phone", "not_found"), (#"["operator"]"#, "alice", "phone", "not_found"),
            (#"["alice"]"#, "operator", "console", "forbidden"),
        ] as [(String, UserID, DeviceID, String)])
    func strangers(participants: String, user: UserID, name: DeviceID, code: String) throws {
        let json = #"{"type":"direct","participant_ids":\#(participants)}"#
        let outcome = test.carryOut([try request(CreateConversation.self, json, from: device(user, name))])
        #expect(try outcome.effects.outgoing.published.map(\.code) == [code])
    }

    @Test("typing is announced once, stored never, and ends by itself")
    func typingIsAnnouncedOnce() throws {
        let conversation = try test.conversation(["alice", "bob"])
        let json = "{\"conversation_id\":\"\(conversation)\"}"
        let outcome = test.carryOut(
            [try request(StartTyping.self, json), try request(StartTyping.self, json)], now: at(0))
        let events = try outcome.effects.outgoing.published
        #expect(events.map(\.event) == ["typing.indicator"])
        #expect(events.map(\.position) == [nil] && events.map(\.qos) == [.atMostOnce])
        #expect(test.writer.expireTyping(now: at(4999)).outgoing.isEmpty)
        let stop = try test.writer.expireTyping(now: at(5000)).outgoing.published
        #expect(stop.map { $0.data["is_typing"] as? Bool } == [false])
        let foreign = test.carryOut([try request(StartTyping.self, json, from: device("carol", "phone"))])
        #expect(foreign.effects.outgoing.isEmpty)
    }

    @Test("typing is announced where it was asked for, among the messages of its batch")
    func typingKeepsItsPlace() throws {
        let id = try test.conversation(["alice", "bob"])
        let json = #"{"conversation_id":"\#(id)"}"#
        let bob = device("bob", "phone")
        let outcome = test.carryOut([
            try request(StartTyping.self, json), try send(id), try request(StartTyping.self, json, from: bob),
            try request(StopTyping.self, json), try send(id, from: bob), try request(StopTyping.self, json, from: bob),
        ])
        let events = try outcome.effects.outgoing.events.map(\.event)
        let typing = "typing.indicator"
        #expect(events == [typing, "message.new", typing, typing, "message.new", typing])
    }

    @Test("keys of low order and false signatures are refused")
    func badKeysAreRefused() throws {
        let good = "CQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        let zero = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        let signature = String(repeating: "A", count: 86) + "=="
        let outcome = test.carryOut(
            try [
                "{\"identity_key\":\"\(good)\"}", "{\"identity_key\":\"\(zero)\"}",
                "{\"identity_key\":\"\(good)\",\"signing_key\":\"\(good)\",\"signature\":\"\(signature)\"}",
            ].map { try request(PublishKeys.self, $0) })
        #expect(try outcome.effects.outgoing.replies.map(\.code) == [nil, "bad_request", "bad_request"])
    }
}

extension String {
    /// What follows the ids of a topic, or the user's.
    fileprivate var tail: String {
        let levels = split(separator: "/")
        return levels.contains("users") ? levels.suffix(3).joined(separator: "/") : String(levels.last ?? "")
    }
}
