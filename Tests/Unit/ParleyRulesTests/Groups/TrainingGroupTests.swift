import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("What may be done to a group that trains together")
struct TrainingGroupTests {
    private static let group = conversation(.group, [member("alice", .admin), member("bob")])

    @Test("a user is in as many groups as may be, and no more", arguments: [1, 2, 100])
    func groupsOfAUser(most: Int) {
        #expect(rejection { try GroupPolicy.enter(groups: most - 1, most: most) } == nil)
        for groups in [most, most + 1] {
            let refusal = rejection { try GroupPolicy.enter(groups: groups, most: most) }
            #expect(refusal?.code == .alreadyInGroup)
        }
    }

    @Test("an admin ends it, a member may not, and to everybody else there is none")
    func ending() {
        func code(_ user: UserID) -> ErrorCode? {
            rejection { try GroupPolicy.delete(Self.group, by: user) }?.code
        }
        #expect(code("alice") == nil)
        #expect(code("bob") == .forbidden)
        #expect(code("carol") == .notFound)
    }

    @Test("its id is none that a direct conversation may have, and none that a conversation has")
    func ids() throws {
        func code(_ id: UUIDValue, isTaken: Bool = false) -> ErrorCode? {
            rejection { try GroupPolicy.create(GroupID(id), isTaken: isTaken) }?.code
        }
        #expect(code(.random()) == nil && code(.random(), isTaken: true) == .conflict)
        let direct = try #require(UUIDValue.nameBased(digest: [UInt8](repeating: 1, count: 16)))
        #expect(code(direct) == .badRequest && code(direct, isTaken: true) == .badRequest)
    }

    @Test("it always has a name, which a chat's group may be without")
    func names() {
        func code(_ change: FieldChange<String>, by user: UserID = "alice", in kind: GroupPolicy = .training)
            -> ErrorCode?
        {
            rejection { try kind.rename(change, Self.group, by: user) }?.code
        }
        #expect(code(.set("x")) == nil && code(.unchanged) == nil)
        #expect(code(.set("")) == .badRequest && code(.cleared) == .badRequest)
        #expect(code(.set(""), in: .chat) == nil && code(.cleared, in: .chat) == nil)
        #expect(code(.cleared, by: "bob") == .forbidden && code(.cleared, by: "carol") == .notFound)
    }

    @Test("nobody is put into it, whoever asks, and to everybody else there is none")
    func putIn() {
        func refusal(by caller: UserID) -> Rejection? {
            let thrown = #expect(throws: Rejection.self) {
                try GroupPolicy.training.add(
                    ["dave"], to: Self.group, by: caller, maximumMembers: 9, mostGroupsByOthers: 9
                ) { _ in
                    Issue.record("asked about somebody")
                    return GroupEntryRule.Candidate(permission: .request, isFriend: false, groupsByOthers: 0)
                }
            }
            return thrown
        }
        #expect(refusal(by: "alice")?.message == "People come into this group by invitations.")
        #expect(refusal(by: "bob") == refusal(by: "alice") && refusal(by: "carol") == .conversationNotFound)
    }
}
