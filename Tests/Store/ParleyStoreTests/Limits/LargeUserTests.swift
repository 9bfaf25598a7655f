import TestSupport
import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@testable import ParleyStore

/// What the queries cost that go through somebody's conversations, in steps of SQLite's machine, with two users of the
/// largest size that the limits allow, and with statistics absent and present. Times are the machine's; steps are not.
@Suite("Queries of the largest users", .serialized)
struct LargeUserTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// How many steps these statements take in what `body` asks.
    private func steps(
        of statements: [String], _ users: LargeUsers, _ body: (Snapshot) throws -> Void
    ) throws -> Int {
        try users.store.read { snapshot throws in
            let statements = try statements.map(snapshot.statement)
            for statement in statements { _ = statement.drainSteps() }
            try body(snapshot)
            return statements.reduce(0) { $0 + $1.drainSteps() }
        }
    }

    @Test(
        "whether two share a conversation is found by who has fewer, and at worst by going once through one's own",
        arguments: [false, true])
    func shared(hasStatistics: Bool) throws {
        let users = try LargeUsers(directory.database, hasStatistics: hasStatistics, isShared: true)
        try users.store.write { transaction in
            try transaction.insertPeople(["small"])
            for _ in 0..<3 { try transaction.insertConversation(["small", "u1", "u2"]) }
        }
        let statements = [MemberQueries.shared, MemberQueries.openCount]
        func cost(_ one: UserID, _ other: UserID, atMost most: Int = .max, _ shares: Bool) throws -> Int {
            try steps(of: statements, users) { snapshot throws in
                #expect(try snapshot.members.shareConversation(one, with: other, atMost: most) == shares)
            }
        }
        // Whoever asks, and of whom.
        for pair in [("big", "small"), ("small", "big"), ("big", "nobody")] as [(UserID, UserID)] {
            let few = try cost(pair.0, pair.1, false)
            #expect(few > 0 && few < 1000, "\(few) steps for \(pair)")
        }
        let most = try cost("big", "large", true)
        // Both have 5,500: some twelve steps for each of one's, and the counting.
        #expect(most > 10 && most < 5500 * 25 + 20_000, "\(most) steps")
        let bounded = try cost("big", "large", atMost: 256, false)
        #expect(bounded < 256 * 30, "\(bounded) steps")
    }

    @Test(
        "how many conversations count is found in their own index, and no further than the limit",
        arguments: [false, true])
    func counted(hasStatistics: Bool) throws {
        let users = try LargeUsers(directory.database, hasStatistics: hasStatistics)
        func cost(_ limit: Int) throws -> Int {
            try steps(of: [MemberQueries.countedCount], users) { snapshot throws in
                #expect(try snapshot.members.countedConversations(of: "big", atMost: limit) == min(limit, 5000))
            }
        }
        let (few, all) = (try cost(100), try cost(5000))
        #expect(few < 100 * 30 && all < 5500 * 30, "\(few) and \(all) steps")
        // With statistics SQLite may go through the user's other conversations, too: they are bounded all the same.
        guard !hasStatistics else { return }
        #expect(try users.store.read { try $0.plan(MemberQueries.countedCount) }.contains("members_counted"))
    }

    @Test(
        "a page of those who hear of new keys goes once through the members of one's conversations",
        arguments: [false, true])
    func hearers(hasStatistics: Bool) throws {
        let users = try LargeUsers(directory.database, hasStatistics: hasStatistics)
        let cost = try steps(of: [KeyChangeQueries.hearing], users) { snapshot throws in
            #expect(try snapshot.keyChanges.hearers(of: "big", after: nil, limit: 256).count == 256)
        }
        #expect(cost > 16_500 && cost < 16_500 * 60, "\(cost) steps")
    }

    @Test(
        "a page of sync and of the list of conversations goes once through one's own at most", arguments: [false, true])
    func sync(hasStatistics: Bool) throws {
        let users = try LargeUsers(directory.database, hasStatistics: hasStatistics)
        let candidates = try steps(of: [SyncQueries.candidateQuery], users) { snapshot throws in
            #expect(try snapshot.sync.candidates(of: "big", now: at(0)).count == 5500)
        }
        #expect(candidates > 5500 && candidates < 5500 * 40, "\(candidates) steps")
        let listed = try steps(of: [ConversationSlice.query], users) { snapshot throws in
            #expect(try snapshot.listings.keys(of: "big", archived: false, limit: 20, offset: 5400).count == 20)
        }
        #expect(listed < 5500 * 40, "\(listed) steps")
    }
}
