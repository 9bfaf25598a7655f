import ParleyProtocol
import ParleyRules
import TestNames
import Testing

/// Who may change a group, and what follows: every refusal beside what is taken.
@Suite("What may be done in a group")
struct GroupPolicyTests {
    private static let oneself = MessagingPermission.refused(.oneself)

    /// alice and bob are its admins, carol is none.
    private static func group(_ changes: (inout ConversationFacts) -> Void = { _ in }) -> ConversationFacts {
        var facts = conversation(
            .group,
            [member("alice", .admin), member("bob", .admin, joinedAt: at(20)), member("carol", joinedAt: at(10))])
        changes(&facts)
        return facts
    }

    private static let direct = conversation(.direct, [member("alice"), member("bob")])

    /// Begun by alice, not let in by bob.
    private static let closed = conversation(.direct, [member("alice"), member("bob", isOpen: false)])

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let code: ErrorCode?
        let act: @Sendable () throws -> Void

        init(_ description: String, _ code: ErrorCode?, _ act: @escaping @Sendable () throws -> Void) {
            (testDescription, self.code, self.act) = (description, code, act)
        }
    }

    private static func code(_ act: () throws -> Void) -> ErrorCode? { rejection(act)?.code }

    // MARK: Who may

    @Test(
        "who may do what to a group",
        arguments: [
            Case("an admin renames", nil) { _ = try GroupPolicy.chat.rename(.set("x"), group(), by: "alice") },
            Case("an admin takes the name away", nil) { _ = try GroupPolicy.chat.rename(.cleared, group(), by: "bob") },
            Case("a member does not rename", .forbidden) {
                _ = try GroupPolicy.chat.rename(.set("x"), group(), by: "carol")
            },
            Case("nor takes the name away", .forbidden) {
                _ = try GroupPolicy.chat.rename(.cleared, group(), by: "carol")
            },
            Case("but sets what is their own", nil) {
                _ = try GroupPolicy.chat.rename(.unchanged, group(), by: "carol")
            },
            Case("a stranger does not", .notFound) { _ = try GroupPolicy.chat.rename(.unchanged, group(), by: "dave") },
            Case("a direct conversation has no name", .badRequest) {
                _ = try GroupPolicy.chat.rename(.set("x"), direct, by: "alice")
            },
            Case("nor one to take away", nil) { _ = try GroupPolicy.chat.rename(.cleared, direct, by: "alice") },
            Case("whoever has not let it in does not see it", .notFound) {
                _ = try GroupPolicy.chat.rename(.unchanged, closed, by: "bob")
            },
            Case("an admin removes", nil) { _ = try GroupPolicy.remove("carol", from: group(), by: "alice") },
            Case("an admin removes another admin", nil) {
                _ = try GroupPolicy.remove("bob", from: group(), by: "alice")
            },
            Case("a member does not", .forbidden) { _ = try GroupPolicy.remove("alice", from: group(), by: "carol") },
            Case("a stranger sees nothing", .notFound) {
                _ = try GroupPolicy.remove("alice", from: group(), by: "dave")
            },
            Case("nobody is removed from two", .forbidden) {
                _ = try GroupPolicy.remove("bob", from: direct, by: "alice")
            },
            Case("an admin makes an admin", nil) {
                _ = try GroupPolicy.setRole(.admin, of: "carol", in: group(), by: "alice")
            },
            Case("an admin of two demotes themselves", nil) {
                _ = try GroupPolicy.setRole(.member, of: "alice", in: group(), by: "alice")
            },
            Case("the last admin does not", .forbidden) {
                let facts = group { $0.setRole(.member, of: "bob") }
                _ = try GroupPolicy.setRole(.member, of: "alice", in: facts, by: "alice")
            },
            Case("a member does not make themselves admin", .forbidden) {
                _ = try GroupPolicy.setRole(.admin, of: "carol", in: group(), by: "carol")
            },
            Case("who is no member has no role", .notFound) {
                _ = try GroupPolicy.setRole(.admin, of: "dave", in: group(), by: "alice")
            },
            Case("nor has anybody among two", .forbidden) {
                _ = try GroupPolicy.setRole(.admin, of: "alice", in: direct, by: "alice")
            },
            Case("a member leaves", nil) { _ = try GroupPolicy.leave(group(), by: "carol") },
            Case("a stranger does not", .notFound) { _ = try GroupPolicy.leave(group(), by: "dave") },
            Case("nobody leaves one of two", .forbidden) { _ = try GroupPolicy.leave(direct, by: "alice") },
        ])
    func rights(_ test: Case) { #expect(Self.code(test.act) == test.code) }

    // MARK: Adding

    private func add(
        _ users: [UserID], to facts: ConversationFacts = group(), by caller: UserID = "alice", cap: Int = 10,
        permissions: [UserID: MessagingPermission] = [:], departed: Set<UserID> = [], inFull: Set<UserID> = []
    ) throws -> [UserID] {
        try GroupPolicy.chat.add(users, to: facts, by: caller, maximumMembers: cap, mostGroupsByOthers: 3) { user in
            GroupEntryRule.Candidate(
                permission: permissions[user] ?? .allowed(.mutualFollow), isFriend: true,
                hasDeparted: departed.contains(user), groupsByOthers: inFull.contains(user) ? 3 : 2)
        }.users
    }

    @Test(
        "one whom the caller may not message without limit keeps all out",
        arguments: [
            (.allowed(.anyone), nil), (.allowed(.mutualFollow), nil), (.allowed(.acceptedRequest), nil),
            (.request, .forbidden), (.refused(.blocked), .forbidden), (.refused(.requestLimit), .forbidden),
            (.refused(.unknownUser), .notFound),
        ] as [(MessagingPermission, ErrorCode?)])
    func permission(_ permission: MessagingPermission, code: ErrorCode?) {
        #expect(Self.code { _ = try add(["dave", "erin"], permissions: ["erin": permission]) } == code)
        #expect(Self.code { _ = try add(["erin", "dave"], permissions: ["erin": permission]) } == code)
    }

    @Test("who blocked whom is told to nobody, nor who has left, nor who is in too many groups")
    func refusalNamesNoReason() {
        let refusals: [MessagingPermission] = [.request, .refused(.blocked), .refused(.requestLimit)]
        let all =
            refusals.map { permission in rejection { _ = try add(["dave"], permissions: ["dave": permission]) } } + [
                rejection { _ = try add(["dave"], departed: ["dave"]) },
                rejection { _ = try add(["erin", "dave"], inFull: ["dave"]) },
            ]
        #expect(Set(all).count == 1 && all[0]?.code == .forbidden)
    }

    @Test("who has left or was removed is put back by nobody, but others are added")
    func leaversAreNotPutBack() throws {
        #expect(Self.code { _ = try add(["dave", "erin"], departed: ["dave"]) } == .forbidden)
        #expect(try add(["erin"], departed: ["dave"]) == ["erin"])
    }

    @Test("who is in already is passed over, and is not asked about")
    func membersArePassedOver() throws {
        let added = try add(["bob", "dave", "carol"], permissions: ["bob": .refused(.blocked)])
        #expect(added == ["dave"])
        #expect(try add(["bob", "carol"]).isEmpty)
    }

    @Test("the cap comes before anything of the users")
    func capComesFirst() throws {
        #expect(
            Self.code { _ = try add(["dave", "erin"], cap: 4, permissions: ["dave": .refused(.unknownUser)]) }
                == .groupFull)
        #expect(Self.code { _ = try add(["dave", "erin"], cap: 5) } == nil)
        #expect(Self.code { _ = try add(["dave", "bob"], cap: 4) } == nil)
    }

    @Test("nobody adds themselves to anything, and no member adds anybody")
    func addingIsForAdmins() {
        #expect(Self.code { _ = try add(["alice"], permissions: ["alice": Self.oneself]) } == .forbidden)
        #expect(Self.code { _ = try add(["carol"], by: "carol") } == .forbidden)
        #expect(Self.code { _ = try add(["dave"], by: "carol") } == .forbidden)
        #expect(Self.code { _ = try add(["dave"], by: "dave") } == .notFound)
        #expect(Self.code { _ = try add(["dave"], to: Self.direct) } == .forbidden)
        #expect(Self.code { _ = try add(["bob"], to: Self.closed, by: "bob") } == .notFound)
    }

    // MARK: What follows

    @Test("doing again what is done changes nothing")
    func repeatingChangesNothing() throws {
        #expect(try !GroupPolicy.remove("dave", from: Self.group(), by: "alice"))
        #expect(try !GroupPolicy.setRole(.admin, of: "bob", in: Self.group(), by: "alice"))
        #expect(try !GroupPolicy.setRole(.member, of: "carol", in: Self.group(), by: "alice"))
    }

    @Test("the last admin is followed by the longest member, the first by id among several")
    func longestMemberSucceeds() throws {
        #expect(try GroupPolicy.leave(Self.group(), by: "alice") == .others)
        #expect(
            try GroupPolicy.leave(Self.group { $0.setRole(.member, of: "bob") }, by: "alice") == .succeeded(by: "carol")
        )
        let equal = Self.group {
            $0.setRole(.member, of: "bob")
            $0.join(member("aaron", joinedAt: at(10)))
        }
        #expect(try GroupPolicy.leave(equal, by: "alice") == .succeeded(by: "aaron"))
        #expect(try GroupPolicy.leave(equal, by: "carol") == .others)
    }

    @Test("the last member leaves nobody")
    func lastMemberLeavesNobody() throws {
        let alone = conversation(.group, [member("alice", .admin)])
        #expect(try GroupPolicy.leave(alone, by: "alice") == .nobodyLeft)
    }

    @Test("members stay in the order of their ids")
    func membersAreInOrder() {
        var facts = Self.group()
        for user in ["zoe", "bert", "aaron"] as [UserID] {
            facts.join(member(user, joinedAt: at(1)))
        }
        facts.remove("bob")
        #expect(facts.users == ["aaron", "alice", "bert", "carol", "zoe"])
    }
}
