import Foundation
import ParleyProtocol
import TestNames
import TestSupport
import Testing

@testable import ParleyStore

/// The store's SQL is what SQLite and PostgreSQL share, but for what `Dialect` names. `PreparedStatementTests` asks
/// PostgreSQL itself.
@Suite("The store's statements on another engine", .timeLimit(.minutes(20)))
struct PortabilityTests {
    private static let sources = Document.root.appending(path: "Sources/ParleyStore")

    private func missing(_ literals: [SQLLiteral], in statements: [String]) -> [SQLLiteral] {
        literals.filter { literal in !statements.contains(where: literal.occurs) }
    }

    @Test("no statement in the store's sources is left out of the scenario")
    func everyStatementIsRun() throws {
        let recorded = try RecordedStatements()
        // Those of a transfer are about whichever tables there are: `DatabaseTransferTests` runs them on both engines.
        // Those of pushes that cells share have tables that a file has not: `SharedPushesTests` runs them.
        // Those of database files are of files alone, which a server has not.
        let literals = try SQLLiteral.all(below: Self.sources, besides: ["Migrations", "Transfer", "Shared", "Files"])
        #expect(literals.count > 130)
        #expect(missing(literals, in: recorded.statements) == [])
        // Nor is anything else run than queries: what is the connection's own is named.
        let beginnings = ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH "]
        #expect(recorded.statements.filter { sql in !beginnings.contains { sql.hasPrefix($0) } } == [])
    }

    @Test("a statement that nobody runs is found, in whichever form it is written")
    func unrunStatementIsFound() throws {
        let source = ##"""
            // "SELECT 0 FROM comment"
            let one = "SELECT 1 FROM \(table(of: "x")) WHERE a = ?", word = "selected"
            let two = #"DELETE FROM "user" WHERE id = \#(id)"#
            let three = """
                UPDATE records
                    SET content = NULL
                """
            let four = done ? "ORDER BY r.seq" : "ORDER BY r.seq DESC"
            """##
        let literals = SQLLiteral.all(in: source, file: "")
        #expect(literals.map { $0.pieces.count } == [2, 2, 1, 1, 1])
        let run = ["SELECT 1 FROM users WHERE a = ?", "SELECT 2 FROM a ORDER BY r.seq LIMIT 1"]
        #expect(
            missing(literals, in: run).map { $0.pieces[0] } == [
                #"DELETE FROM "user" WHERE id ="#, "UPDATE records SET content = NULL", "ORDER BY r.seq DESC",
            ])
    }

    @Test("parameters are numbered as PostgreSQL has them")
    func parametersAreNumbered() {
        let cases = [
            ("a = ? AND b = ? OR c = '?:x'", "a = $1 AND b = $2 OR c = '?:x'"),
            ("a = ?2 AND b = ?1 AND c = ?2", "a = $2 AND b = $1 AND c = $2"),
            ("a = :owner AND b = :viewer AND c = :owner", "a = $1 AND b = $2 AND c = $1"),
        ]
        for (text, expected) in cases { #expect(Dialect.statement(text) == expected) }
    }
}
