import Foundation
import MQTTWire
import PostgreSQL
import PostgreSQLServer
import TestSupport
import Testing

@Suite("Connecting to a server", .ownThreads, .realServer, .timeLimit(.minutes(5)))
struct ConnectingTests {
    private func failure(_ uri: String, password: String? = nil) throws -> PostgreSQLError? {
        do throws(PostgreSQLError) {
            let settings = try PostgreSQLSettings(uri: uri, password: password, program: "tests")
            _ = try PostgreSQLConnection(settings)
            return nil
        } catch {
            return error
        }
    }

    @Test("a connection says what it is connected to")
    func connected() throws {
        let database = try PostgreSQLServer.shared().database()
        let connection = try database.connect()
        #expect(connection.serverVersion >= 150_000 && connection.process > 0 && !connection.isEncrypted)
        #expect(connection.isOpen && connection.transaction == .none && connection.fileDescriptor >= 0)
        let rows = try connection.query("SELECT current_database(), current_setting('application_name')")
        #expect(rows.text(0, 0) == database.name && rows.text(0, 1) == "tests")
    }

    @Test("a wrong password, no password, an unknown user and a missing database are told from each other")
    func refused() throws {
        let server = try PostgreSQLServer.shared()
        try? server.connect().execute("CREATE ROLE guest LOGIN PASSWORD 'right'")
        let guest = server.uri(user: "guest")
        #expect(try failure(guest, password: "right") == nil)
        let wrong = try #require(try failure(guest, password: "hunter2"))
        #expect(wrong.sqlState == .invalidPassword && !"\(wrong)".contains("hunter2"))
        #expect(try failure(guest) == .noPassword)
        #expect(try failure(server.uri(user: "nobody"))?.sqlState == .invalidAuthorization)
        let missing = try #require(try failure(server.uri(database: "none")))
        #expect(
            missing
                == .server(
                    sqlState: .invalidCatalogName, message: #"database "none" does not exist"#, constraint: nil))
    }

    @Test("a password is found in a file that only its owner reads")
    func passwordFile() throws {
        let server = try PostgreSQLServer.shared()
        try? server.connect().execute("CREATE ROLE guest LOGIN PASSWORD 'right'")
        let directory = try TemporaryDirectory()
        try directory.write("*:*:*:guest:right\n", to: "pass")
        try directory.setPermissions(0o600, of: "pass")
        let path = "\(directory.path)/pass".replacing("/", with: "%2F")
        #expect(try failure(server.uri(user: "guest", parameters: "passfile=\(path)")) == nil)
        try directory.write("*:*:*:guest:wrong\n", to: "pass")
        #expect(
            try failure(server.uri(user: "guest", parameters: "passfile=\(path)"))?.sqlState == .invalidPassword)
    }

