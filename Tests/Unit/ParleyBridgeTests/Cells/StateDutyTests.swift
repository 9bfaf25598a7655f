import MQTTClient
import ParleyProtocol
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// What a cell publishes of states because other cells have changed them, or may have.
@Suite("State that several cells change")
struct StateDutyTests {
    private let test: TestWriter

    init() throws { test = try TestWriter(cells: ListedCells()) }

    /// What is published after an event of another cell, with the payloads that are empty.
    private func published(after topic: Topic, payload: String = #"{"type":"old"}"#) throws -> [(String, String)] {
        let duty = try #require(test.writer.duties[StateDuty.self])
        duty.add([.retained(topic): Array(payload.utf8)])
        let outgoing = test.writer.run(due: duty, now: at(100)).outgoing
        #expect(duty.isEmpty)
        return outgoing.items.map { item in
            #expect(item.position == nil && item.message.isRetained && item.message.qos == .atLeastOnce)
            return (
                String(decoding: outgoing.bytes[item.message.topic], as: UTF8.self),
                String(decoding: outgoing.bytes[item.message.payload], as: UTF8.self)
            )
        }
    }

    @Test("an event of a group has its info published as the database has it, whatever the event says")
    func info() throws {
        let group = try test.conversation(["alice", "bob"])
        try test.execute("UPDATE conversations SET name = 'The newest'")
        let found = try published(after: .conversation(group, .info))
        #expect(found.map { $0.0 } == ["parley/v1/conversations/\(group)/info"])
        #expect(found.allSatisfy { $0.1.contains(#""name":"The newest""#) })
        #expect(try test.text("SELECT count(*) FROM outbox") == "0")
    }

