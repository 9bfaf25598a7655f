import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// For whom a conversation counts, and what is refused to whom has as many as they may have.
@Suite("Open conversations are limited", .onEveryStore)
struct OpenConversationsTests {
    private let world: SocialWorld
    private let others = (0..<6).map { UserID(validated: "u\($0)") }

    /// Everybody may have two.
    init() throws {
        world = try SocialWorld(privacy: .followers) {
            $0.openConversations = 2
            $0.groupsPerUser = 9
        }
        try world.test.addPeople(others)
    }

    private func group(by user: UserID, with other: UserID, id: ConversationID = .random()) throws -> SocialWorld.Result
    {
        try world.ask(
            CreateConversation.self, by: user, #"{"type":"group","id":"\#(id)","participant_ids":["\#(other)"]}"#)
    }

    private func counted(_ user: UserID) throws -> Int {
        try world.test.store.read { try $0.members.countedConversations(of: user, atMost: 100) }
    }

    /// Fills a user's room with groups that they make.
    @discardableResult
    private func fill(_ user: UserID, with friend: UserID = "u5") throws -> [ConversationID] {
        try world.befriend(user, friend)
        let ids = [ConversationID.random(), .random()]
        for id in ids { #expect(try group(by: user, with: friend, id: id).reply.isOK == true) }
        return ids
    }

    private func token(to id: GroupID, by user: UserID) throws -> String {
        let invite = try world.ask(CreateInvite.self, by: user, #"{"group_id":"\#(id)"}"#)
        return try #require(invite.reply.data["token"] as? String)
    }

    @Test("at the limit whatever opens one more is forbidden with the same sentence, and nothing is made")
    func refused() throws {
        let training = GroupID.random()
        try world.test.group(["bob"], id: training)
        let token = try token(to: training, by: "bob")
        try world.askToWrite(by: "u0", to: "alice")
        try fill("alice")
        let before = try world.test.text("SELECT count(*) FROM members WHERE is_open = 1")
        let refusals = [
            try group(by: "alice", with: "u5"),
            try world.create(by: "alice", with: "u1"),
            try world.ask(CreateGroup.self, by: "alice", #"{"name":"Runners"}"#),
            try world.ask(AcceptInvite.self, by: "alice", #"{"token":"\#(token)"}"#),
            try world.ask(AcceptRequest.self, by: "alice", try direct("alice", "u0")),
            try world.write("alice", to: "u0"),
        ]
        #expect(refusals.map(\.code) == Array(repeating: "forbidden", count: refusals.count))
        let sentences = Set(refusals.map(\.reply.message))
        #expect(sentences.count == 1 && sentences.first??.contains("open conversations") == true)
        #expect(refusals.allSatisfy { $0.events.isEmpty && $0.audience.isEmpty })
        #expect(try world.test.text("SELECT count(*) FROM members WHERE is_open = 1") == before)
        // The request still waits, and may be declined.
        #expect(try world.ask(DeclineRequest.self, by: "alice", try direct("alice", "u0")).reply.isOK == true)
    }

    @Test("who has no room is told so before the other is looked at, whatever the other has done")
    func beforeLook() throws {
        let world = try SocialWorld(privacy: .followers) {
            $0.openConversations = 1
            $0.strangerLookupsPerHour = 1
        }
        try world.test.addPeople(others)
        try world.create(by: "u0", with: "alice")
        #expect(try world.create(by: "alice", with: "carol").reply.isOK == true)
        // Of one who has made the conversation, of others who are there, and of nobody: no look is charged.
        for user in ["u0", "u1", "u2", "nobody"] as [UserID] {
            #expect(try world.create(by: "alice", with: user).code == "forbidden")
        }
        // What is theirs already needs no room.
        #expect(try world.create(by: "alice", with: "carol").reply.isOK == true)
    }

    @Test("what was made before is answered as before")
    func repeated() throws {
        try world.create(by: "alice", with: "u0")
        let made = ConversationID.random()
        try world.befriend("alice", "u5")
        let first = try group(by: "alice", with: "u5", id: made)
        #expect(try first.reply.isOK == true && counted("alice") == 2)
        #expect(try group(by: "alice", with: "u5", id: made).reply.payload == first.reply.payload)
        #expect(try world.create(by: "alice", with: "u0").reply.isOK == true)
        #expect(try group(by: "alice", with: "u5").code == "forbidden")
    }

    @Test("who leaves, is removed or ends a group has room again, at once")
    func roomAgain() throws {
        let groups = try fill("alice")
        #expect(try group(by: "alice", with: "u5").code == "forbidden")
        try world.ask(LeaveConversation.self, by: "alice", #"{"conversation_id":"\#(groups[0])"}"#)
        let training = GroupID.random()
        #expect(try world.ask(CreateGroup.self, by: "alice", #"{"id":"\#(training)","name":"a"}"#).reply.isOK == true)
        #expect(try group(by: "alice", with: "u5").code == "forbidden")
        try world.ask(DeleteGroup.self, by: "alice", #"{"group_id":"\#(training)"}"#)
        #expect(try group(by: "alice", with: "u5").reply.isOK == true)
        // By an invite, and out again by another's act.
        let joined = GroupID.random()
        try world.test.group(["bob"], id: joined)
        let token = try token(to: joined, by: "bob")
        try world.ask(LeaveConversation.self, by: "alice", #"{"conversation_id":"\#(groups[1])"}"#)
        #expect(try world.ask(AcceptInvite.self, by: "alice", #"{"token":"\#(token)"}"#).reply.isOK == true)
        #expect(try counted("alice") == 2)
        let removal = #"{"group_id":"\#(joined)","user_id":"alice"}"#
        #expect(try world.ask(RemoveGroupMember.self, by: "bob", removal).reply.isOK == true)
        #expect(try counted("alice") == 1)
    }

    @Test("several creations in one batch are counted one after the other")
    func oneBatch() throws {
        try world.befriend("alice", "u5")
        let requests = try (0..<5).map { _ in
            try request(CreateConversation.self, #"{"type":"group","participant_ids":["u5"]}"#)
        }
        let replies = try world.test.carryOut(requests).effects.outgoing.replies
        #expect(replies.map(\.code) == [nil, nil, "forbidden", "forbidden", "forbidden"])
    }

    // MARK: Whose room it takes

    @Test("what others do takes nothing of somebody's room: groups, empty conversations, messages and requests")
    func othersTakeNothing() throws {
        let victim: UserID = "bob"
        try world.ask(ProfileChange.self, by: victim, #"{"message_privacy":"anyone"}"#)
        for other in others {
            try world.create(by: other, with: victim)
            try world.write(other, to: victim)
            #expect(try group(by: other, with: victim).reply.isOK == true)
        }
        try world.ask(ProfileChange.self, by: victim, #"{"message_privacy":"followers"}"#)
        try world.askToWrite(by: "carol", to: victim)
        let open = try world.test.text("SELECT count(*) FROM members WHERE user = 'bob' AND is_open = 1")
        #expect(try open == "12" && counted(victim) == 0)
        // All of it is those others' who have done it, and they still may do the same as before.
        #expect(try others.allSatisfy { try counted($0) == 2 })
        #expect(try counted("carol") == 1)
        #expect(try world.create(by: victim, with: "alice").reply.isOK == true)
        #expect(try world.create(by: victim, with: "u0").reply.isOK == true)
        #expect(try counted(victim) == 1)
    }

    @Test("whoever opens what another has made has it by their own act: making, accepting, answering, following back")
    func ownActs() throws {
        for user in others[0...3] { try world.create(by: user, with: "alice") }
        for user in others[1...3] { try world.write(user, to: "alice") }
        #expect(try counted("alice") == 0)
        let acts: [() throws -> SocialWorld.Result] = [
            { try world.create(by: "alice", with: "u0") },
            { try world.ask(AcceptRequest.self, by: "alice", try direct("alice", "u1")) },
        ]
        for (number, act) in acts.enumerated() {
            #expect(try act().reply.isOK == true && counted("alice") == number + 1)
        }
        #expect(try world.write("alice", to: "u2").code == "forbidden")
        // Following back is never refused for it, and counts.
        try world.ask(Follow.self, by: "u3", of: "alice")
        #expect(try world.ask(Follow.self, by: "alice", of: "u3").reply.isOK == true)
        #expect(try counted("alice") == 3 && counted("u3") == 1)
        #expect(try world.create(by: "alice", with: "carol").code == "forbidden")
    }

    @Test("a conversation that another's message closes counts no more, and takes no room when they open it again")
    func closedByOther() throws {
        try world.befriend("alice", "bob")
        try world.create(by: "alice", with: "bob")
        #expect(try counted("alice") == 1 && counted("bob") == 0)
        try world.ask(Unfollow.self, by: "alice", of: "bob")
        let later = at(.days(40))
        #expect(try world.write("bob", to: "alice", now: later).reply.isOK == true)
        #expect(try world.test.text("SELECT is_open FROM members WHERE user = 'alice'") == "0")
        #expect(try counted("alice") == 0)
        try world.ask(AcceptRequest.self, by: "alice", try direct("alice", "bob"), now: later)
        #expect(try counted("alice") == 1)
    }

    @Test("who has more than the limit keeps what they have, and makes no more")
    func above() throws {
        try fill("alice")
        let smaller = try world.test.anotherWriter { $0.openConversations = 1 }
        let refused = smaller.carryOut(
            [try request(CreateConversation.self, #"{"type":"direct","participant_ids":["u0"]}"#)],
            now: at(0))
        #expect(try refused.effects.outgoing.replies.map(\.code) == ["forbidden"])
        #expect(try world.read(ListConversations.self, by: "alice").data["total"] as? Int == 2)
    }
}
