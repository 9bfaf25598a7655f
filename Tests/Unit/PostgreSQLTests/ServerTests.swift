import PostgreSQL
import PostgreSQLServer
import Synchronization
import TestSupport
import Testing

/// The server that tests have.
@Suite("A server for tests", .ownThreads, .realServer, .timeLimit(.minutes(5)))
struct ServerTests {
    @Test("databases like one that was prepared once have what it has, and nothing of each other")
    func templates() throws {
        let server = try PostgreSQLServer()
        let preparations = Atomic<Int>(0)
        let databases = try (0..<3).map { _ in
            try server.database(like: "kept") { connection in
                preparations.add(1, ordering: .relaxed)
                try connection.execute("CREATE TABLE t (id bigint); INSERT INTO t VALUES (1)")
            }
        }
        #expect(preparations.load(ordering: .relaxed) == 1)
        for database in databases {
            let connection = try database.connect()
            #expect(
                try connection.query("INSERT INTO t VALUES (2) RETURNING (SELECT count(*) FROM t)").integer(0, 0) == 1)
        }
        let empty = try server.database().connect()
        #expect(try failure { _ = try empty.query("SELECT * FROM t") }?.sqlState == .undefinedTable)
    }

    @Test("what was committed is there after the server was killed, and the server is another")
    func restart() throws {
        var options = ServerOptions()
        options.syncs = true
        let server = try PostgreSQLServer(options)
        let database = try server.database()
        try database.connect().execute("CREATE TABLE t (id bigint); INSERT INTO t VALUES (1)")
        for round in 1...2 {
            let before = server.processIdentifier
            if round == 1 { server.kill() } else { server.stop() }
            #expect(server.processIdentifier == nil)
            #expect(try failure { _ = try database.connect() } != nil)
            try server.start()
            #expect(server.processIdentifier != before)
            #expect(try database.connect().query("SELECT count(*) FROM t").integer(0, 0) == 1)
        }
    }

    @Test("a database is dropped when its value is gone and nobody is connected any more")
    func dropped() throws {
        let server = try PostgreSQLServer()
        let observer = try server.connect()
        func exists(_ name: String) throws -> Bool {
            try observer.query("SELECT 1 FROM pg_database WHERE datname = $1", [.text(name)]).count == 1
        }
        var database: TestDatabase? = try server.database()
        let name = try #require(database?.name)
        let connection = try #require(try database?.connect())
        database = nil
        #expect(try connection.query("SELECT 1").integer(0, 0) == 1)
        #expect(try exists(name))
        connection.close()
        try eventually("the end of the connection") { () -> Void? in
            try observer.query("SELECT 1 FROM pg_stat_activity WHERE datname = $1", [.text(name)]).count == 0 ? () : nil
        }
        // With the next one that goes.
        _ = try server.database()
        #expect(try !exists(name))
    }
}
