import ParleyPostgreSQL
import Testing

@testable import ParleyStore

/// How PostgreSQL finds what the store's statements ask for: as SQLite does, by an index.
@Suite(
    "The plans of the store's statements in PostgreSQL",
    .enabled(if: PostgreSQL.isExpected, "PostgreSQL is not installed"), .timeLimit(.minutes(20)))
struct PostgreSQLPlanTests {
    /// A node of a plan that reads: what it reads, and by what.
    private static var reading: Regex<(Substring, way: Substring, what: Substring, table: Substring?)> {
        #/
        (?<way>Seq\ Scan\ on|Bitmap\ Index\ Scan\ on|Index(?:\ Only)?\ Scan(?:\ Backward)?\ using)
        \ (?<what>\w+)(?:\ on\ (?<table>\w+))?
        /#
    }

    /// The nodes of a plan that go through a whole table or index.
    ///
    /// - Parameter plan: as `EXPLAIN` prints it, a node and what holds of it on lines of their own.
    private func scans(_ plan: ArraySlice<String>, of sql: String) -> [String] {
        zip(plan, plan.dropFirst() + [""]).filter { line, next in
            guard let node = line.firstMatch(of: Self.reading) else { return false }
            let isFirst = node.way.hasPrefix("Index") && sql.hasSuffix("LIMIT 1")
            let isSingle = StatementPlanTests.single.contains(String(node.table ?? node.what))
            return !next.contains("Index Cond:") && !isFirst && !isSingle
        }.map(\.0)
    }

    private func explained(_ sql: String, as name: String) -> [String] {
        let statement = Dialect.statement(StatementPlanTests.filled(sql))
        let parameters = Set(statement.matches(of: /\$\d+/).map { String($0.output) }).count
        let values = parameters == 0 ? "" : "(\(Array(repeating: "NULL", count: parameters).joined(separator: ", ")))"
        return [
            "PREPARE \(name) AS \(statement)", "SELECT '\(name)'", "EXPLAIN (COSTS OFF) EXECUTE \(name)\(values)",
        ]
    }

    @Test("no statement goes through a whole table, but those that must, although nothing is known of the tables")
    func statementsAreLookedUp() throws {
        let recorded = try RecordedStatements()
        let planted = [
            "SELECT id FROM devices WHERE last_seen = ?", "SELECT seq FROM records ORDER BY position",
            "SELECT m.conversation FROM members m WHERE m.is_open = 1 OR m.role = ?",
        ]
        let statements = recorded.statements + planted
        let preparation = PostgreSQLSchema.statements + PostgreSQLRows.statements + PlannerSettings.statements
        let outcome = try PostgreSQL().run(
            preparation + statements.enumerated().flatMap { explained($1, as: "statement\($0)") })
        #expect(outcome.refusals.map { "\($0.reason) \($0.statement)" } == [])

        var found: [String] = []
        let starts = outcome.values.indices.filter { outcome.values[$0].hasPrefix("statement") }
        try #require(starts.count == statements.count)
        for (number, sql) in statements.enumerated() {
            let end = number + 1 < starts.count ? starts[number + 1] : outcome.values.endIndex
            let plan = outcome.values[(starts[number] + 1)..<end]
            #expect(!plan.isEmpty)
            let nodes = scans(plan, of: sql)
            if planted.contains(sql) {
                #expect(nodes.count == 1, "\(sql)")
            } else if !nodes.isEmpty, !StatementPlanTests.scans.contains(where: sql.hasPrefix) {
                found.append("\(nodes): \(sql)")
            }
        }
        #expect(found == [], "\(found.joined(separator: "\n"))")
    }
}
