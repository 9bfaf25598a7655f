import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("Who may challenge whom")
struct CreateChallengeRuleTests {
    private static func conversation(
        _ type: ConversationType, _ members: [UserID] = ["alice", "bob"], openFor: Set<UserID> = ["alice", "bob"]
    ) -> ConversationFacts {
        ParleyRulesTests.conversation(type, members.map { member($0, isOpen: openFor.contains($0)) })
    }

    private static let friends = Contact("alice", Contact.Side(follows: true), "bob", Contact.Side(follows: true))

    private func check(
        _ conversation: ConversationFacts?, _ contact: Contact? = friends, to challenged: UserID = "bob",
        by caller: UserID = "alice", type: ChallengeType = .steps, target: Int = 10, shares: Bool = true, open: Int = 0
    ) -> ErrorCode? {
        rejection {
            try CreateChallengeRule.check(
                CreateChallenge(
                    conversation: .random(), challenged: challenged, type: type, target: target, durationDays: 7),
                by: caller,
                facts: CreateChallengeRule.Facts(
                    conversation: conversation, contact: contact, sharesWorkoutData: shares, openChallenges: open),
                mostOpen: 3, now: at(0), renewal: .days(30))
        }?.code
    }

    @Test("friends may in their direct conversation, and members of a group whoever they are to each other")
    func mayChallenge() {
        #expect(check(Self.conversation(.direct)) == nil)
        let strangers = Contact("alice", Contact.Side(), "bob", Contact.Side())
        #expect(check(Self.conversation(.group), strangers) == nil)
        let anyone = Contact("alice", Contact.Side(privacy: .anyone), "bob", Contact.Side(privacy: .anyone))
        #expect(check(Self.conversation(.direct), anyone) == nil)
    }

    @Test("who may not write to the other without limit, or not the other to them, may not challenge them")
    func permissions() {
        let direct = Self.conversation(.direct)
        typealias Side = Contact.Side
        for contact in [
            Contact("alice", Side(), "bob", Side()), Contact("alice", Side(follows: true), "bob", Side()),
            Contact("alice", Side(), "bob", Side(privacy: .anyone)),
            Contact("alice", Side(privacy: .anyone), "bob", Side()),
        ] {
            #expect(check(direct, contact) == .requestLimit)
            #expect(check(direct, contact, to: "alice", by: "bob") == .requestLimit)
        }
        #expect(check(Self.conversation(.direct, openFor: ["alice"])) == .requestLimit)
    }

    @Test("whoever has blocked the other is told so; who was blocked sees what they see of one who has unfollowed them")
    func blocks() {
        var blocked = Self.friends
        blocked.block(by: "bob", now: at(0))
        var unfollowed = Self.friends
        unfollowed.unfollow(by: "bob", now: at(0))
        let (direct, group) = (Self.conversation(.direct), Self.conversation(.group))
        for conversation in [direct, group] {
            #expect(check(conversation, blocked) == check(conversation, unfollowed))
            #expect(check(conversation, blocked, to: "alice", by: "bob") == .blocked)
        }
        #expect(check(direct, blocked) == .requestLimit && check(group, blocked) == nil)
    }

    @Test("a challenge goes on while the two may write to each other, or are both in the group")
    func goesOn() {
        func goesOn(_ conversation: ConversationFacts, _ contact: Contact) -> Bool {
            let terms = ChallengeState.Terms(
                id: .random(), conversation: .random(), challenger: "alice", challenged: "bob", type: .steps, target: 1,
                durationDays: 1, createdAt: at(0))
            return CreateChallengeRule.areTogether(terms, in: conversation, contact, now: at(0), renewal: .days(30))
        }
        var (blocked, unfollowed) = (Self.friends, Self.friends)
        #expect(goesOn(Self.conversation(.direct), Self.friends))
        for user in ["alice", "bob"] as [UserID] {
            blocked.block(by: user, now: at(0))
            unfollowed.unfollow(by: user, now: at(0))
            #expect(!goesOn(Self.conversation(.direct), blocked) && !goesOn(Self.conversation(.direct), unfollowed))
            // In a group nobody sees of either.
            #expect(goesOn(Self.conversation(.group), blocked) && goesOn(Self.conversation(.group), unfollowed))
        }
        #expect(!goesOn(Self.conversation(.group, ["alice", "carol"]), Self.friends))
        #expect(!goesOn(Self.conversation(.group, ["bob"]), Self.friends))
        #expect(!goesOn(Self.conversation(.group, []), Self.friends))
    }

    @Test("the rest of what is refused, each beside what is taken")
    func refusals() {
        let group = Self.conversation(.group)
        #expect(check(nil) == .notFound && check(group, by: "carol") == .notFound)
        #expect(check(group, nil, to: "alice") == .badRequest && check(group, nil, to: "carol") == .notFound)
        #expect(check(group, type: .streak, target: 8) == .badRequest)
        #expect(check(group, type: .streak, target: 7) == nil && check(group, type: .steps, target: 8) == nil)
        #expect(check(group, shares: false) == .forbidden && check(group, shares: true) == nil)
        #expect(check(group, open: 3) == .forbidden && check(group, open: 2) == nil)
    }
}
