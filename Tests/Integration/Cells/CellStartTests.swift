import Foundation
import Glibc
import Launch
import ParleyProtocol
import PostgreSQL
import PostgreSQLServer
import TestSupport
import Testing

/// How a gateway begins whose database is on a server, and what it says when it cannot.
@Suite("Starting on a server's database", .ownThreads, .postgreSQL)
struct CellStartTests {
    private let server: PostgreSQLServer
    private let database: TestDatabase

    init() throws {
        server = try CellSite.durableServer()
        database = try server.database()
    }

    /// Parleyd says why it waits, ends when it is asked to, and goes on when the cause is gone.
    private func waits(_ gateway: TestGateway, saying sentence: String, until repair: (() throws -> Void)?) throws {
        try gateway.startBroker()
        try gateway.launchParleyd()
        try eventually("the reason") { gateway.log.contains("the database cannot be used yet") ? () : nil }
        #expect(gateway.log.contains(sentence), "\(gateway.log)")
        #expect(gateway.isParleydRunning && !gateway.isReady)
        guard let repair else {
            #expect(gateway.endParleyd(SIGTERM) == 0)
            return
        }
        try repair()
        try gateway.awaitReady()
        _ = try gateway.person()
    }

    private func gateway(_ uri: String? = nil) throws -> TestGateway {
        try CellSite.gateway("main", uri ?? database.uri)
    }

    /// Runs parleyd to its end.
    private func refusal(_ gateway: TestGateway) throws -> (status: Int32, output: String, errors: String) {
        try gateway.run(["--data", gateway.directory] + gateway.arguments)
    }

    @Test("while PostgreSQL is away it says so and waits, and then goes on")
    func away() throws {
        server.stop(with: SIGINT)
        try waits(try gateway(), saying: "the database cannot be used now") { try server.start() }
    }

    @Test("a database that is missing is named, with status 78, and taken once it is there")
    func missingDatabase() throws {
        let gateway = try gateway(server.uri(database: "later"))
        let refused = try refusal(gateway)
        #expect(refused.status == 78)
        #expect(refused.errors.contains(#"database "later" does not exist"#), "\(refused.errors)")
        try server.connect().execute("CREATE DATABASE later")
        try gateway.startBroker()
        try gateway.startParleyd()
    }

    @Test("where nobody listens it waits")
    func wrongAddress() throws {
        try waits(
            try gateway("postgresql://parley@127.0.0.1:1/parley"), saying: "the database cannot be used now",
            until: nil)
    }

    @Test("a wrong password, none, and an unknown user are called so, with status 78; a password is in no sentence")
    func wrongPassword() throws {
        try server.connect().execute("CREATE ROLE guest LOGIN PASSWORD 'right'")
        let file = "\(NSTemporaryDirectory())/\(newID())"
        defer { try? FileManager.default.removeItem(atPath: file) }
        #expect(
            FileManager.default.createFile(
                atPath: file, contents: Data("wrong horse\n".utf8), attributes: [.posixPermissions: 0o600]))
        let uri = server.uri(database: database.name, user: "guest")
        let stranger = server.uri(database: database.name, user: "stranger")
        for (arguments, sentence) in [
            (["--store", uri, "--store-password-file", file], "password authentication failed"),
            (["--store", uri], "it asks for a password, and none is given"),
            (["--store", stranger], #"role "stranger" does not exist"#),
        ] {
            let refused = try refusal(try TestGateway(arguments: arguments, start: false))
            #expect(refused.status == 78)
            #expect(refused.errors.contains(sentence), "\(refused.errors)")
            #expect(!refused.errors.contains("wrong horse"))
        }
    }

