import Platform
import PostgreSQLServer
import TestSupport
import Testing

@testable import PostgreSQL

@Suite("Statements in a pipeline", .ownThreads, .realServer, .timeLimit(.minutes(5)))
final class PipelineTests: ConnectionSuite {
    override init() throws {
        try super.init()
        try connection.execute("CREATE TABLE t (id bigint CONSTRAINT t_key PRIMARY KEY, content bytea)")
    }

    private let insert = "INSERT INTO t (id, content) VALUES ($1, $2)"

    private func count() throws -> Int { try number("SELECT count(*) FROM t") }

    @Test("ten thousand statements with a kilobyte each go through, in order")
    func manyOut() throws {
        let content = [UInt8](repeating: 7, count: 1024)
        try connection.send("BEGIN")
        for id in 1...10_000 { try connection.send(insert, [.integer(id), .bytes(content)]) }
        try connection.send("COMMIT")
        try connection.sync()
        #expect(try count() == 10_000)
        #expect(try number("SELECT sum(length(content)) FROM t") == 10_240_000)
    }

    @Test("ten thousand statements whose results have a kilobyte each do not block both sides")
    func manyBothWays() throws {
        let content = [UInt8](repeating: 7, count: 1024)
        for _ in 0..<10_000 { try connection.send("SELECT CAST($1 AS bytea)", [.bytes(content)]) }
        try connection.sync()
        #expect(try number("SELECT 1") == 1)
    }

    @Test("statements and results that are larger than what both sides buffer do not block them")
    func largeBothWays() throws {
        let content = [UInt8](repeating: 7, count: 4 << 20)
        for _ in 0..<10 { try connection.send("SELECT CAST($1 AS bytea)", [.bytes(content)]) }
        try connection.sync()
        #expect(try number("SELECT 1") == 1)
    }

    @Test("several queries of one round trip give their rows each")
    func several() throws {
        let rows = try connection.query(all: (1...5).map { ("SELECT CAST($1 AS bigint)", [.integer($0)]) })
        #expect(rows.map { $0.integer(0, 0) } == [1, 2, 3, 4, 5])
        #expect(try connection.query(all: []).isEmpty)
    }

