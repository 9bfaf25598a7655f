import ParleyProtocol
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// Every table of the database, after whoever it names has gone.
@Suite("What a departed user leaves")
struct DepartureTests {
    /// Where a user's id stays (decision 0069): what others have too.
    private static let staying: Set<String> = [
        "users.id", "records.sender", "conversations.created_by", "members.user", "members.added_by", "blocks.blocker",
        "challenge_sides.user", "reports.reporter", "notifications.actor", "blobs.maker",
    ]
    /// What is emptied by itself: what is yet to be published or told, and repeats that are known for an hour.
    private static let passing: Set<String> = [
        "outbox.unread_user", "push_events.user", "key_changes.user", "account_requests.user",
    ]

    /// All columns that may hold an id of a user.
    private static func columns(of test: TestWriter) throws -> [String] {
        let list = try #require(
            try test.text(
                """
                SELECT group_concat(t.name || '.' || c.name) FROM sqlite_master t, pragma_table_info(t.name) c
                WHERE t.type = 'table' AND c.type = 'TEXT'
                """))
        return list.split(separator: ",").map(String.init)
    }

    /// - Returns: the columns that name somebody.
    private static func named(_ user: UserID, in test: TestWriter) throws -> Set<String> {
        var found: Set<String> = []
        for column in try columns(of: test) {
            let (table, name) = try #require(
                column.firstIndex(of: ".").map { (column[..<$0], column[$0...].dropFirst()) })
            let count = try test.text(#"SELECT count(*) FROM "\#(table)" WHERE "\#(name)" = '\#(user)'"#)
            if count != "0" { found.insert(column) }
        }
        return found
    }

    @Test("after anything that anybody has done, their id is left only where it is others' too")
    func leftovers() throws {
        var (before, left): (Set<String>, Set<String>) = ([], [])
        for example in try CommandExample.all() {
            let (world, command) = (try example.world(), try example.command())
            _ = try world.result(of: command)
            let test = world.test
            before.formUnion(try Self.named("alice", in: test))
            let sender = device("alice", "phone")
            guard try test.store.read({ try $0.devices.device(sender) }) != nil else { continue }
            let deletion = try request(
                DeleteAccount(id: .random(), user: "alice", password: try AccountWorld.password("correct horse")),
                from: sender)
            #expect(try world.result(of: deletion, now: at(1)).code == nil, "\(example.name)")
            var now = at(1)
            for _ in 0..<100 {
                guard let wait = test.writer.wait(for: AccountRemovalDuty.self, now: now) else { break }
                now = now.advanced(by: wait)
                _ = test.writer.run(AccountRemovalDuty.self, now: now)
            }
            #expect(try test.text("SELECT count(*) FROM account_removals") == "0", "\(example.name)")
            #expect(try test.text("SELECT count(*) FROM pragma_foreign_key_check") == "0", "\(example.name)")
            let named = try Self.named("alice", in: test)
            #expect(named.subtracting(Self.staying).subtracting(Self.passing) == [], "\(example.name)")
            left.formUnion(named)
        }
        // All that stays is somewhere, and the examples have filled what goes.
        #expect(left == Self.staying.union(Self.passing))
        #expect(before.count > 2 * left.count, "\(before.sorted())")
    }
}