    @Test("what has ended is taken back, also if the event is of before")
    func ended() throws {
        let group = try test.conversation(["alice", "bob"])
        try test.execute("DELETE FROM members")
        for topic in [
            Topic.conversation(group, .info), .user("nobody", .presence), .group(GroupID.random(), .streak),
        ] { #expect(try published(after: topic).map { $0.1 } == [""]) }
    }

    @Test("of a direct conversation it is the event itself, as both saw it at the beginning")
    func direct() throws {
        _ = test.carryOut([try request(CreateConversation.self, #"{"type":"direct","participant_ids":["bob"]}"#)])
        let ids: [ConversationID] = try test.store.read {
            try $0.database.list("SELECT id FROM conversations") { try $0.uuid(0) }
        }
        let id = try #require(ids.first)
        #expect(try published(after: .conversation(id, .info)).map { $0.1 } == [#"{"type":"old"}"#])
    }

    @Test("presence is as friends see it now")
    func presence() throws {
        try test.execute("INSERT INTO presence (user, state) VALUES ('alice', 'online')")
        #expect(try published(after: .user("alice", .presence)).map { $0.1.contains(#""state":"online""#) } == [true])
        try test.execute("UPDATE users SET presence = 'nobody' WHERE id = 'alice'")
        #expect(try published(after: .user("alice", .presence)).map { $0.1.contains(#""state":"offline""#) } == [true])
    }

    @Test("a board is the one of the current week")
    func board() throws {
        let id = GroupID.random()
        try test.group(["alice", "bob"], id: id)
        let found = try published(after: .group(id, .checkIns))
        #expect(found.map { $0.0 } == ["parley/v1/groups/\(id)/leaderboards/check-ins"])
        #expect(found.allSatisfy { $0.1.contains("leaderboard.updated") })
    }

    @Test("after the cell was away its broker is given all boards and info of all groups, though it is the same")
    func returned() throws {
        try test.group(["alice", "bob"])
        let (info, boards) = (
            try #require(test.writer.duties[InfoDuty.self]), try #require(test.writer.duties[BoardDuty.self])
        )
        func published(from time: Int64) throws -> Set<String> {
            var topics: Set<String> = []
            for now in [at(time), at(time + 1_000), at(time + 2_000)] {
                for duty in [info, boards] as [any Duty] {
                    let outgoing = test.writer.run(due: duty, now: now).outgoing
                    #expect(outgoing.items.allSatisfy { $0.position == nil && $0.message.isRetained })
                    topics.formUnion(try outgoing.published.map { String($0.topic.split(separator: "/").last ?? "") })
                }
            }
            return topics
        }
        let reports = PresenceReport.set(of: [], broker: 1)
        info.handle(reports)
        boards.clock.handle(reports)
        #expect(try published(from: 0) == ["info", "check-ins", "streak"])
        #expect(try published(from: 10_000).isEmpty)
        info.recordReturn()
        boards.clock.recordReturn()
        #expect(try published(from: 20_000) == ["info", "check-ins", "streak"])
        #expect(try published(from: 30_000).isEmpty)
    }

    @Test("events of other cells are told from what only devices hear")
    func told() {
        func event(_ topic: Topic, retain: Bool) -> UnpublishedEvent {
            .event(position: 1, topic: Array(topic.name.utf8), payload: [1], retain: retain, unread: nil)
        }
        let presence = Topic.user("alice", .presence)
        #expect(event(presence, retain: true).state?.subject == .retained(presence))
        #expect(event(presence, retain: false).state == nil)
        #expect(event(.user("alice", .events), retain: true).state == nil)
        #expect(event(.user("alice", .events), retain: false).state == nil)
    }

    /// What an event of a user tells.
    private func subject(_ payload: String) -> StateSubject? {
        UnpublishedEvent.event(
            position: 1, topic: Array(Topic.user("alice", .events).name.utf8), payload: Array(payload.utf8),
            retain: false, unread: nil
        ).state?.subject
    }

    private static let conversation = ConversationID.random()
    private static let removal = #"{"conversation_id":"\#(conversation)"}"#

    private static func written(_ event: some PublishedEvent) -> String {
        var writer = JSONWriter()
        let payload = writer.document { event.writeEvent(to: &$0) }
        return String(decoding: writer.bytes[payload], as: UTF8.self)
    }

    @Test(
        "that somebody has left is told by every spelling",
        arguments: [
            written(ConversationRemoval(conversation: conversation)),
            #" { "type" : "conversation.removed" , "data" : \#(removal) } "#,
            #"{"data":\#(removal),"type":"conversation.removed"}"#,
            #"{"data":{"type":"week.ended",\#(removal.dropFirst()),"type":"conversation.removed"}"#,
            #"{"other":"type","type":"conversation.removed","data":\#(removal)}"#,
            #"{"typ\u0065":"conversation.removed","data":\#(removal)}"#,
            #"{"type":"conversation\u002eremoved","data":\#(removal)}"#,
        ])
    func left(_ payload: String) {
        #expect(subject(payload) == .left("alice", Self.conversation))
        for length in 0..<payload.utf8.count - 1 { #expect(subject(String(payload.prefix(length))) == nil) }
    }

    @Test(
        "nothing is told by what only looks so",
        arguments: [
            #"{"type":"week.ended","data":{"type":"conversation.removed",\#(removal.dropFirst())}"#,
            #"{"data":{"type":"conversation.removed",\#(removal.dropFirst()),"type":"week.ended"}"#,
            #"{"type":"week.ended","type":"conversation.removed","data":\#(removal)}"#,
            #"{"type":"conversation.removed","typ\u0065":"conversation.removed","data":\#(removal)}"#,
            #"{"type":"conversation.removed.","data":\#(removal)}"#,
            #"{"type":"conversation.removed","data":\#(removal)}}"#,
            #"{"type":["conversation.removed"],"data":\#(removal)}"#,
            #"["type","conversation.removed"]"#, #"{"type""#, #"{"type":"\"#, "{\"", "{", "",
        ])
    func notLeft(_ payload: String) { #expect(subject(payload) == nil) }

    @Test("that somebody has joined or left a conversation is told if it is so now")
    func memberships() throws {
        let group = try test.conversation(["alice", "bob"])
        let duty = try #require(test.writer.duties[StateDuty.self])
        func told() throws -> [String] {
            let subjects: [StateSubject] = [
                .joined("bob", group), .left("bob", group), .joined("carol", group), .left("carol", group),
            ]
            duty.add(
                Dictionary(uniqueKeysWithValues: subjects.map { ($0, Array(#"{"type":"\#($0)"}"#.utf8)) }))
            let outgoing = test.writer.run(due: duty, now: at(100)).outgoing
            return outgoing.items.map { item in
                #expect(item.position == nil && !item.message.isRetained)
                return String(decoding: outgoing.bytes[item.message.topic], as: UTF8.self)
            }.sorted()
        }
        let topics = ["bob", "carol"].map { "parley/v1/users/\($0)/events" }
        #expect(try told() == topics)
        try test.execute("DELETE FROM members WHERE user = 'bob'")
        #expect(try told() == topics)
    }
}