    @Test("the first failure is thrown, not what was skipped after it, and nothing is done")
    func firstFailure() throws {
        try connection.send("BEGIN")
        try connection.send(insert, [.integer(1), .null])
        try? connection.send(insert, [.integer(1), .null])
        try? connection.send("INSERT INTO t (id) VALUES (1 / ($1 - 1))", [.integer(1)])
        try? connection.send("COMMIT")
        let error = try failure { try connection.sync() }
        guard case .server(let state, let message, let constraint) = try #require(error) else {
            throw NeverCameError("a refusal")
        }
        #expect(state == .uniqueViolation && constraint == "t_key")
        // The detail names the key's value.
        #expect(message == #"duplicate key value violates unique constraint "t_key""#)
        #expect(connection.transaction == .failed)
        try connection.rollback()
        #expect(connection.transaction == .none)
        #expect(try count() == 0)
    }

    @Test("a query throws the failure of what was sent before it, and is not run")
    func failureBeforeQuery() throws {
        try connection.send("INSERT INTO t (id) VALUES ($1)", [.integer(1)])
        try? connection.send("INSERT INTO t (id) VALUES ($1)", [.integer(1)])
        let error = try failure {
            _ = try connection.query("INSERT INTO t (id) VALUES (2) RETURNING id")
        }
        #expect(error?.sqlState == .uniqueViolation)
        // Without BEGIN they were one transaction.
        #expect(try count() == 0)
    }

    @Test("what came before a value that does not fit cannot be committed any more")
    func failureOfOurs() throws {
        for begins in [false, true] {
            if begins { try connection.send("BEGIN") }
            try connection.send(insert, [.integer(1), .null])
            let error = try failure { try connection.send(insert, [.text("x"), .null]) }
            #expect(error == .valueDoesNotFit(parameter: 1, type: .int8))
            #expect(
                try failure { try connection.send(insert, [.integer(2), .null]) } == error)
            #expect(try failure { try connection.sync() } == error)
            if begins {
                #expect(connection.transaction == .failed)
                let refusal = try failure { _ = try connection.query("COMMIT") }
                #expect(refusal?.sqlState == .failedTransaction)
            }
            #expect(connection.transaction == .none)
            #expect(try count() == 0)
        }
    }

    @Test("COMMIT in a transaction that has failed is a failure", arguments: ["COMMIT", "\n  commit work"])
    func commitAfterFailure(commit: String) throws {
        _ = try connection.query("BEGIN")
        _ = try failure { _ = try connection.query("SELECT 1 / 0") }
        try connection.send(commit)
        let error = try failure { try connection.sync() }
        #expect(error?.sqlState == .failedTransaction)
        #expect(connection.transaction == .none)
    }

    @Test("what fails only when it is committed is a failure of the point of synchronization, in a transaction or not")
    func deferred() throws {
        try connection.execute(
            "CREATE TABLE d (id bigint CONSTRAINT d_parent REFERENCES t (id) DEFERRABLE INITIALLY DEFERRED)")
        let insert = "INSERT INTO d (id) VALUES ($1)"
        for begins in [false, true, false] {
            if begins { try connection.send("BEGIN") }
            try connection.send(insert, [.integer(7)])
            if begins { try connection.send("COMMIT") }
            let error = try failure { try connection.sync() }
            #expect(error?.sqlState == .foreignKeyViolation)
            #expect(connection.transaction == .none)
            #expect(try number("SELECT count(*) FROM d") == 0)
        }
        let error = try failure { _ = try connection.query("INSERT INTO d (id) VALUES (7) RETURNING id") }
        #expect(error?.sqlState == .foreignKeyViolation)
    }

    @Test("a reply that is here is taken, though its time is over: it was this process that was away")
    func late() throws {
        #expect(try number("SELECT 1") == 1)
        let handle = try connection.openHandle()
        try connection.enqueue("SELECT 1", [], nil)
        try handle.sendSync()
        connection.pending.append(.synced)
        var watched = [WatchedDescriptor(connection.fileDescriptor)]
        #expect(try waitForEvents(&watched, timeout: patience) == 1)
        try connection.receive(handle, leaving: 0, until: .now.advanced(by: .seconds(-1)))
        #expect(connection.isOpen && connection.pending.isSynced)
    }

    @Test("rolling back drops what was sent, whether or not it failed")
    func rollback() throws {
        try connection.rollback()
        try connection.send("BEGIN")
        try connection.send(insert, [.integer(1), .null])
        try connection.rollback()
        #expect(try count() == 0)
        try connection.send("BEGIN")
        try? connection.send("SELECT * FROM none")
        try connection.rollback()
        #expect(try count() == 0 && connection.transaction == .none)
    }

    @Test("a statement that the server does not understand, and one with NUL, are refused and the next is not")
    func refusedStatements() throws {
        for (text, state) in [
            ("SELEC", SQLState.syntaxError), ("SELECT * FROM none", .undefinedTable),
            ("SELECT a FROM t", .undefinedColumn),
        ] {
            #expect(try failure { _ = try connection.query(text) }?.sqlState == state)
        }
        #expect(try failure { try connection.send("SELECT '\0'") } == .invalidText)
        #expect(try failure { try connection.sync() } == .invalidText)
        #expect(try failure { try connection.execute("SELECT '\0'") } == .invalidText)
        #expect(try count() == 0)
    }

    @Test("a message of a data exception is shown without the value that it quotes")
    func dataException() throws {
        let error = try failure {
            _ = try connection.query("SELECT CAST(CAST($1 AS text) AS bigint)", [.text("hunter2")])
        }
        guard case .server(let state, let message, _) = try #require(error) else { throw NeverCameError("a refusal") }
        #expect(state.isOfClass("22") && !"\(message)".contains("hunter2") && message.contains("invalid input"))
    }

    @Test("a script of many statements is one transaction, and its failure leaves the connection as it was")
    func scripts() throws {
        try connection.send(insert, [.integer(1), .null])
        try connection.execute("INSERT INTO t (id) VALUES (2); INSERT INTO t (id) VALUES (3)")
        #expect(try count() == 3)
        let error = try failure {
            try connection.execute("INSERT INTO t (id) VALUES (4); INSERT INTO t (id) VALUES (3); SELECT 1")
        }
        #expect(error?.sqlState == .uniqueViolation)
        #expect(try count() == 3)
        try connection.execute("")
        try connection.execute("SET lock_timeout = 1000")
        #expect(try connection.query("SHOW lock_timeout").text(0, 0) == "1s")
    }

    @Test("a script that waits for data is refused, and does not hang", arguments: ["IN", "OUT"])
    func copies(direction: String) throws {
        let script = direction == "IN" ? "COPY t FROM STDIN" : "COPY t TO STDOUT"
        let error = try failure { try connection.execute(script) }
        #expect(error == .broken(reason: "a script cannot use COPY"))
        #expect(!connection.isOpen)
    }

    @Test("a statement that begins COPY breaks the connection, and does not hang")
    func preparedCopy() throws {
        let error = try failure { _ = try connection.query("COPY t TO STDOUT") }
        #expect(error != nil)
    }

    @Test("two transactions in each other's way: one fails with a code that says to try again")
    func serialization() throws {
        try connection.execute("INSERT INTO t (id) VALUES (1), (2)")
        let other = try database.connect()
        for connection in [connection, other] {
            try connection.send("BEGIN ISOLATION LEVEL SERIALIZABLE")
            _ = try connection.query("SELECT count(*) FROM t")
        }
        try connection.send("INSERT INTO t (id) VALUES (3)")
        try connection.send("COMMIT")
        try connection.sync()
        try? other.send("INSERT INTO t (id) VALUES (4)")
        try? other.send("COMMIT")
        let error = try failure { try other.sync() }
        #expect(error?.sqlState == .serializationFailure && error?.sqlState?.isTransient == true)
        #expect(error?.leavesOutcomeOpen == false)
    }

    @Test("of a client that stands still in a transaction the server knows that it does", arguments: [1, 2_000])
    func standingStill(_ count: Int) throws {
        try connection.send("BEGIN")
        for _ in 0..<count { try connection.send("LOCK TABLE t") }
        // The last of them may still be in memory; what came before is with the server.
        try connection.send("SELECT 1")
        let other = try database.connect()
        try eventually("a transaction of which it counts the time") {
            let state = "SELECT state FROM pg_stat_activity WHERE pid = $1"
            let found = try other.query(state, [.integer(Int(connection.process))]).text(0, 0)
            return found == "idle in transaction" ? () : nil
        }
        try connection.rollback()
    }

    @Test("a failure among many statements of a transaction is the first one, and nothing of it is kept")
    func failureAmongMany() throws {
        try connection.send("BEGIN")
        let error = try failure {
            for id in 1...5_000 { try connection.send(insert, [.integer(id == 100 ? 1 : id), .null]) }
            try connection.send("COMMIT")
            try connection.sync()
        }
        #expect(error?.sqlState == .uniqueViolation)
        try? connection.sync()
        #expect(connection.transaction == .failed)
        try connection.rollback()
        #expect(try count() == 0)
    }
}
