import ParleyProtocol
import TestNames
import TestedStores
import Testing

@testable import ParleyStore

@Suite("Counting what is unread", .onEveryStore)
final class UnreadQueriesTests: PeopleSuite {
    private let id = ConversationID.random()

    override init() throws {
        try super.init()
        try store.write { [id] in _ = try $0.insertConversation(["alice", "bob", "carol"], id: id) }
    }

    /// Appends rows to the log: what `columns` gives for them over what a message of `sender` has.
    private func fill(_ count: Int, from sender: UserID, _ changes: String? = nil) throws {
        try store.write { transaction in
            let last = Int(try transaction.facts.text("SELECT coalesce(max(seq), 0) FROM records") ?? "") ?? 0
            let rows = (last + 1...last + count).map { UnreadRow(conversation: 1, seq: $0, position: $0) }
            try transaction.insert(rows, from: sender)
            guard let changes else { return }
            try transaction.database.run("UPDATE records SET \(changes) WHERE seq > \(last)")
        }
    }

    private func read(_ user: UserID, upTo seq: Int) throws {
        try store.execute(#"UPDATE members SET delivered_seq = \#(seq), read_seq = \#(seq) WHERE "user" = '\#(user)'"#)
    }

    private func count(for user: UserID) throws -> Int {
        try store.read { try $0.unread.count(of: user, in: $0.existing(id).key) }
    }

    @Test("messages of others after the mark are counted one by one, and from a thousand on no more")
    func countedUpToAThousand() throws {
        try fill(999, from: "bob")
        try fill(7, from: "alice")
        #expect(try count(for: "alice") == 999 && count(for: "bob") == 7 && count(for: "carol") == 1000)
        try fill(1, from: "carol")
        #expect(try count(for: "alice") == 1000)
        try fill(2000, from: "carol")
        #expect(try count(for: "alice") == 1000)
        try read("alice", upTo: 2500)
        #expect(try count(for: "alice") == 507)
        try read("alice", upTo: 3007)
        #expect(try count(for: "alice") == 0)
    }

    @Test("a span ends where the log had come")
    func spanEnds() throws {
        try fill(20, from: "bob")
        try store.read { snapshot throws in
            let key = try snapshot.existing(id).key
            let spans = [(0, 20, 20), (0, 5, 5), (5, 20, 15), (19, 20, 1), (20, 20, 0), (20, 5, 0)]
            for (after, through, expected) in spans {
                let span = UnreadSpan(user: "alice", conversation: key, after: after, through: through)
                #expect(try snapshot.unread.count(span) == expected)
            }
        }
    }

    // MARK: What it costs

    /// How many steps SQLite's machine takes for a count.
    private func steps(for user: UserID) throws -> (count: Int, steps: Int) {
        try store.read { snapshot throws in
            let key = try snapshot.existing(id).key
            let statements = try [UnreadQuery.nextSender, UnreadQuery.count].map(snapshot.statement)
            for statement in statements { _ = statement.drainSteps() }
            let count = try snapshot.unread.count(of: user, in: key)
            let steps = statements.reduce(0) { $0 + $1.drainSteps() }
            #expect(steps > 0)
            return (count, steps)
        }
    }

    @Test("a thousand unread cost as much as ten thousand", .onSQLite(.plans))
    func costIsBounded() throws {
        try fill(1000, from: "bob")
        let few = try steps(for: "alice")
        try fill(10_000, from: "bob")
        let many = try steps(for: "alice")
        #expect(few.count == 1000 && many.count == 1000)
        #expect(many.steps <= few.steps + 10, "\(many.steps) steps, not \(few.steps)")
    }

    @Test(
        "what does not count costs nothing, however much of it there is", .onSQLite(.plans),
        arguments: [
            ("alice", nil), ("bob", "kind = 3, target = zeroblob(16)"), ("bob", "kind = 1, target = zeroblob(16)"),
            ("bob", "type = 7"), ("bob", "content = NULL"), ("zoe", "content = NULL"),
        ] as [(String, String?)])
    func uncounted(sender: String, changes: String?) throws {
        try fill(3, from: "bob")
        try fill(1, from: "alice")
        let before = try steps(for: "alice")
        try fill(5_000, from: UserID(validated: sender), changes)
        let after = try steps(for: "alice")
        #expect(before.count == 3 && after.count == 3)
        #expect(after.steps <= before.steps + 10, "\(after.steps) steps, not \(before.steps)")
    }

    @Test("counting goes by its index", .onSQLite(.plans))
    func countingUsesItsIndex() throws {
        try store.read { snapshot throws in
            let index = "SEARCH records USING INDEX records_unread (conversation=?"
            #expect(try snapshot.plan(UnreadQuery.nextSender) == "\(index) AND sender>?)")
            #expect(try snapshot.plan(UnreadQuery.count).contains("\(index) AND sender=? AND seq>? AND seq<?)"))
        }
    }
}
