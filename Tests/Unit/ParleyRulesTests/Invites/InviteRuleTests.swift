import ParleyProtocol
import ParleyRules
import TestNames
import Testing

/// Who comes by an invite: every refusal beside what is taken.
@Suite("Who may come by an invite")
struct InviteRuleTests {
    /// Of alice's invite to a group of hers and bob's, which dave holds.
    struct Situation: Sendable {
        var maker: UserID = "alice"
        var expiresAt = at(10)
        var usesLeft: Int?
        var isRevoked = false
        var members: [UserID] = ["alice", "bob"]
        var isFromBeforeRemoval = false
        var callerBlocks = false
        var makerBlocks = false
        var caller: UserID = "dave"
        var isUsed = false
        var groups = 0

        var facts: InviteRule.Facts {
            InviteRule.Facts(
                maker: maker, expiresAt: expiresAt, usesLeft: usesLeft, isRevoked: isRevoked,
                conversation: InviteRuleTests.conversation(members), isFromBeforeRemoval: isFromBeforeRemoval,
                callerBlocksMaker: callerBlocks, makerBlocksCaller: makerBlocks)
        }

        func opening() -> ErrorCode? {
            rejection { try InviteRule.open(facts, now: at(9)) }?.code
        }

        var isRepeat: Bool { InviteRule.isRepeat(facts.conversation, by: caller, isUsed: isUsed) }

        func refusal(maximumMembers: Int = 3) -> Rejection? {
            rejection {
                try InviteRule.accept(
                    facts, by: caller, groups: (are: groups, most: 1), maximumMembers: maximumMembers, now: at(9))
            }
        }

        func code(maximumMembers: Int = 3) -> ErrorCode? { refusal(maximumMembers: maximumMembers)?.code }
    }

    static func conversation(_ members: [UserID]) -> ConversationFacts {
        ParleyRulesTests.conversation(.group, members.map { member($0, $0 == "alice" ? .admin : .member) })
    }

    private static func with(_ change: (inout Situation) -> Void) -> Situation {
        var situation = Situation()
        change(&situation)
        return situation
    }

    @Test("a live invite of a member opens the group, with no friendship between the two")
    func open() {
        for situation in [Situation(), Self.with { $0.usesLeft = 1 }] {
            #expect(situation.opening() == nil)
            #expect(situation.refusal() == nil && !situation.isRepeat)
        }
    }

    @Test(
        "what opens nothing says the same of each",
        arguments: [
            with { $0.isRevoked = true }, with { $0.expiresAt = at(9) }, with { $0.usesLeft = 0 },
            with { $0.members = ["bob"] }, with { $0.members = [] }, with { $0.isFromBeforeRemoval = true },
            with { $0.makerBlocks = true },
        ])
    func invalid(situation: Situation) throws {
        #expect(situation.opening() == .inviteInvalid)
        #expect(situation.refusal() == .inviteInvalid)
        // Whatever else would be said of it: neither blocks, nor groups, nor whether there is room.
        var worse = situation
        (worse.callerBlocks, worse.groups) = (true, 1)
        #expect(worse.opening() == .inviteInvalid && worse.refusal(maximumMembers: 1) == situation.refusal())
    }

    @Test("whoever has blocked the inviter is told so, of an invite that is live")
    func blocked() {
        let situation = Self.with { $0.callerBlocks = true }
        #expect(situation.opening() == .blocked && situation.code() == .blocked)
    }

    @Test("who is in a group is in it already, and who came by this very invite has accepted it")
    func members() {
        #expect(Self.with { $0.caller = "bob" }.code() == .alreadyInGroup)
        #expect(Self.with { $0.caller = "alice" }.code() == .alreadyInGroup)
        #expect(Self.with { $0.groups = 1 }.code() == .alreadyInGroup)
        // However the invite, or the group, is meanwhile.
        for change in [{ $0.isRevoked = true }, { $0.usesLeft = 0 }, { $0.expiresAt = at(1) }]
            as [(inout Situation) -> Void]
        {
            var repeated = Self.with {
                ($0.caller, $0.isUsed, $0.groups) = ("bob", true, 1)
            }
            change(&repeated)
            #expect(repeated.isRepeat)
            repeated.isUsed = false
            #expect(!repeated.isRepeat && repeated.code() == .inviteInvalid)
        }
        // Who came by it and has left comes anew.
        let returning = Self.with { $0.isUsed = true }
        #expect(!returning.isRepeat && returning.refusal() == nil)
        #expect(
            Self.with {
                ($0.isUsed, $0.usesLeft) = (true, 0)
            }.code() == .inviteInvalid)
    }

    @Test("a group takes as many as there is room for")
    func full() {
        #expect(Situation().code(maximumMembers: 3) == nil)
        #expect(Situation().code(maximumMembers: 2) == .groupFull)
    }

    @Test("a member has a hundred invites that open the group, and ended ones make room")
    func hundred() throws {
        let most = InviteRule.mostOpen
        #expect(
            try !InviteRule.create(kept: most - 1) {
                Issue.record("asked for nothing"); return 0
            })
        #expect(try InviteRule.create(kept: most) { most - 1 })
        let refusal = #expect(throws: Rejection.self) { try InviteRule.create(kept: most) { most } }
        #expect(refusal?.code == .forbidden)
    }

    @Test("its maker and the group's admins revoke an invite; to others there is none")
    func revoking() {
        func code(_ caller: UserID, _ members: [UserID] = ["alice", "bob", "carol"]) -> ErrorCode? {
            rejection { try InviteRule.revoke(madeBy: "bob", Self.conversation(members), by: caller) }?.code
        }
        #expect(code("bob") == nil && code("alice") == nil)
        #expect(code("carol") == .notFound && code("dave") == .notFound)
        // Who has gone may still do again what is done.
        #expect(code("bob", ["alice"]) == nil)
    }
}
