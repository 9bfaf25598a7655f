import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("Who may make which conversation")
struct CreateConversationRuleTests {
    private func plan(
        _ form: CreateConversation.Form, _ participants: [UserID], by creator: UserID = "alice", cap: Int = 10
    ) throws(Rejection) -> CreateConversationRule.Plan {
        try CreateConversationRule.plan(
            CreateConversation(form: form, participants: participants), by: creator, maximumMembers: cap)
    }

    private func code(_ form: CreateConversation.Form, _ participants: [UserID], cap: Int = 10) -> ErrorCode? {
        rejection { try plan(form, participants, cap: cap) }?.code
    }

    private static func people(_ count: Int) -> [UserID] { (0..<count).map { UserID(validated: "user\($0)") } }

    @Test("a direct conversation is made with exactly one other")
    func directHasOneOther() throws {
        let made = try plan(.direct, ["bob"])
        #expect(made.members == ["alice", "bob"])
        #expect(made.type == .direct && made.id == nil && made.name == nil)
        #expect(made.members.map(made.role) == [.member, .member])
        #expect(try plan(.direct, ["alice", "bob"]).members == made.members)
    }

    @Test(
        "a direct conversation with nobody, oneself or two others is refused",
        arguments: [[], ["alice"], ["bob", "carol"]] as [[UserID]])
    func direct(participants: [UserID]) {
        #expect(code(.direct, participants) == .badRequest)
    }

    @Test("a group's maker is its first member and its admin")
    func makerIsAdmin() throws {
        let id = ConversationID.random()
        let made = try plan(.group(id: id, name: "Runners"), ["carol", "alice", "bob"])
        #expect(made.members == ["alice", "carol", "bob"])
        #expect(made.members.map(made.role) == [.admin, .member, .member])
        #expect(made.id == id && made.name == "Runners" && made.type == .group)
    }

    @Test(
        "a group holds as many as its cap, its maker counted",
        arguments: [
            (others: 1, cap: 10, code: nil), (9, 10, nil), (10, 10, .groupFull), (11, 10, .groupFull), (1, 2, nil),
            (2, 2, .groupFull), (0, 10, .badRequest),
        ] as [(Int, Int, ErrorCode?)])
    func cap(others: Int, cap: Int, code expected: ErrorCode?) {
        #expect(code(.group(id: nil, name: nil), Self.people(others), cap: cap) == expected)
    }

    @Test("the cap is said before anything else that is wrong")
    func capComesFirst() throws {
        let direct = ConversationID("00000000-0000-8000-8000-000000000000")
        #expect(code(.group(id: direct, name: nil), Self.people(10)) == .groupFull)
    }

    @Test(
        "a group never takes an id that two users' direct conversation could have",
        arguments: [
            ("00000000-0000-8000-8000-000000000000", .badRequest),
            ("0123abcd-0123-8abc-bfff-0123456789ab", .badRequest),
            ("00000000-0000-4000-8000-000000000000", nil), ("00000000-0000-8000-0000-000000000000", nil),
            ("00000000-0000-7000-8000-000000000000", nil),
        ] as [(String, ErrorCode?)])
    func directIDs(text: String, code expected: ErrorCode?) throws {
        let id = try #require(ConversationID(text))
        #expect(code(.group(id: id, name: nil), ["bob"]) == expected)
    }

    @Test("a repeat of a request for a group is known whatever the order of its participants")
    func repeatInAnyOrder() throws {
        let first = try plan(.group(id: nil, name: "Runners"), ["bob", "carol"])
        #expect(
            try plan(.group(id: nil, name: "Runners"), ["carol", "bob"]).identityPreimage == first.identityPreimage)
    }

    @Test("what differs in name, maker or participants is another request")
    func otherContentIsAnotherRequest() throws {
        let plans = try [
            plan(.group(id: nil, name: "Runners"), ["bob", "carol"]),
            plan(.group(id: nil, name: "Walkers"), ["bob", "carol"]),
            plan(.group(id: nil, name: nil), ["bob", "carol"]),
            plan(.group(id: nil, name: ""), ["bob", "carol"]),
            plan(.group(id: nil, name: "Runners"), ["bob"]),
            plan(.group(id: nil, name: "Runners"), ["bobcarol"]),
            plan(.group(id: nil, name: "Runners"), ["alice", "carol"], by: "bob"),
        ]
        #expect(Set(plans.map(\.identityPreimage)).count == plans.count)
    }
}
