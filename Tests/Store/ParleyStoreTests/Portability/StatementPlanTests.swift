import TestSupport
import Foundation
import Testing

@testable import ParleyStore

/// How SQLite finds what the store's statements ask for: by an index, however many keys a statement holds.
@Suite("The plans of the store's statements")
struct StatementPlanTests {
    /// Statements that go through a whole table, by how they begin.
    static let scans = [
        // What the broker is told when it starts, and what is read then.
        "SELECT d.user, d.id, d.token_id, d.created_at, d.expires_at, u.role, d.previous_token_id, d.previous_until, "
            + "d.name_reused_at FROM devices d JOIN users u ON u.id = d.user WHERE d.revoked_at IS NULL",
        "SELECT g.id, c.id FROM groups g JOIN conversations c", "SELECT one.follower, one.followed FROM follows one",
        #"SELECT "user" FROM presence WHERE state = 'online'"#,
        #"SELECT "user" FROM presence WHERE state = 'offline' AND last_seen >= ?"#, "WITH blockers AS MATERIALIZED",
        // The statistics of the operator.
        "SELECT count(*) FROM conversations", "SELECT count(*) FROM users WHERE role = 'member'",
        "SELECT count(*) FROM devices WHERE revoked_at IS NULL",
        "SELECT provider, COUNT(*) FROM jobs GROUP BY provider",
        // Once a day.
        "DELETE FROM stored_bytes WHERE day < ?",
        // When a database was put back, and at the start of the gateway.
        "DELETE FROM push_",
        "SELECT DISTINCT \"user\" FROM displayed",
        // Only what waits stands in these indexes and tables.
        "SELECT position, kind, conversation",
        "SELECT id FROM gone_blobs WHERE is_removed = 0 ORDER BY gone_at LIMIT ?",
        #"SELECT "user" FROM jobs WHERE is_under_way = 1"#,
        "UPDATE traces SET repeats = repeats + 1 WHERE id IN (SELECT id FROM jobs WHERE is_under_way = 1",
        "UPDATE jobs SET due_at = ?, is_under_way = 0, repeats = repeats + 1",
        "UPDATE traces SET attempts = attempts - 1, sent_at = CASE WHEN attempts > 1 THEN sent_at END WHERE attempts > 0 AND",
        "UPDATE jobs SET due_at = ?, is_under_way = 0, attempts = CASE WHEN",
        #"SELECT id, "user", kind, position, conversation, seq, created_at FROM announcements"#,
        "DELETE FROM announcements",
        "SELECT DISTINCT of_group FROM boards WHERE version > published_version",
        "SELECT e.of_group, g.id, e.week",
        "SELECT key, kind, address, seed, attempts, due_at, expires_at FROM mails",
        #"SELECT "user", device, left_through FROM account_removals LIMIT 1"#,
        #"SELECT "user", looked_through FROM erasures LIMIT 1"#,
        // Few are set.
        "SELECT 1 FROM retentions WHERE days > 0 LIMIT 1",
        // When a person is erased. Reports are few.
        "DELETE FROM reports WHERE reporter = ?",
        #"UPDATE reports SET message = NULL, evidence = NULL WHERE "user" = ?"#,
    ]

    /// Tables of one row.
    static let single: Set = ["clock", "instance", "publishing", "link", "push_link"]

    /// A step of SQLite's plan that goes through a whole table or index.
    private func scans(_ sql: String, _ snapshot: Snapshot, of tables: Set<String>) throws -> [String] {
        let steps = try snapshot.planSteps(sql)
        let names = tables.union(aliases(in: sql, of: tables)).subtracting(Self.single)
        return steps.filter { step in
            let words = step.split(separator: " ")
            // The first of an index is no scan of it.
            let isFirst = step.contains("USING COVERING INDEX") && sql.hasSuffix("LIMIT 1")
            return words.count > 1 && words[0] == "SCAN" && names.contains(String(words[1])) && !isFirst
        }
    }

    /// What a statement calls its tables: `FROM records r`.
    private func aliases(in sql: String, of tables: Set<String>) -> [String] {
        let words = sql.split(separator: " ").map(String.init)
        return zip(words, words.dropFirst()).filter { tables.contains($0.0) }.map(\.1)
    }

    /// The statement with as many keys as a statement holds at most.
    static func filled(_ sql: String) -> String {
        let most = ListSize.sixtyFour.rawValue
        func list(_ element: String) -> String {
            Array(repeating: element, count: most).joined(separator: ", ")
        }
        return sql.replacing(/IN \(\?(, \?)*\)/) { _ in "IN (\(list("?")))" }
            .replacing(/\(VALUES (?<row>\((?:[^()]|\([^()]*\))*\))(?:, \((?:[^()]|\([^()]*\))*\))*\)/) { match in
                "(VALUES \(list(String(match.output.row))))"
            }
    }

    @Test("a list of keys is filled, whatever its rows are")
    func listsAreFilled() {
        #expect(Self.filled("a IN (?)") == Self.filled("a IN (?, ?, ?, ?)"))
        #expect(Self.filled("a IN (?)").filter { $0 == "?" }.count == 64)
        let pairs = Self.filled("FROM (VALUES (?, CAST(? AS BIGINT)), (?, CAST(? AS BIGINT))) AS k")
        #expect(pairs.filter { $0 == "?" }.count == 128 && pairs.hasSuffix("CAST(? AS BIGINT))) AS k"))
    }

    /// What SQLite plans by.
    enum Filling: CaseIterable {
        case empty
        /// With users of the largest size that the limits allow, of whom SQLite has no statistics, or has.
        case large, largeWithStatistics
    }

    @Test(
        "no statement goes through a whole table, but those that must, however large users are and whatever is known of it",
        arguments: Filling.allCases)
    func statementsAreLookedUp(_ filling: Filling) throws {
        let recorded = try RecordedStatements()
        let directory = try TemporaryDirectory()
        let store =
            switch filling {
            case .empty: try Store(path: directory.database)
            case .large: try LargeUsers(directory.database).store
            case .largeWithStatistics: try LargeUsers(directory.database, hasStatistics: true).store
            }
        let pushes = try PushStore(path: directory.path + "/push.db")
        let tables = Set(recorded.tables)
        var found: [String] = []
        func look(_ sql: String, _ snapshot: Snapshot) throws {
            let steps = try scans(Self.filled(sql), snapshot, of: tables)
            if !steps.isEmpty, !Self.scans.contains(where: sql.hasPrefix) { found.append("\(steps): \(sql)") }
        }
        try pushes.read { pushes throws in
            for sql in recorded.ofPushes { try look(sql, Snapshot(database: pushes.database)) }
        }
        try store.read { snapshot throws in
            let statistics = try snapshot.text("SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_stat1'")
            #expect(statistics == (filling == .largeWithStatistics ? "1" : "0"))
            for sql in recorded.statements where !recorded.ofPushes.contains(sql) { try look(sql, snapshot) }
            let planted = "SELECT d.id FROM devices d WHERE (d.user, d.id) IN (VALUES (?, ?))"
            #expect(try scans(Self.filled(planted), snapshot, of: tables) == ["SCAN d"])
        }
        #expect(found == [], "\(found.joined(separator: "\n"))")
    }
}
