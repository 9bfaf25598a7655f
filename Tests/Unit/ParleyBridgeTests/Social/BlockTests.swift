import Foundation
import ParleyProtocol
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// Blocking: what ends at once, and what nobody learns.
@Suite("Blocks", .onEveryStore)
struct BlockTests {
    private let world: SocialWorld

    init() throws { world = try SocialWorld() }

    @Test("a block silences the conversation, ends the friendship and tells the blocker's devices whom to hide")
    func blockSilences() throws {
        let id = try ConversationID.direct(["alice", "bob"])
        try world.befriend("alice", "bob")
        try world.create(by: "alice", with: "bob")
        let blocked = try world.ask(Block.self, by: "bob", of: "alice")
        #expect(
            blocked.audience == [
                .conversation(id, members: ["alice", "bob"], silences: [Silence(of: "bob")]),
                .friendsEnded("alice", "bob"),
            ])
        #expect(
            blocked.events == [
                "users/alice/events: friend.removed", "users/bob/events: friend.removed",
                "users/bob/events: user.blocked",
            ])
        #expect(try world.write("bob", to: "alice").code == "blocked")
        #expect(try world.write("alice", to: "bob").code == "request_limit")
        #expect(try world.canMessage("bob", "alice") == "may not: blocked")
        #expect(try world.canMessage("alice", "bob") == "may not, limited: request_limit")
        let again = try world.ask(Block.self, by: "bob", of: "alice")
        #expect(again.reply.isOK == true && again.events.isEmpty && again.audience.isEmpty)

        let unblocked = try world.ask(Unblock.self, by: "bob", of: "alice")
        #expect(
            unblocked.audience == [
                .conversation(id, members: ["alice", "bob"]), .friends("alice", "bob"),
            ])
        #expect(
            unblocked.events == [
                "users/alice/events: friend.added", "users/bob/events: friend.added",
                "users/bob/events: user.unblocked",
            ])
        #expect(try world.write("alice", to: "bob").reply.isOK == true)
    }

    @Test("a block ends the waiting request for good, and nobody can say so")
    func blockEndsRequest() throws {
        try world.askToWrite(by: "alice", to: "bob")
        try world.ask(Block.self, by: "bob", of: "alice")
        #expect(try (world.read(ListRequests.self, by: "bob").data["items"] as? [Any])?.isEmpty == true)
        #expect(try world.ask(AcceptRequest.self, by: "bob", try direct("alice", "bob")).code == "not_found")
        try world.ask(Unblock.self, by: "bob", of: "alice")
        #expect(try world.ask(AcceptRequest.self, by: "bob", try direct("alice", "bob")).code == "not_found")
        #expect(try world.write("alice", to: "bob").code == "request_limit")
    }

    // MARK: What the blocked write

    /// Alice, whom bob has blocked, in a conversation in which both have written.
    private func blocked(_ world: SocialWorld) throws -> ConversationID {
        let id = try ConversationID.direct(["alice", "bob"])
        try world.befriend("alice", "bob")
        try world.create(by: "alice", with: "bob")
        for user in ["alice", "bob"] as [UserID] { try world.write(user, to: user == "alice" ? "bob" : "alice") }
        try world.ask(Block.self, by: "bob", of: "alice")
        return id
    }

    @Test("the one message that a stranger may send is taken from whom was blocked, and shown to nobody else")
    func blockedMessageIsHidden() throws {
        let id = try blocked(world)
        let conversation = try direct("alice", "bob")
        #expect(try world.write("alice", to: "bob").code == "request_limit")
        let later = at(30 * 86_400_000)
        #expect(try world.canMessage("alice", "bob", now: later) == "may, limited: request")
        func seen(by user: UserID) throws -> [[UInt8]] {
            let message = try world.read(GetHistory.self, by: user, conversation, now: later)
            return try [
                message, world.read(GetConversation.self, by: user, conversation, now: later),
                world.read(ListConversations.self, by: user, now: later),
                world.read(SyncRequest.self, by: user, #"{"cursors":{}}"#, now: later),
                world.read(ListRequests.self, by: user, now: later),
            ].map(\.payload)
        }
        let before = try seen(by: "bob")
        let hidden = MessageID.random()
        let sent = try world.write("alice", to: "bob", id: hidden, now: later)
        #expect(sent.reply.seq == 3)
        #expect(sent.events == ["conversations/\(id)/messages: message.new"] && sent.audience.isEmpty)
        #expect(try world.write("alice", to: "bob", now: later).code == "request_limit")
        #expect(try world.write("alice", to: "bob", id: hidden, now: later).reply.payload == sent.reply.payload)

        #expect(try seen(by: "bob") == before)
        for kind in [MarkRead.self, MarkDelivered.self] as [any Command.Type] {
            let receipt = try request(
                kind, #"{"conversation_id":"\#(id)","message_id":"\#(hidden)"}"#, from: device("bob", "phone"))
            #expect(try world.result(of: receipt, now: later).code == "not_found")
        }
        let report = #"{"id":"\#(MessageID.random())","reason":"r","message_id":"\#(hidden)"}"#
        #expect(try world.ask(CreateReport.self, by: "bob", report, now: later).code == "not_found")

        let own = try seen(by: "alice").map { String(decoding: $0, as: UTF8.self) }
        for reply in own[..<4] { #expect(reply.contains("\"last_seq\":3")) }
        for index in [0, 2, 3] { #expect(own[index].contains("\(hidden)")) }
    }

    @Test("once something follows it, a hidden message is a place without ciphertext, for ever")
    func hiddenMessageLosesCiphertext() throws {
        let id = try blocked(world)
        let (later, conversation) = (at(30 * 86_400_000), try direct("alice", "bob"))
        let hidden = MessageID.random()
        try world.write("alice", to: "bob", id: hidden, now: later)
        try world.ask(Unblock.self, by: "bob", of: "alice", now: later)
        let read = try world.read(ListConversations.self, by: "bob", now: later)
        #expect(!String(decoding: read.payload, as: UTF8.self).contains("\(hidden)"))
        #expect(try world.write("bob", to: "alice", now: later).reply.seq == 4)
        let history = try world.read(GetHistory.self, by: "bob", conversation, now: later)
        let messages = try #require(history.data["messages"] as? [[String: Any]])
        #expect(messages.map { $0["seq"] as? Int } == [1, 2, 3, 4])
        #expect(messages.map { $0["encrypted_content"] is String } == [true, true, false, true])
        let own = try world.read(GetHistory.self, by: "alice", conversation, now: later)
        let whole = try #require(own.data["messages"] as? [[String: Any]])
        #expect(whole.allSatisfy { $0["encrypted_content"] is String })
        for kind in [RecordKind.edit, .reaction] {
            let changed = try change(kind, hidden, in: id, from: device("bob", "phone"))
            #expect(try world.result(of: changed, now: later).code == "not_found")
        }
        let reply = try send(id, from: device("bob", "phone"), replyTo: hidden)
        #expect(try world.result(of: reply, now: later).code == "not_found")
        #expect(try world.ask(AcceptRequest.self, by: "bob", conversation, now: later).reply.isOK == true)
        let listing = try world.read(ListConversations.self, by: "bob", now: later)
        let first = try #require((listing.data["conversations"] as? [[String: Any]])?.first)
        #expect(first["unread_count"] as? Int == 1 && first["last_seq"] as? Int == 4)
    }

    @Test("what the blocked delete is deleted for everybody, and moves the conversation for themselves alone")
    func blockedDeleteTheirOwn() throws {
        let id = try ConversationID.direct(["alice", "bob"])
        let message = MessageID.random()
        try world.befriend("alice", "bob")
        try world.create(by: "alice", with: "bob")
        try world.write("alice", to: "bob", id: message)
        try world.ask(Block.self, by: "bob", of: "alice")
        let deleted = try change(.delete, message, in: id, from: device("alice", "phone"))
        #expect(try world.result(of: deleted, now: at(5)).reply.seq == 2)
        for (user, places) in [("alice", [1, 2]), ("bob", [1])] as [(UserID, [Int])] {
            let history = try world.read(GetHistory.self, by: user, try direct("alice", "bob"))
            let messages = try #require(history.data["messages"] as? [[String: Any]])
            #expect(messages.map { $0["seq"] as? Int } == places)
            #expect(messages.allSatisfy { $0["encrypted_content"] is NSNull })
        }
    }

    /// Who was blocked, and who has spent their request with another stranger, see the same, byte for byte.
    @Test("whoever was blocked sees what a stranger with a spent request sees")
    func blockedSeeASpentRequest() throws {
        for other in ["bob", "carol"] as [UserID] { try world.askToWrite(by: "alice", to: other) }
        try world.ask(Block.self, by: "bob", of: "alice")

        func both(_ ask: (UserID) throws -> [UInt8]) throws -> [String] {
            try (["bob", "carol"] as [UserID]).map { other in
                let id = try ConversationID.direct(["alice", other]).description
                let text = String(decoding: try ask(other), as: UTF8.self)
                return text.replacing("\"\(other)\"", with: "\"other\"").replacing(id, with: "conversation")
                    .replacing(/"epoch":"[^"]*"/, with: "epoch")
            }
        }
        func same(_ what: String, _ ask: (UserID) throws -> [UInt8]) throws {
            let answers = try both(ask)
            #expect(answers[0] == answers[1], "\(what)")
        }
        try same("can-message") { try world.read(CanMessage.self, by: "alice", #"{"user_id":"\#($0)"}"#).payload }
        try same("send") { try world.write("alice", to: $0).reply.payload }
        try same("create") { try world.create(by: "alice", with: $0).reply.payload }
        try same("get") { try world.read(GetConversation.self, by: "alice", try direct("alice", $0)).payload }
        try same("follow") { other in
            let followed = try world.ask(Follow.self, by: "alice", of: other)
            return followed.reply.payload + (try world.ask(Unfollow.self, by: "alice", of: other)).reply.payload
        }
        try same("profile") { try world.read(GetProfile.self, by: "alice", #"{"user_id":"\#($0)"}"#).payload }
        try same("followers") { try world.read(ListFollowers.self, by: "alice", #"{"user_id":"\#($0)"}"#).payload }
        try same("following") { try world.read(ListFollowing.self, by: "alice", #"{"user_id":"\#($0)"}"#).payload }
        try same("a reply to nothing") { other in
            let id = try ConversationID.direct(["alice", other])
            return try world.result(of: try send(id, from: device("alice", "phone"), replyTo: .random())).reply.payload
        }
    }

    @Test("in groups both stay, and a group is not made of people who may not write to each other")
    func groupsStay() throws {
        let world = try SocialWorld(privacy: .anyone)
        let group = try world.ask(
            CreateConversation.self, by: "alice", #"{"type":"group","participant_ids":["bob","carol"]}"#)
        let name = try #require(group.reply.data["id"] as? String)
        let id = try #require(ConversationID(name))
        try world.ask(Block.self, by: "bob", of: "alice")
        for user in ["alice", "bob", "carol"] as [UserID] {
            #expect(try world.result(of: try send(id, from: device(user, "phone"))).reply.isOK == true)
        }
        for inviter in ["alice", "bob"] as [UserID] {
            let other: UserID = inviter == "alice" ? "bob" : "alice"
            let refused = try world.ask(
                CreateConversation.self, by: inviter, #"{"type":"group","participant_ids":["carol","\#(other)"]}"#)
            #expect(refused.code == "forbidden" && refused.events.isEmpty)
        }
        #expect(try world.test.text("SELECT count(*) FROM conversations") == "1")
    }

    @Test("nobody follows whom they have blocked, or themselves, or nobody")
    func blockedAreNotFollowed() throws {
        try world.ask(Block.self, by: "alice", of: "bob")
        #expect(try world.ask(Follow.self, by: "alice", of: "bob").code == "blocked")
        for kind in [Follow.self, Unfollow.self, Block.self, Unblock.self] as [any Command.Type] {
            #expect(try world.ask(kind, by: "alice", of: "alice").code == "bad_request")
            for nobody in ["nobody", "operator"] as [UserID] {
                #expect(try world.ask(kind, by: "alice", of: nobody).code == "not_found")
            }
        }
        #expect(try world.test.text("SELECT count(*) FROM follows") == "0")
    }
}
