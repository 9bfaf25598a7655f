import Foundation
import TestedStores
import Testing

@testable import ParleyStore

/// PostgreSQL refuses the rows that SQLite refuses, for the same reason, and takes those that it takes: the table of
/// ``SchemaTests`` on the other engine.
@Suite(
    "The constraints of both engines", .enabled(if: PostgreSQL.isExpected, "PostgreSQL is not installed"),
    .timeLimit(.minutes(20)))
struct ConstraintComparisonTests {
    /// A statement in PostgreSQL's words: SQLite's bytes, and the column `user`.
    private func translated(_ sql: String) -> String {
        sql.replacing(/x'(?<hex>[0-9a-f]*)'/) { #"'\x\#($0.output.hex)'::bytea"# }
            .quotingUser.onOneLine
    }

    /// What ``SchemaTests`` has before each statement.
    private static let before = [
        """
        INSERT INTO users (id, role, display_name, created_at)
        VALUES ('alice', 'member', 'A', 0), ('bob', 'member', 'B', 0)
        """,
        """
        INSERT INTO conversations (key, id, type, created_by, created_at, updated_at, epoch)
        VALUES (1, \(SchemaTests.id), 'group', 'alice', 0, 0, 'e')
        """,
        "INSERT INTO members (conversation, user, role, joined_at) VALUES (1, 'alice', 'admin', 0)",
        SchemaTests.record(position: 1, seq: 1, id: SchemaTests.id),
        "INSERT INTO outbox (position, topic, payload, retain) VALUES (9, x'00', x'00', 0)",
    ]

    private static let cases: [(statement: SchemaTests.Statement, before: [String])] =
        (SchemaTests.first + SchemaTests.later + SchemaTests.groups + SchemaTests.challenges + SchemaTests.engines)
        .filter { !isOfOneGateway($0) }.map { ($0, []) } + SchemaTests.inGroups.map { ($0, [SchemaTests.aGroup]) }
        + (SchemaTests.workouts + SchemaTests.onBoards).map { ($0, SchemaTests.withBoards) }

    /// What is one row in a file, and in PostgreSQL a row of each gateway.
    private static func isOfOneGateway(_ statement: SchemaTests.Statement) -> Bool {
        statement.constraint == SchemaTests.check("id = 1")
    }

    /// How PostgreSQL begins to say why it refuses what SQLite refuses with these words.
    private func reason(for words: String) -> String {
        if words.hasPrefix("CHECK") { return "violates check constraint" }
        if words.hasPrefix("UNIQUE") { return "violates unique constraint" }
        return words.hasPrefix("FOREIGN KEY") ? "violates foreign key constraint" : "bigint"
    }

    @Test("PostgreSQL refuses and takes what SQLite does")
    func rowsAreRefusedAlike() throws {
        // SQLite's function of the same name.
        let zeros = "CREATE FUNCTION zeroblob(integer) RETURNS bytea RETURN decode(repeat('00', $1), 'hex')"
        func alone(_ statements: [String]) -> [String] { ["BEGIN"] + statements.map(translated) + ["ROLLBACK"] }
        let session = Self.cases.flatMap { statement, before in
            alone(Self.before + before + [statement.refused]) + alone(Self.before + before + [statement.accepted])
        }
        let outcome = try PostgreSQL().run(PostgreSQLSchema.statements + [zeros] + session)
        let found = outcome.refusals.map { "\($0.statement)\n\($0.reason)" }.joined(separator: "\n")
        #expect(Self.cases.count > 90 && outcome.refusals.count == Self.cases.count, "\(found)")
        for ((statement, _), refusal) in zip(Self.cases, outcome.refusals) {
            #expect(refusal.statement == translated(statement.refused), "\(statement.testDescription)")
            #expect(refusal.reason.contains(reason(for: statement.constraint)), "\(statement): \(refusal.reason)")
        }
    }
}
