import MQTTClient
import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// What changes of a group cause: what is written, who hears what, and what is answered.
@Suite("Members who come and go", .onEveryStore)
struct MembershipWriterTests {
    private let test: TestWriter
    private let id: ConversationID
    private let alice = device("alice", "phone")
    private let bob = device("bob", "phone")
    private let carol = device("carol", "phone")

    /// alice has made a group of herself and bob; carol is her friend, dave lets anyone write, erin is alice's friend,
    /// too.
    init() throws {
        test = try TestWriter()
        try test.store.write { transaction in
            for user in ["dave", "erin"] as [UserID] {
                try transaction.users.insert(
                    user, role: .member, displayName: user.text, messagePrivacy: .anyone, at: at(0))
            }
        }
        for (one, other) in [("alice", "bob"), ("alice", "carol"), ("alice", "erin")] {
            for (follower, followed) in [(one, other), (other, one)] {
                try test.execute("INSERT INTO follows VALUES ('\(follower)', '\(followed)', 0)")
            }
        }
        id = .random()
        let json = #"{"type":"group","id":"\#(id)","name":"Runners","participant_ids":["bob"]}"#
        let made = test.carryOut([try request(CreateConversation.self, json)])
        try #require(try made.effects.outgoing.replies.map(\.isOK) == [true])
    }

    private func change(
        _ kind: any Command.Type, _ rest: String = "", from sender: DeviceAddress = device("alice", "phone"),
        now: Timestamp = at(10)
    ) throws -> Effects {
        let fields = rest.isEmpty ? "" : ",\(rest)"
        return test.carryOut([try request(kind, "{\"conversation_id\":\"\(id)\"\(fields)}", from: sender)], now: now)
            .effects
    }