    @Test("a socket that is not there and a port where nobody listens say so, and the next server is tried")
    func unreachable() throws {
        let port = try RefusingPort(0)
        for uri in ["postgres://localhost:\(port.number)/x", "postgres://u@%2Ftmp%2Fnone/x"] {
            guard case .connection(let reason) = try failure(uri) else { throw NeverCameError("a failure") }
            #expect(reason.contains("refused") || reason.contains("No such file"), "\(reason)")
        }
        let server = try PostgreSQLServer.shared()
        let folder = try #require(server.uri().firstMatch(of: /@([^\/]*)\//)).1
        #expect(try failure("postgres://parley@127.0.0.1:\(port.number),\(folder)/postgres") == nil)
        // A refusal counts for more than a server that is away.
        #expect(
            try failure("postgres://parley@127.0.0.1:\(port.number),\(folder)/none")?.sqlState == .invalidCatalogName)
        guard case .connection(let reason) = try failure("postgres://u@127.0.0.1:\(port.number),%2Ftmp%2Fnone/x") else {
            throw NeverCameError("a failure")
        }
        #expect(reason.contains("refused") && reason.contains("No such file"))
    }

    @Test("a server that only reads is refused, unless the URI takes it")
    func readOnly() throws {
        let database = try PostgreSQLServer.shared().database()
        try database.connect().execute("ALTER DATABASE \(database.name) SET default_transaction_read_only = on")
        guard case .connection(let reason) = try failure(database.uri) else { throw NeverCameError("a refusal") }
        #expect(reason.contains("read-only"))
        let connection = try database.connect(parameters: "target_session_attrs=any")
        do throws(PostgreSQLError) {
            try connection.execute("CREATE TABLE t (id bigint)")
            Issue.record("it wrote")
        } catch {
            #expect(error.sqlState == .readOnlyTransaction)
        }
    }

    @Test("by TLS a server must be who it says: its name and its authority are verified")
    func verified() throws {
        let directory = try TemporaryDirectory()
        let (right, other) = (try ServerCertificate(name: "localhost"), try ServerCertificate(name: "localhost"))
        try directory.write(right.certificate, to: "right.pem")
        try directory.write(other.certificate, to: "other.pem")
        var options = ServerOptions()
        options.port = try freePort()
        options.certificate = right
        let server = try PostgreSQLServer(options)
        func outcome(_ host: String, _ file: String?, _ more: String = "") throws -> PostgreSQLError? {
            let authority = file.map { "&sslrootcert=" + "\(directory.path)/\($0)".replacing("/", with: "%2F") } ?? ""
            let uri = server.networkURI(host: host, parameters: "sslmode=verify-full\(authority)\(more)")
            return try failure(uri, password: PostgreSQLServer.password)
        }
        #expect(try outcome("localhost", "right.pem") == nil)
        #expect(
            try outcome("db.example.org", "right.pem", "&hostaddr=127.0.0.1").reason?.contains("does not match") == true
        )
        #expect(try outcome("localhost", "other.pem").reason?.contains("certificate verify failed") == true)
        // The system's authorities are taken for another machine, and none of them has signed this.
        let uri =
            "postgres://parley@db.example.org:\(options.port ?? 0)/postgres?hostaddr=127.0.0.1&sslmode=verify-full"
        #expect(try failure(uri, password: PostgreSQLServer.password).reason != nil)
        #expect(try failure(server.networkURI(), password: "hunter2")?.sqlState == .invalidPassword)
    }

    @Test("large rows come whole by TLS")
    func largeRows() throws {
        let directory = try TemporaryDirectory()
        let certificate = try ServerCertificate(name: "localhost")
        try directory.write(certificate.certificate, to: "authority.pem")
        var options = ServerOptions()
        options.port = try freePort()
        options.certificate = certificate
        let server = try PostgreSQLServer(options)
        let path = "\(directory.path)/authority.pem".replacing("/", with: "%2F")
        let uri = server.networkURI(host: "localhost", parameters: "sslmode=verify-full&sslrootcert=\(path)")
        let settings = try PostgreSQLSettings(uri: uri, password: PostgreSQLServer.password, program: "tests")
        let connection = try PostgreSQLConnection(settings)
        #expect(connection.isEncrypted)
        connection.timeLimit = patience
        // Sizes around those of records, 16 KiB, and of libpq's buffer.
        for size in [8_190, 16_383, 16_384, 16_385, 20_000, 32_768, 100_000, 3_000_000] {
            for _ in 0..<20 {
                let rows = try connection.query("SELECT repeat('x', CAST($1 AS integer))", [.integer(size)])
                #expect(rows.text(0, 0)?.utf8.count == size)
            }
        }
        let content = PostgreSQLValue.bytes(Array(repeating: 7, count: 100_000))
        for _ in 0..<200 { try connection.send("SELECT CAST($1 AS bytea)", [content]) }
        try connection.sync()
    }

    @Test("a server without TLS is not taken for one that has it")
    func withoutTLS() throws {
        var options = ServerOptions()
        options.port = try freePort()
        let server = try PostgreSQLServer(options)
        let uri = server.networkURI(parameters: "sslmode=require")
        #expect(try failure(uri, password: PostgreSQLServer.password).reason?.contains("SSL") == true)
        #expect(try failure(server.networkURI(), password: PostgreSQLServer.password) == nil)
    }
}

extension PostgreSQLError? {
    fileprivate var reason: String? {
        if case .connection(let reason) = self { reason } else { nil }
    }
}