    /// A cell of a user whose password can be changed, which is 'right' at first.
    private func guestGateway() throws -> (TestGateway, PostgreSQLConnection) {
        let connection = try server.connect()
        try connection.execute("CREATE ROLE guest LOGIN SUPERUSER PASSWORD 'right'")
        let file = "\(NSTemporaryDirectory())/\(newID())"
        defer { try? FileManager.default.removeItem(atPath: file) }
        #expect(
            FileManager.default.createFile(
                atPath: file, contents: Data("right\n".utf8), attributes: [.posixPermissions: 0o600]))
        let uri = server.uri(database: database.name, user: "guest")
        let gateway = try TestGateway(
            arguments: ["--store", uri, "--store-password-file", file, "--cell", "main"],
            start: false)
        try gateway.startBroker()
        try gateway.startParleyd()
        return (gateway, connection)
    }

    @Test("a password that is changed while a cell runs is waited for, and nothing is lost")
    func changedPassword() throws {
        let (gateway, connection) = try guestGateway()
        let (alice, _, conversation) = try gateway.pair()
        let id = try alice.say(in: conversation)
        try connection.execute("ALTER ROLE guest PASSWORD 'other'")
        _ = try connection.query(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'guest'", [])
        try eventually("a refusal") {
            try alice.request("profile/get")["error"]["code"] == "unavailable" ? () : nil
        }
        #expect(gateway.isParleydRunning)
        try connection.execute("ALTER ROLE guest PASSWORD 'right'")
        try eventually("an answer") { try alice.request("profile/get")["ok"] == true ? () : nil }
        let request: JSON = ["conversation_id": .string(conversation), "after": 0, "limit": 10]
        #expect(try alice.accepted("history/get", request)["messages"].elements.map { $0["id"].text } == [id])
    }

    @Test("while a cell can write and not read, what it cannot do is refused, and what it has written is told later")
    func withoutReading() throws {
        let (gateway, connection) = try guestGateway()
        let (alice, bob, conversation) = try gateway.pair()
        try bob.listen(to: conversation, "messages")
        let id = try alice.say(in: conversation)
        try bob.hear(id, in: conversation)
        try connection.execute("ALTER ROLE guest PASSWORD 'other'")
        // All but the one that writes: behind its COMMIT it has asked for this.
        _ = try connection.query(
            """
            SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE usename = 'guest' AND query NOT LIKE 'SELECT audience_position FROM cells%'
            """, [])
        // Its event tells how many are unread.
        let reading: JSON = ["conversation_id": .string(conversation), "message_id": .string(id)]
        let asked = try bob.ask("receipts/read", reading.bytes)
        let administrator = try database.connect()
        let waiting = "SELECT count(*) FROM parley.outbox WHERE unread_user = $1"
        try eventually("what is written") {
            try administrator.query(waiting, [.text(bob.user)]).integer(0, 0) == 1 ? () : nil
        }
        let later = try alice.begin(1, in: conversation)
        #expect(try alice.request("profile/get")["error"]["code"] == "unavailable")
        #expect(!bob.inbox.contains { $0.correlation == asked })
        try connection.execute("ALTER ROLE guest PASSWORD 'right'")
        #expect(try bob.reply(to: asked)["ok"] == true)
        #expect(try alice.finish(later)[0]["ok"] == true)
        try bob.hear(later[0], in: conversation)
        #expect(bob.seqs(in: conversation) == [1, 2])
    }

    @Test("a server that takes no writes is waited for")
    func readOnly() throws {
        let connection = try server.connect()
        try connection.execute("ALTER DATABASE \(database.name) SET default_transaction_read_only = on")
        try waits(try gateway(), saying: "session is read-only") {
            try connection.execute("ALTER DATABASE \(database.name) RESET default_transaction_read_only")
        }
    }

    @Test("a user who may not make the schema, or may not use the one there is, is told so, with status 78")
    func withoutRights() throws {
        try server.connect().execute("CREATE ROLE visitor LOGIN")
        let visitor = server.uri(database: database.name, user: "visitor")
        func refuses() throws {
            let refused = try refusal(try gateway(visitor))
            #expect(refused.status == 78)
            #expect(refused.errors.contains("its user lacks a right: "), "\(refused.errors)")
        }
        try refuses()
        let owner = try gateway()
        try owner.startBroker()
        try owner.startParleyd()
        #expect(owner.endParleyd() == 0)
        try refuses()
        try database.connect().execute("GRANT USAGE ON SCHEMA parley TO visitor")
        try refuses()
    }

    @Test("of a schema that lacks a table it says so, with status 78")
    func damagedSchema() throws {
        let gateway = try gateway()
        try gateway.startBroker()
        try gateway.startParleyd()
        #expect(gateway.endParleyd() == 0)
        try database.connect().execute("DROP TABLE parley.cell_leases")
        let refused = try refusal(gateway)
        #expect(refused.status == 78)
        #expect(refused.errors.contains("is not as Parley has made it"), "\(refused.errors)")
    }

    @Test("a schema of another program's is refused with status 78, and left as it is")
    func foreignSchema() throws {
        let connection = try database.connect()
        try connection.execute("CREATE SCHEMA parley; CREATE TABLE parley.theirs (x INTEGER)")
        let refused = try refusal(try gateway())
        #expect(refused.status == 78)
        #expect(refused.errors.contains("holds other tables than Parley's"), "\(refused.errors)")
        #expect(
            try connection.query("SELECT count(*) FROM pg_tables WHERE schemaname = 'parley'", []).integer(0, 0) == 1)
    }

    @Test("a schema that a later version has made is refused with status 78")
    func newerSchema() throws {
        let gateway = try gateway()
        try gateway.startBroker()
        try gateway.startParleyd()
        #expect(gateway.endParleyd(SIGTERM) == 0)
        let connection = try database.connect()
        try connection.execute(
            "INSERT INTO parley.schema_version (version, least_compatible, applied_at) VALUES (999, 999, 0)")
        let refused = try refusal(gateway)
        #expect(refused.status == 78)
        #expect(refused.errors.contains("was made by a newer version of Parley"), "\(refused.errors)")
    }

    @Test(
        "an address that cannot be read is refused with status 78, and not repeated",
        arguments: [
            "http://somewhere/", "postgres://parley:secret@[/x", "postgresql://parley@host/x?nosuch=1",
        ])
    func malformed(_ uri: String) throws {
        let refused = try refusal(try gateway(uri))
        #expect(refused.status == 78, "\(refused.errors)")
        #expect(!refused.errors.contains("secret"))
    }

    @Test("a server that may lose what it has committed is refused with status 78")
    func withoutSync() throws {
        let unsafe = try PostgreSQLServer()
        let database = try unsafe.database()
        let refused = try refusal(try gateway(database.uri))
        #expect(refused.status == 78)
        #expect(refused.errors.contains("fsync is off"), "\(refused.errors)")
    }

    @Test("a gateway that is interrupted starts again with all that there was")
    func again() throws {
        let gateway = try gateway()
        try gateway.startBroker()
        try gateway.startParleyd()
        let (alice, bob, conversation) = try gateway.pair()
        try alice.say(in: conversation)
        #expect(gateway.endParleyd(SIGINT) == 0)
        try gateway.startParleyd()
        #expect(!gateway.log.contains("every conversation has a new epoch"))
        let anew = try gateway.connect(bob.credentials, DeviceClient.Options(connection: "anew"))
        let request: JSON = ["conversation_id": .string(conversation), "after": 0, "limit": 10]
        #expect(try anew.accepted("history/get", request)["messages"].elements.count == 1)
        try anew.listen(to: conversation, "messages")
        let id = try alice.say(in: conversation)
        try anew.hear(id, in: conversation)
    }

    @Test("a data directory that had its database in a file begins anew on the server, and keeps the file")
    func directoryOfBefore() throws {
        let before = try TestGateway()
        let alice = try before.person()
        #expect(before.endParleyd() == 0)
        before.endBroker()
        let after = try TestGateway(
            directory: before.directory, arguments: ["--store", database.uri, "--cell", "main"],
            start: false)
        try after.startBroker()
        try after.startParleyd()
        let (carol, dave, conversation) = try after.pair()
        try dave.listen(to: conversation, "messages")
        let id = try carol.say(in: conversation)
        try dave.hear(id, in: conversation)
        #expect(after.endParleyd() == 0)
        after.endBroker()
        // And back.
        let back = try TestGateway(directory: before.directory, start: false)
        try back.startBroker()
        try back.startParleyd()
        try back.connect(alice).accepted("profile/get")
    }
}
