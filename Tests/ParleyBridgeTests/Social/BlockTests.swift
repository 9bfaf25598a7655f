import ParleyProtocol
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// Blocking: what ends at once, and what nobody learns.
struct BlockTests {
    @Test func `a block silences the conversation, ends the friendship and tells the blocker's devices whom to hide`()
        throws
    {
        let world = try SocialWorld()
        let id = try ConversationID.direct(["alice", "bob"])
        try world.befriend("alice", "bob")
        try world.create(by: "alice", with: "bob")
        let blocked = try world.ask(.block, by: "bob", of: "alice")
        #expect(
            blocked.audience == [
                .conversation(id, members: ["alice", "bob"], isSilent: true), .friendsEnded("alice", "bob"),
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
        let again = try world.ask(.block, by: "bob", of: "alice")
        #expect(again.reply.isOK == true && again.events.isEmpty && again.audience.isEmpty)

        let unblocked = try world.ask(.unblock, by: "bob", of: "alice")
        #expect(
            unblocked.audience == [
                .conversation(id, members: ["alice", "bob"], isSilent: false), .friends("alice", "bob"),
            ])
        #expect(
            unblocked.events == [
                "users/alice/events: friend.added", "users/bob/events: friend.added",
                "users/bob/events: user.unblocked",
            ])
        #expect(try world.write("alice", to: "bob").reply.isOK == true)
    }

    @Test func `a block ends the waiting request for good, and nobody can say so`() throws {
        let world = try SocialWorld()
        try world.askToWrite(by: "alice", to: "bob")
        try world.ask(.block, by: "bob", of: "alice")
        #expect(try (world.read(.listRequests, by: "bob").data["items"] as? [Any])?.isEmpty == true)
        #expect(try world.ask(.acceptRequest, by: "bob", try direct("alice", "bob")).code == "not_found")
        try world.ask(.unblock, by: "bob", of: "alice")
        #expect(try world.ask(.acceptRequest, by: "bob", try direct("alice", "bob")).code == "not_found")
        #expect(try world.write("alice", to: "bob").code == "request_limit")
    }

    /// Who was blocked, and who has spent his request with another stranger, see the same, byte for byte.
    @Test func `whoever was blocked sees what a stranger with a spent request sees`() throws {
        let world = try SocialWorld()
        for other in ["bob", "carol"] as [UserID] { try world.askToWrite(by: "alice", to: other) }
        try world.ask(.block, by: "bob", of: "alice")

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
        try same("can-message") { try world.read(.canMessage, by: "alice", #"{"user_id":"\#($0)"}"#).payload }
        try same("send") { try world.write("alice", to: $0).reply.payload }
        try same("create") { try world.create(by: "alice", with: $0).reply.payload }
        try same("get") { try world.read(.getConversation, by: "alice", try direct("alice", $0)).payload }
        try same("follow") { other in
            let followed = try world.ask(.follow, by: "alice", of: other)
            return followed.reply.payload + (try world.ask(.unfollow, by: "alice", of: other)).reply.payload
        }
        try same("profile") { try world.read(.getProfile, by: "alice", #"{"user_id":"\#($0)"}"#).payload }
        try same("followers") { try world.read(.listFollowers, by: "alice", #"{"user_id":"\#($0)"}"#).payload }
        try same("following") { try world.read(.listFollowing, by: "alice", #"{"user_id":"\#($0)"}"#).payload }
        try same("a reply to nothing") { other in
            let id = try ConversationID.direct(["alice", other])
            return try world.result(of: try send(id, from: device("alice", "phone"), replyTo: .random())).reply.payload
        }
    }

    @Test func `in groups both stay, and a group is not made of people who may not write to each other`() throws {
        let world = try SocialWorld(privacy: .anyone)
        let group = try world.ask(
            .createConversation, by: "alice", #"{"type":"group","participant_ids":["bob","carol"]}"#)
        let name = try #require(group.reply.data["id"] as? String)
        let id = try #require(ConversationID(name))
        try world.ask(.block, by: "bob", of: "alice")
        for user in ["alice", "bob", "carol"] as [UserID] {
            #expect(try world.result(of: try send(id, from: device(user, "phone"))).reply.isOK == true)
        }
        for inviter in ["alice", "bob"] as [UserID] {
            let other: UserID = inviter == "alice" ? "bob" : "alice"
            let refused = try world.ask(
                .createConversation, by: inviter, #"{"type":"group","participant_ids":["carol","\#(other)"]}"#)
            #expect(refused.code == "forbidden" && refused.events.isEmpty)
        }
        #expect(try world.test.text("SELECT count(*) FROM conversations") == "1")
    }

    @Test func `nobody follows whom he has blocked, or himself, or nobody`() throws {
        let world = try SocialWorld()
        try world.ask(.block, by: "alice", of: "bob")
        #expect(try world.ask(.follow, by: "alice", of: "bob").code == "blocked")
        for kind in [RequestKind.follow, .unfollow, .block, .unblock] {
            #expect(try world.ask(kind, by: "alice", of: "alice").code == "bad_request")
            for nobody in ["nobody", "operator"] as [UserID] {
                #expect(try world.ask(kind, by: "alice", of: nobody).code == "not_found")
            }
        }
        #expect(try world.test.text("SELECT count(*) FROM follows") == "0")
    }
}
