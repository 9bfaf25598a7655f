import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// What else goes by the one engine: limits, typing, keys, and what an operator is told.
@Suite("Who may write, type and look")
struct PermissionTests {
    private let world: SocialWorld

    init() throws { world = try SocialWorld() }

    @Test("first messages to strangers are limited; what was refused and what goes to friends costs nothing")
    func firstMessagesAreLimited() throws {
        for privacy in MessagePrivacy.allCases {
            let world = try SocialWorld(privacy: privacy) {
                $0.firstMessageBurst = 1
                $0.firstMessagesPerHour = 1
            }
            try world.befriend("alice", "carol")
            try world.askToWrite(by: "alice", to: "carol")
            try world.create(by: "alice", with: "bob")
            let bad = try request(
                SendMessage.self,
                """
                {"id":"\(MessageID.random())","conversation_id":"\(try ConversationID.direct(["alice", "bob"]))",\
                "message_type":"text","suite":"nacl-box","encrypted_content":"c2VhbGVkIG9uIHRoZSBkZXZpY2U=",\
                "nonce":"MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3","reply_to":"\(MessageID.random())"}
                """)
            #expect(try world.result(of: bad).code == "not_found")
            #expect(try world.write("alice", to: "bob").reply.isOK == true)
            try world.test.store.write { transaction in
                try transaction.users.insert(
                    "dave", role: .member, displayName: "D", messagePrivacy: privacy, at: at(0))
            }
            for _ in 0..<3 { try world.write("alice", to: "bob") }
            try world.create(by: "alice", with: "dave")
            let limited = try world.write("alice", to: "dave")
            #expect(limited.code == "rate_limited" && limited.events.isEmpty)
            #expect(try world.write("alice", to: "dave", now: at(3_600_000)).reply.isOK == true)
        }
    }

