import PostgreSQL
import PostgreSQLServer
import TestSupport
import Testing

@Suite("Losing a connection", .ownThreads, .realServer, .timeLimit(.minutes(5)))
struct LosingTests {
    /// Returns when the connection has a statement under way.
    private static func awaitStatement(of process: Int32, on database: TestDatabase) throws {
        let observer = try database.connect()
        try eventually("a statement under way") { () -> Void? in
            let rows = try observer.query(
                "SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND state = 'active' AND wait_event = 'PgSleep'",
                [.integer(Int(process))])
            return rows.count > 0 ? () : nil
        }
    }

    @Test("a server that is killed while a statement runs", arguments: [true, false])
    func killed(wholly: Bool) async throws {
        let server = try PostgreSQLServer()
        let database = try server.database()
        let connection = try database.connect()
        let process = connection.process
        let killer = taskOnOwnThreads {
            try Self.awaitStatement(of: process, on: database)
            if wholly { server.kill() } else { server.stop() }
        }
        let error = try failure { _ = try connection.query("SELECT pg_sleep(100)") }
        try await killer.value
        #expect(error?.leavesOutcomeOpen == true)
        // The server that only ends says so.
        if !wholly { #expect(error?.sqlState == .adminShutdown) }
        #expect(!connection.isOpen && connection.transaction == .unknown)
        for _ in 0..<2 {
            let again = try failure { _ = try connection.query("SELECT 1") }
            guard case .broken = again else { throw NeverCameError("a broken connection") }
        }
        try server.start()
        let next = try database.connect()
        #expect(try next.query("SELECT 1").integer(0, 0) == 1)
    }

    @Test("a server that is paused is given up after the time limit, and the connection says so")
    func paused() throws {
        let server = try PostgreSQLServer()
        let connection = try server.connect()
        _ = try connection.query("SELECT 1")
        server.pause()
        defer { server.resume() }
        connection.timeLimit = .milliseconds(100)
        let began = ContinuousClock.now
        #expect(try failure { _ = try connection.query("SELECT 1") } == .timedOut)
        #expect(.now - began >= .milliseconds(100))
        #expect(
            try failure { try connection.send("SELECT 1") }
                == .broken(reason: "PostgreSQL did not answer in time"))
        // Nor does it accept anybody.
        var settings = try PostgreSQLSettings(uri: server.uri(), program: "tests")
        settings.connectLimit = .milliseconds(100)
        #expect(try failure { _ = try PostgreSQLConnection(settings) } == .timedOut)
    }

    @Test("a paused server does not hold up whoever only writes for longer than the time limit")
    func pausedWhileWriting() throws {
        let server = try PostgreSQLServer()
        let connection = try server.connect()
        let statement = "SELECT CAST($1 AS bytea)"
        _ = try connection.query(statement, [.bytes([1])])
        server.pause()
        defer { server.resume() }
        connection.timeLimit = .milliseconds(100)
        let content = PostgreSQLValue.bytes(Array(repeating: 1, count: 1 << 20))
        let error = try failure {
            for _ in 0..<100 { try connection.send(statement, [content]) }
        }
        #expect(error == .timedOut)
    }

    @Test("a statement that is cancelled from another thread fails, and the connection goes on")
    func cancelled() async throws {
        let database = try PostgreSQLServer.shared().database()
        let connection = try database.connect()
        let (canceller, process) = (connection.canceller, connection.process)
        let task = taskOnOwnThreads {
            try Self.awaitStatement(of: process, on: database)
            return canceller.cancel()
        }
        let error = try failure { _ = try connection.query("SELECT pg_sleep(100)") }
        #expect(try await task.value)
        #expect(error?.sqlState == .queryCanceled && error?.leavesOutcomeOpen == false)
        #expect(try connection.query("SELECT 1").integer(0, 0) == 1)
    }

    @Test("a connection that the server has ended says why, at the next statement")
    func terminated() throws {
        let database = try PostgreSQLServer.shared().database()
        let (connection, other) = (try database.connect(), try database.connect())
        _ = try other.query("SELECT pg_terminate_backend($1, 10000)", [.integer(Int(connection.process))])
        let error = try failure { _ = try connection.query("SELECT 1") }
        #expect(error?.sqlState == .adminShutdown && error?.leavesOutcomeOpen == true)
        #expect(!connection.isOpen)
    }

    @Test("a connection that was closed is broken")
    func closed() throws {
        let connection = try PostgreSQLServer.shared().connect()
        connection.close()
        connection.close()
        #expect(
            try failure { try connection.sync() } == .broken(reason: "it was closed here"))
    }
}
