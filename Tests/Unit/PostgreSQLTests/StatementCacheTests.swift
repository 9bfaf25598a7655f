import PostgreSQLServer
import TestSupport
import Testing

@testable import PostgreSQL

@Suite("Prepared statements", .ownThreads, .realServer, .timeLimit(.minutes(5)))
final class StatementCacheTests: ConnectionSuite {
    private func prepared(_ connection: PostgreSQLConnection) throws -> Int {
        // Not counting itself.
        try #require(try connection.query("SELECT count(*) FROM pg_prepared_statements").integer(0, 0)) - 1
    }

    @Test("a statement is prepared once")
    func once() throws {
        for id in 0..<10 { #expect(try number("SELECT CAST($1 AS bigint)", [.integer(id)]) == id) }
        #expect(try prepared(connection) == 1)
    }

    @Test("beyond the limit the one that was used least recently gives way, here and on the server")
    func leastRecentlyUsed() throws {
        let connection = try database.connect(statementLimit: 10)
        for turn in 0..<50 {
            _ = try connection.query("SELECT \(turn)")
            _ = try connection.query("SELECT 'kept'")
        }
        #expect(connection.statements.count == 10)
        #expect(connection.statements.use("SELECT 'kept'") != nil)
        #expect(connection.statements.use("SELECT 49") != nil)
        #expect(connection.statements.use("SELECT 0") == nil)
        // One gave way when this question was prepared, and is forgotten with the next that is.
        #expect(try prepared(connection) <= 11)
        #expect(try connection.query("SELECT 0").integer(0, 0) == 0)
    }

    @Test("a statement that could not be forgotten, as a failure was before it, is forgotten later")
    func forgottenLater() throws {
        let connection = try database.connect(statementLimit: 2)
        for turn in 0..<5 {
            _ = try connection.query("SELECT \(turn)")
            try? connection.send("SELECT 1 / 0")
            try? connection.send("SELECT \(turn), 2")
            #expect(try failure { try connection.sync() } != nil)
        }
        _ = try connection.query("SELECT 'last'")
        #expect(try prepared(connection) <= 3)
        #expect(connection.statements.retired.count <= 2)
    }

    @Test("a transaction that has failed is rolled back, though statements are to be forgotten")
    func rollback() throws {
        let connection = try database.connect(statementLimit: 1)
        for _ in 0..<3 {
            try connection.send("BEGIN")
            try? connection.send("SELECT 1 / 0")
            #expect(try failure { try connection.sync() } != nil)
            #expect(!connection.statements.retired.isEmpty)
            try connection.rollback()
            #expect(connection.transaction == .none)
        }
        #expect(try prepared(connection) <= 2)
    }

    @Test("a statement that the server has lost, or whose table has changed, is prepared anew")
    func lost() throws {
        try connection.execute("CREATE TABLE t (id bigint)")
        let query = "SELECT * FROM t"
        _ = try connection.query(query)
        try connection.execute("ALTER TABLE t ADD COLUMN name text")
        #expect(
            try failure { _ = try connection.query(query) }?.sqlState == .featureNotSupported)
        #expect(try connection.query(query).columnCount == 2)
        try connection.execute("DEALLOCATE ALL")
        #expect(
            try failure { _ = try connection.query(query) }?.sqlState
                == .invalidStatementName)
        #expect(try connection.query(query).columnCount == 2)
        #expect(connection.statements.retired.isEmpty)
    }
}
