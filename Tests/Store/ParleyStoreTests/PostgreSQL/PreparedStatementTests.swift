import ParleyPostgreSQL
import ParleyProtocol
import TestNames
import Testing

@testable import ParleyStore

@Suite("The store's statements in PostgreSQL", .timeLimit(.minutes(20)))
struct PreparedStatementTests {
    /// What an engine of two refuses or takes for something else, beside the form that both take.
    private static let planted = [
        ("SELECT max(seq, 1) FROM records", "SELECT CASE WHEN seq > 1 THEN seq ELSE 1 END FROM records"),
        ("SELECT id FROM devices WHERE user = ? AND identity_key", "SELECT id FROM devices d WHERE d.user = ?"),
        ("SELECT 1 FROM members WHERE is_open", "SELECT 1 FROM members WHERE is_open = 1"),
        (
            "INSERT INTO instance (id, name) VALUES (1, ?) ON CONFLICT DO UPDATE SET name = excluded.name",
            "INSERT INTO instance (id, name) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name"
        ),
        ("INSERT OR IGNORE INTO instance (id, name) VALUES (1, ?)", "DELETE FROM instance WHERE id = ?1 AND name = ?2"),
        ("SELECT count(*) FROM (SELECT 1 FROM users)", "SELECT count(*) FROM (SELECT 1 FROM users) AS all_users"),
        (
            #"SELECT 1 FROM stored_bytes WHERE ("user", day) IN (VALUES (?, ?))"#,
            #"SELECT 1 FROM stored_bytes WHERE ("user", day) IN (VALUES (?, CAST(? AS BIGINT)))"#
        ),
    ]

    @Test("PostgreSQL prepares every statement", .enabled(if: PostgreSQL.isExpected, "PostgreSQL is not installed"))
    func everyStatementIsPrepared() throws {
        let recorded = try RecordedStatements()
        func prepared(_ statements: [String], _ name: String) -> [String] {
            statements.enumerated().map { "PREPARE \(name)\($0) AS \(Dialect.statement($1))" }
        }
        let own = prepared(recorded.statements, "own")
        let (refused, taken) = (
            prepared(Self.planted.map(\.0), "refused"), prepared(Self.planted.map(\.1), "taken")
        )
        let questions = [
            "SELECT count(*) FROM pg_prepared_statements",
            "SELECT word FROM pg_get_keywords() WHERE catcode IN ('R', 'T')",
        ]
        let outcome = try PostgreSQL().run(PostgreSQLSchema.statements + own + taken + refused + questions)

        let unexpected = outcome.refusals.filter { !refused.contains($0.statement) }
        #expect(unexpected.isEmpty, "\(unexpected.map { "\($0.reason)\n\($0.statement)" }.joined(separator: "\n"))")
        #expect(Set(outcome.refusals.map(\.statement)).isSuperset(of: refused))
        #expect(own.count > 100 && outcome.values.first == String(own.count + taken.count))

        // PostgreSQL takes a bare `user` for a function of its own, and says nothing.
        let reserved = Set(outcome.values.dropFirst()).intersection(recorded.names)
        #expect(reserved.contains("user") && outcome.values.count > 50)
        let bare = recorded.statements.filter { !Dialect.bare(reserved, in: $0).isEmpty }
        #expect(bare == [])
        #expect(!Dialect.bare(reserved, in: "SELECT user FROM presence").isEmpty)
        #expect(Dialect.bare(reserved, in: #"SELECT "user", p.user FROM presence WHERE made_by_user = :user"#).isEmpty)
    }
}