    @Test("how somebody wants to be written to counts from the moment they say so")
    func privacyCountsAtOnce() throws {
        try world.askToWrite(by: "alice", to: "bob")
        #expect(try world.write("alice", to: "bob").code == "request_limit")
        try world.ask(ProfileChange.self, by: "bob", #"{"message_privacy":"anyone"}"#)
        let opened = try world.write("alice", to: "bob")
        #expect(opened.events.contains("users/bob/events: conversation.created"))
        try world.ask(ProfileChange.self, by: "bob", #"{"message_privacy":"followers"}"#)
        #expect(try world.write("alice", to: "bob").code == "request_limit")
    }

    @Test("a change that comes to nothing leaves nothing behind")
    func emptyChangeLeavesNothing() throws {
        try world.askToWrite(by: "alice", to: "bob")
        try world.test.execute(
            "CREATE TRIGGER fail BEFORE INSERT ON blocks BEGIN SELECT RAISE(ABORT, 'planted'); END")
        #expect(try world.ask(Block.self, by: "bob", of: "alice").code == "internal")
        try world.test.execute("DROP TRIGGER fail")
        #expect(try world.ask(AcceptRequest.self, by: "bob", try direct("alice", "bob")).reply.isOK == true)
        #expect(try world.write("alice", to: "bob").reply.isOK == true)
    }

    // MARK: Typing

    private func types(_ world: SocialWorld, _ user: UserID, to other: UserID, now: Timestamp) throws -> Bool {
        let outcome = world.test.carryOut(
            [try request(StartTyping.self, try direct(user, other), from: device(user, "phone"))], now: now)
        return try outcome.effects.outgoing.events.map(\.event) == ["typing.indicator"]
    }

    @Test("typing is told to whom one may write without limit")
    func typingToThePermitted() throws {
        try world.askToWrite(by: "alice", to: "bob")
        #expect(try !types(world, "alice", to: "bob", now: at(0)))
        #expect(try !types(world, "bob", to: "alice", now: at(0)))
        try world.ask(AcceptRequest.self, by: "bob", try direct("alice", "bob"))
        #expect(try types(world, "alice", to: "bob", now: at(10_000)))
        #expect(try types(world, "bob", to: "alice", now: at(10_000)))
        try world.ask(Block.self, by: "bob", of: "alice")
        #expect(try !types(world, "alice", to: "bob", now: at(20_000)))
        #expect(try !types(world, "bob", to: "alice", now: at(20_000)))
    }

    @Test("who sends no typing is sent none by the other of two")
    func typingIsMutual() throws {
        let world = try SocialWorld(privacy: .anyone)
        try world.create(by: "alice", with: "bob")
        try world.ask(ProfileChange.self, by: "alice", #"{"send_typing":false}"#)
        #expect(try !types(world, "alice", to: "bob", now: at(0)))
        #expect(try !types(world, "bob", to: "alice", now: at(0)))
        try world.ask(ProfileChange.self, by: "alice", #"{"send_typing":true}"#)
        #expect(try types(world, "alice", to: "bob", now: at(0)))
    }

    // MARK: Keys

    @Test("keys of strangers are limited; those of friends and of members of one's conversations are not")
    func strangersKeysAreLimited() throws {
        let world = try SocialWorld { $0.keyFetchesPerHour = 1 }
        func fetch(_ user: UserID, by caller: UserID) throws -> String? {
            try world.read(GetKeys.self, by: caller, #"{"user_id":"\#(user)"}"#).code
        }
        // A conversation that is not the other's is none that the two share.
        try world.create(by: "alice", with: "bob")
        #expect(try fetch("bob", by: "alice") == nil)
        #expect(try fetch("bob", by: "alice") == "rate_limited")
        try world.befriend("alice", "carol")
        #expect(try fetch("carol", by: "alice") == nil)
        try world.write("alice", to: "bob")
        try world.ask(AcceptRequest.self, by: "bob", try direct("alice", "bob"))
        #expect(try fetch("bob", by: "alice") == nil)
    }

    @Test("a conversation in which nobody has written yet makes no acquaintances")
    func emptyConversationIsNoAcquaintance() throws {
        let world = try SocialWorld(privacy: .anyone) { $0.keyFetchesPerHour = 1 }
        func fetch() throws -> String? { try world.read(GetKeys.self, by: "alice", #"{"user_id":"bob"}"#).code }
        try world.create(by: "alice", with: "bob")
        #expect(try fetch() == nil)
        #expect(try fetch() == "rate_limited")
        try world.write("alice", to: "bob")
        #expect(try fetch() == nil)
    }

    // MARK: Looks at strangers

    @Test("all that looks at strangers has one limit: reads, follows and blocks")
    func looksAreLimited() throws {
        let reads: [any Query.Type] = [GetProfile.self, ListFollowers.self, ListFollowing.self, CanMessage.self]
        let acts: [any Command.Type] = [Follow.self, Unfollow.self, Block.self, Unblock.self]
        let world = try SocialWorld(privacy: .anyone) { $0.strangerLookupsPerHour = 1 }
        let reader = try world.test.reader(limits: world.test.writer.limits)
        let phone = device("alice", "phone")
        #expect(try world.ask(Follow.self, by: "alice", of: "bob").reply.isOK == true)
        for act in acts { #expect(try world.ask(act, by: "alice", of: "bob").code == "rate_limited") }
        for read in reads {
            let refused = reader.answer(try request(read, #"{"user_id":"bob"}"#, from: phone), now: at(0))
            #expect(try refused.published.map(\.code) == ["rate_limited"])
        }
    }

    @Test("a block changes nothing in who is a stranger to whoever was blocked")
    func blockKeepsStrangers() throws {
        for hasBlocked in [true, false] {
            let world = try SocialWorld { $0.keyFetchesPerHour = 1 }
            func isStranger(now: Timestamp) throws -> Bool {
                try world.test.store.read { try $0.costs("bob", lookedAtBy: "alice", hasRoom: true) }
            }
            try world.befriend("alice", "bob")
            try world.create(by: "alice", with: "bob")
            try world.write("bob", to: "alice")
            if hasBlocked {
                try world.ask(Block.self, by: "bob", of: "alice")
            } else {
                try world.ask(Unfollow.self, by: "bob", of: "alice")
            }
            #expect(try !isStranger(now: at(0)))
            // Alice's one message would close the conversation for Bob.
            try world.write("alice", to: "bob", now: at(30 * 86_400_000))
            #expect(try isStranger(now: at(0)))
            if hasBlocked {
                #expect(try world.read(GetConversation.self, by: "bob", try direct("alice", "bob")).isOK == true)
                try world.ask(Unblock.self, by: "bob", of: "alice")
                #expect(try !isStranger(now: at(0)))
            }
        }
    }

    // MARK: Operators

    @Test("an operator is told every fact in its order, and nobody else is")
    func operatorSeesFacts() throws {
        try world.askToWrite(by: "alice", to: "bob")
        try world.ask(Block.self, by: "bob", of: "alice")
        let json = #"{"from":"alice","to":"bob"}"#
        #expect(try world.read(ExplainPermission.self, by: "bob", json).code == "forbidden")
        let explained = world.reader.answer(
            try request(ExplainPermission.self, json, from: device("operator", "console")), now: at(0))
        let data = try #require(try explained.published.first?.data)
        #expect(data["permission"] as? String == "refused" && data["reason"] as? String == "request_limit")
        let steps = try #require(data["steps"] as? [[String: Any]])
        #expect(steps.compactMap { $0["step"] as? String } == MessagingPermission.Step.allCases.map(\.rawValue))
        #expect(steps.compactMap { $0["holds"] as? Bool } == [false, false, false, false, false, false, true])
        #expect(steps[2]["detail"] as? String == "alice has blocked bob: no; bob has blocked alice: yes")
    }
}