    private func code(
        _ kind: any Command.Type, _ rest: String = "", from sender: DeviceAddress = device("alice", "phone")
    ) throws -> String? {
        let effects = try change(kind, rest, from: sender)
        let reply = try #require(try effects.outgoing.replies.first)
        if reply.isOK == false { #expect(try effects.outgoing.events.isEmpty && effects.audience.isEmpty) }
        return reply.code
    }

    /// Events as `topic: type`, topics without their ids.
    private func heard(_ effects: Effects) throws -> [String] {
        try effects.outgoing.events.map {
            "\($0.topic.split(separator: "/").dropFirst(2).filter { $0 != "\(id)" }.joined(separator: "/")): \($0.event ?? "")"
        }
    }

    private func notices(_ effects: Effects) throws -> [String] {
        try effects.outgoing.events.compactMap { event in
            (event.data["system"] as? [String: Any]).map {
                "\($0["event"] ?? "") \($0["user_id"] ?? "") \($0["by"] ?? "")"
            }
        }
    }

    @Test("who is added hears from then on, and everybody learns of it")
    func addedHearFromThenOn() throws {
        test.carryOut([try send(id), try send(id)])
        let effects = try change(AddMembers.self, #""user_ids":["carol","bob"]"#)
        #expect(
            effects.audience == [
                .conversation(
                    id, members: ["alice", "bob", "carol"], silences: [Silence(of: "carol", through: 2)])
            ])
        #expect(
            try heard(effects) == [
                "conversations/messages: message.new", "conversations/info: conversation.updated",
                "users/carol/events: conversation.created",
            ])
        #expect(try notices(effects) == ["member.added carol alice"])
        let reply = try #require(try effects.outgoing.replies.first)
        #expect(reply.data["last_seq"] as? Int == 3 && (reply.data["members"] as? [Any])?.count == 3)
        #expect(
            try test.text(
                "SELECT joined_seq || ' ' || visible_from || ' ' || read_seq FROM members WHERE user = 'carol'")
                == "2 2 2")
        // The notice is in the log, and nobody's unread message or the last one of the list.
        #expect(try test.text("SELECT group_concat(type) FROM records") == "0,0,7")
        #expect(try test.text("SELECT last_seq || ' ' || last_message_seq FROM conversations") == "3 2")
        let key = try #require(try test.store.read { try $0.conversations.conversation(id)?.key })
        #expect(try test.store.read { try $0.unread.count(of: "carol", in: key) } == 0)
        #expect(try test.store.read { try $0.unread.count(of: "bob", in: key) } == 2)
        #expect(try heard(try change(AddMembers.self, #""user_ids":["carol"]"#)).isEmpty)
    }

    @Test("a group may let those who come see its whole history")
    func wholeHistoryForNewcomers() throws {
        let test = try TestWriter { $0.newMembersSeeHistory = true }
        for pair in ["'alice', 'bob'", "'bob', 'alice'"] { try test.execute("INSERT INTO follows VALUES (\(pair), 0)") }
        let made = try test.conversation(["alice", "carol"], now: at(0))
        try test.execute("UPDATE members SET role = 'admin' WHERE user = 'alice'")
        test.carryOut([
            try send(made), try request(AddMembers.self, #"{"conversation_id":"\#(made)","user_ids":["bob"]}"#),
        ])
        #expect(try test.text("SELECT joined_seq || ' ' || visible_from FROM members WHERE user = 'bob'") == "1 0")
        let key = try #require(try test.store.read { try $0.conversations.conversation(made)?.key })
        #expect(try test.store.read { try $0.unread.count(of: "bob", in: key) } == 0)
    }

    @Test("who is removed hears nothing from then on, is told, and is in nobody's way")
    func removedHearNothing() throws {
        _ = try change(AddMembers.self, #""user_ids":["carol"]"#)
        _ = try change(StartTyping.self, from: carol)
        let effects = try change(RemoveMember.self, #""user_id":"carol""#)
        #expect(effects.audience == [.conversation(id, members: ["alice", "bob"])])
        #expect(
            try heard(effects) == [
                "conversations/messages: message.new", "conversations/info: conversation.updated",
                "users/carol/events: conversation.removed", "conversations/typing: typing.indicator",
            ])
        #expect(try notices(effects) == ["member.removed carol alice"])
        for kind in [UpdateConversation.self, SetRole.self, StartTyping.self] as [any Command.Type] {
            let rest = kind == SetRole.self ? #""user_id":"bob","role":"admin""# : ""
            let refused = try change(kind, rest, from: carol)
            #expect(try refused.outgoing.events.isEmpty)
            #expect(try refused.outgoing.replies.map(\.code) == (kind == StartTyping.self ? [] : ["not_found"]))
        }
        #expect(try test.carryOut([try send(id, from: carol)]).effects.outgoing.published.map(\.code) == ["not_found"])
        #expect(try code(RemoveMember.self, #""user_id":"carol""#) == nil)
        #expect(try code(RemoveMember.self, #""user_id":"nobody""#) == nil)
    }

    @Test("a request in the same batch meets the members as they are then")
    func sameBatchSeesTheMembers() throws {
        let named = "\"conversation_id\":\"\(id)\""
        let outcome = test.carryOut([
            try send(id, from: carol),
            try request(AddMembers.self, "{\(named),\"user_ids\":[\"carol\"]}"), try send(id, from: carol),
            try request(RemoveMember.self, "{\(named),\"user_id\":\"carol\"}"), try send(id, from: carol),
            try request(AddMembers.self, "{\(named),\"user_ids\":[\"carol\"]}"), try send(id, from: carol),
        ])
        #expect(
            try outcome.effects.outgoing.replies.map(\.code)
                == ["not_found", nil, nil, nil, "not_found", "forbidden", "not_found"])
        #expect(
            outcome.effects.audience == [
                .conversation(id, members: ["alice", "bob", "carol"]), .conversation(id, members: ["alice", "bob"]),
            ])
    }

    @Test("who has left or was removed is put back by nobody, and the refusal says nothing more")
    func leaversAreNotPutBack() throws {
        _ = try change(AddMembers.self, #""user_ids":["carol"]"#)
        _ = try change(RemoveMember.self, #""user_id":"carol""#)
        _ = try change(LeaveConversation.self, from: bob)
        let refused = try ["bob", "carol", "dave"].map { user in
            try #require(try change(AddMembers.self, "\"user_ids\":[\"\(user)\"]").outgoing.replies.first)
        }
        #expect(refused.map(\.code) == ["forbidden", "forbidden", nil])
        try test.execute("INSERT INTO blocks (blocker, blocked, created_at) VALUES ('dave', 'alice', 0)")
        _ = try change(RemoveMember.self, #""user_id":"dave""#)
        let blocked = try #require(try change(AddMembers.self, #""user_ids":["dave"]"#).outgoing.replies.first)
        #expect(Set([refused[0], refused[1], blocked].map(\.payload)).count == 1)
        // Nor together with somebody who was never there, who may be added alone.
        #expect(try code(AddMembers.self, #""user_ids":["erin","carol"]"#) == "forbidden")
        #expect(try test.text("SELECT group_concat(user) FROM members") == "alice")
        #expect(try code(AddMembers.self, #""user_ids":["erin"]"#) == nil)
        // Into another group one may put them.
        let other = try request(CreateConversation.self, #"{"type":"group","participant_ids":["bob","carol"]}"#)
        #expect(try test.carryOut([other]).effects.outgoing.replies.map(\.isOK) == [true])
    }

    @Test("repeating the making of a group brings back nobody who has left it")
    func repeatedMakingBringsNobodyBack() throws {
        let json = #"{"type":"group","id":"\#(id)","name":"Runners","participant_ids":["bob"]}"#
        _ = try change(LeaveConversation.self, from: bob)
        let again = test.carryOut([try request(CreateConversation.self, json)]).effects
        #expect(try again.outgoing.replies.map(\.isOK) == [true] && again.outgoing.events.isEmpty)
        #expect(try test.text("SELECT group_concat(user) FROM members") == "alice")
    }

    @Test("keys are asked of the members there are at the very next message")
    func keysOfPresentMembers() throws {
        for address in [bob, carol] {
            try test.execute(
                "UPDATE devices SET identity_key = zeroblob(32), keys_at = 0 WHERE user = '\(address.user)' AND id = 'phone'"
            )
        }
        func sealed(for devices: [DeviceAddress]) throws -> String? {
            let message = SendMessage(
                id: .random(), conversation: id, type: .text, suite: .groupBox,
                content: [UInt8](repeating: 1, count: 32), nonce: [UInt8](repeating: 9, count: 24),
                recipientKeys: devices.map { RecipientKey(address: $0, encryptedKey: [UInt8](repeating: 2, count: 72)) }
            )
            let incoming = try request(SendMessage.self, String(decoding: message.payload(), as: UTF8.self))
            return try test.carryOut([incoming]).effects.outgoing.replies.first?.code
        }
        #expect(try sealed(for: [bob]) == nil)
        _ = try change(AddMembers.self, #""user_ids":["carol"]"#)
        #expect(try sealed(for: [bob]) == "stale_devices")
        #expect(try sealed(for: [bob, carol]) == nil)
        _ = try change(RemoveMember.self, #""user_id":"carol""#)
        #expect(try sealed(for: [bob, carol]) == "stale_devices")
        #expect(try sealed(for: [bob]) == nil)
    }

    @Test("the last admin's leaving promotes the longest member, and the last one's ends it")
    func lastAdminLeaves() throws {
        _ = try change(AddMembers.self, #""user_ids":["carol"]"#)
        let effects = try change(LeaveConversation.self)
        #expect(try notices(effects) == ["member.left alice alice", "role.changed bob alice"])
        #expect(
            try test.text("SELECT group_concat(user || ' ' || role) FROM (SELECT * FROM members ORDER BY user) AS m")
                == "bob admin,carol member")
        #expect(try code(SetRole.self, #""user_id":"carol","role":"admin""#, from: bob) == nil)
        #expect(try code(SetRole.self, #""user_id":"bob","role":"member""#, from: bob) == nil)
        _ = try change(LeaveConversation.self, from: bob)
        let last = try change(LeaveConversation.self, from: carol)
        #expect(last.audience == [.conversationEnded(id)])
        let info = try #require(last.outgoing.items.first { $0.message.isRetained })
        #expect(last.outgoing.bytes[info.message.payload].isEmpty && info.position != nil)
        #expect(try test.text("SELECT count(*) FROM outbox WHERE retain = 1 AND length(payload) = 0") == "1")
        #expect(try code(AddMembers.self, #""user_ids":["alice"]"#, from: carol) == "not_found")
    }

    @Test("leaving again is answered as the first time, and tells nothing newer")
    func leavingAgain() throws {
        _ = try change(AddMembers.self, #""user_ids":["carol"]"#)
        let first = try change(LeaveConversation.self, from: carol)
        _ = try change(UpdateConversation.self, #""name":"Secret plans""#, now: at(20))
        let again = try change(LeaveConversation.self, from: carol, now: at(30))
        let replies = try [first, again].map {
            String(decoding: try #require(try $0.outgoing.replies.first).payload, as: UTF8.self)
        }
        #expect(replies[0] == replies[1] && replies[0].contains("Runners"))
        #expect(try again.outgoing.events.isEmpty && again.audience.isEmpty)
        // Who was removed may leave as well; who never was there may not.
        _ = try change(RemoveMember.self, #""user_id":"bob""#)
        #expect(try code(LeaveConversation.self, from: bob) == nil)
        #expect(try code(LeaveConversation.self, from: device("operator", "console")) == "not_found")
    }

    @Test("what is refused changes nothing and reveals nothing")
    func refusedChangesNothing() throws {
        try test.execute("INSERT INTO blocks (blocker, blocked, created_at) VALUES ('carol', 'alice', 0)")
        try test.execute("INSERT INTO blocks (blocker, blocked, created_at) VALUES ('alice', 'dave', 0)")
        let refused = try ["carol", "dave"].map { user in
            try #require(try change(AddMembers.self, "\"user_ids\":[\"\(user)\"]").outgoing.replies.first)
        }
        #expect(refused.map(\.code) == ["forbidden", "forbidden"] && refused[0].payload == refused[1].payload)
        #expect(try code(AddMembers.self, #""user_ids":["nobody"]"#) == "not_found")
        #expect(try code(AddMembers.self, #""user_ids":["operator"]"#) == "not_found")
        #expect(try code(AddMembers.self, #""user_ids":["carol"]"#, from: bob) == "forbidden")
        #expect(try code(AddMembers.self, #""user_ids":["carol"]"#, from: carol) == "not_found")
        #expect(try code(SetRole.self, #""user_id":"alice","role":"member""#) == "forbidden")
        #expect(try test.text("SELECT count(*) FROM members") == "2")
        #expect(try test.text("SELECT count(*) FROM records") == "0")
    }

    @Test("a name is everybody's, and the same name is no news")
    func nameIsEverybodys() throws {
        let effects = try change(UpdateConversation.self, #""name":"Walkers""#)
        #expect(
            try heard(effects) == ["conversations/messages: message.new", "conversations/info: conversation.updated"])
        #expect(try notices(effects) == ["conversation.renamed <null> alice"])
        #expect(try effects.outgoing.replies.first?.data["name"] as? String == "Walkers")
        #expect(try heard(try change(UpdateConversation.self, #""name":"Walkers""#)).isEmpty)
        #expect(try code(UpdateConversation.self, #""name":"x","is_muted":true"#, from: bob) == "forbidden")
        #expect(try test.text("SELECT sum(is_muted) FROM members") == "0")
        #expect(
            try change(UpdateConversation.self, #""name":null"#).outgoing.replies.first?.data["name"] is String == false
        )
    }

    @Test("what is one's own is told to one's own devices, once")
    func ownChangesGoToOwnDevices() throws {
        let effects = try change(UpdateConversation.self, #""is_muted":true,"is_archived":true,"is_unread":true"#)
        #expect(try heard(effects) == ["users/alice/events: conversation.settings"])
        let event = try #require(try effects.outgoing.events.first)
        #expect(event.data["is_muted"] as? Bool == true && event.data["is_archived"] as? Bool == true)
        let reply = try #require(try effects.outgoing.replies.first)
        #expect(reply.data["unread_count"] as? Int == 0 && reply.data["is_unread"] as? Bool == true)
        #expect(try heard(try change(UpdateConversation.self, #""is_muted":true"#)).isEmpty)
        #expect(
            try test.text("SELECT sum(is_muted + is_archived + is_marked_unread) FROM members WHERE user = 'bob'")
                == "0")
    }

    @Test("archiving and a message in one batch are taken in their order")
    func archivingAndMessageInOrder() throws {
        let archive = try request(UpdateConversation.self, "{\"conversation_id\":\"\(id)\",\"is_archived\":true}")
        func archived() throws -> String? { try test.text("SELECT is_archived FROM members WHERE user = 'alice'") }
        test.carryOut([archive, try send(id, from: bob)])
        #expect(try archived() == "0")
        test.carryOut([try send(id, from: bob), archive])
        #expect(try archived() == "1")
        let bobs = try request(
            UpdateConversation.self, "{\"conversation_id\":\"\(id)\",\"is_archived\":true}", from: bob)
        test.carryOut([try send(id), bobs])
        #expect(try archived() == "0" && test.text("SELECT is_archived FROM members WHERE user = 'bob'") == "1")
    }
}
