import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("What may be done to a group that trains together")
struct TrainingGroupRuleTests {
    private static let conversation = ConversationFacts(
        id: .random(), type: .group, epoch: "e", lastSeq: 5, lastMessageSeq: 5, updatedAt: at(30),
        members: [
            MemberFacts(user: "alice", role: .admin, joinedAt: at(0)),
            MemberFacts(user: "bob", role: .member, joinedAt: at(20)),
        ])

    @Test("a user is in as many groups as may be, and no more", arguments: [1, 2, 100])
    func groupsOfAUser(most: Int) {
        #expect(rejection { () throws(Rejection) in try TrainingGroupRule.enter(groups: most - 1, most: most) } == nil)
        for groups in [most, most + 1] {
            let refusal = rejection { () throws(Rejection) in try TrainingGroupRule.enter(groups: groups, most: most) }
            #expect(refusal?.code == .alreadyInGroup)
        }
    }

    @Test("an admin ends it, a member may not, and to everybody else there is none")
    func ending() {
        func code(_ user: UserID) -> ErrorCode? {
            rejection { () throws(Rejection) in try TrainingGroupRule.delete(Self.conversation, by: user) }?.code
        }
        #expect(code("alice") == nil)
        #expect(code("bob") == .forbidden)
        #expect(code("carol") == .notFound)
    }

    @Test("its id is none that a direct conversation may have, and none that a conversation has")
    func ids() throws {
        func code(_ id: UUIDValue, isTaken: Bool = false) -> ErrorCode? {
            rejection { () throws(Rejection) in try TrainingGroupRule.create(GroupID(id), isTaken: isTaken) }?.code
        }
        #expect(code(.random()) == nil && code(.random(), isTaken: true) == .conflict)
        let direct = try #require(UUIDValue.nameBased(digest: [UInt8](repeating: 1, count: 16)))
        #expect(code(direct) == .badRequest && code(direct, isTaken: true) == .badRequest)
    }

    @Test("it always has a name")
    func names() {
        func code(_ change: FieldChange<String>) -> ErrorCode? {
            rejection { () throws(Rejection) in try TrainingGroupRule.rename(change) }?.code
        }
        #expect(code(.set("x")) == nil && code(.unchanged) == nil)
        #expect(code(.set("")) == .badRequest && code(.cleared) == .badRequest)
    }

    @Test("nobody is put into it")
    func putIn() {
        #expect(rejection { () throws(Rejection) in try TrainingGroupRule.add() }?.code == .forbidden)
    }
}
