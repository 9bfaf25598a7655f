import Foundation
import Glibc
import Launch
import PostgreSQL
import PostgreSQLServer
import TestSupport
import Testing

/// `parleyd export` and `parleyd import`, as an operator runs them, killed on their way.
@Suite("Moving a gateway to a server and back", .ownThreads, .postgreSQL)
struct CellMoveTests {
    private let server: PostgreSQLServer
    private let database: TestDatabase

    init() throws {
        server = try CellSite.durableServer()
        database = try server.database()
    }

    private func history(_ client: DeviceClient, _ conversation: String) throws -> [JSON] {
        try client.accepted("history/get", ["conversation_id": .string(conversation), "after": 0, "limit": 100])[
            "messages"
        ].elements
    }

    /// Runs a command of parleyd until it is complete, and kills it before: once it has begun, and is held up.
    private func killed(
        _ command: String, _ gateway: TestGateway, _ options: [String], by proxy: StoreProxy,
        hasBegun: () throws -> Bool
    ) throws {
        let arguments = [command, "--data", gateway.directory] + options
        proxy.delay(upTo: 20)
        let process = try ChildProcess(Programs.path("parleyd"), arguments)
        try eventually("rows of a copy") { try hasBegun() ? () : nil }
        proxy.hold()
        process.end(with: SIGKILL)
        proxy.release()
        proxy.delay(upTo: 0)
        // A cell counts as running for the rest of its lease, and a copy has none.
        let result = try gateway.run(arguments)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.hasPrefix("copied and compared: "), "\(result.output)")
    }

    /// Whether a part of a copy is on the server.
    private func isPartThere() throws -> Bool {
        let connection = try database.connect()
        defer { connection.close() }
        let there = "SELECT 1 FROM pg_class c WHERE c.oid = to_regclass('parley.transfer_progress')"
        guard try connection.query(there, []).count == 1 else { return false }
        return try connection.query(#"SELECT "rows" FROM parley.transfer_progress"#, []).integer(0, 0) ?? 0 > 0
    }

    @Test("killed in between, both ways, every message keeps its number, and devices notice nothing")
    func bothWays() throws {
        let proxy = try StoreProxy(server: server.socketFolder)
        let folder = proxy.folder.replacing("/", with: "%2F")
        let options = [
            "--store", "postgresql://\(PostgreSQLServer.user)@\(folder)/\(database.name)", "--cell", "main",
        ]
        // In a file.
        let before = try TestGateway()
        let (alice, bob, conversation) = try before.pair()
        _ = try alice.finish(try alice.begin(40, in: conversation))
        let first = try history(alice, conversation)
        #expect(before.endParleyd() == 0)
        try killed("export", before, options, by: proxy, hasBegun: isPartThere)

        // On the server, by the same directory and broker.
        let credentials = alice.credentials
        before.endBroker()
        let cell = try TestGateway(
            directory: before.directory, arguments: options, start: false)
        try cell.startBroker()
        try cell.startParleyd()
        #expect(!cell.log.contains("every conversation has a new epoch"))
        let there = try cell.connect(credentials)
        let away = DeviceClient.Options(keepsSession: 3600)
        let listener = try cell.connect(bob.credentials, away)
        let notifications = "users/\(bob.user)/notifications"
        try listener.subscribe("parley/v1/\(notifications)")
        #expect(try history(there, conversation) == first)
        let last = try there.say(in: conversation)
        let second = try history(there, conversation)
        #expect(second.count == 41 && second.last?["id"].text == last && second.last?["seq"].int == 41)
        #expect(second.first?["epoch"] == first.first?["epoch"])

        listener.disconnect()
        #expect(cell.endParleyd() == 0)
        // As if it had died before it has published what it has decided.
        let connection = try database.connect()
        let digest = UUID().uuidString.lowercased()
        try connection.execute(
            """
            INSERT INTO parley.announcements (id, kind, "user", created_at)
            VALUES ('\\x\(digest.replacing("-", with: ""))', 1, '\(bob.user)',
                extract(epoch FROM clock_timestamp()) * 1000)
            """)
        cell.endBroker()

        // A repeat of the export is refused now, and as another cell it leaves none behind.
        var other = options
        other[3] = "other"
        for arguments in [options, other] {
            let refused = try cell.run(["export", "--data", cell.directory] + arguments)
            #expect(refused.status == 1)
            #expect(
                refused.errors.contains("there is a gateway's database already")
                    || refused.errors.contains("the cells of the database are to be stopped first"),
                "\(refused.errors)")
        }
        #expect(try connection.query("SELECT 1 FROM parley.cells", []).count == 1)

        // And back.
        for name in ["parley.db", "parley.db-wal", "parley.db-shm"] {
            try? FileManager.default.removeItem(atPath: "\(cell.directory)/\(name)")
        }
        try eventually("the end of the lease") {
            try connection.query(
                "SELECT 1 FROM parley.cell_leases WHERE until > extract(epoch FROM clock_timestamp()) * 1000", []
            ).count == 0 ? () : nil
        }
        let staged = cell.database + ".importing"
        try killed("import", cell, options, by: proxy) { FileManager.default.fileExists(atPath: staged) }
        let back = try TestGateway(directory: cell.directory, start: false)
        try back.startBroker()
        try back.startParleyd()
        #expect(!back.log.contains("every conversation has a new epoch"))
        let again = try back.connect(credentials)
        #expect(try history(again, conversation) == second)
        let returned = try back.connect(bob.credentials, away)
        #expect(try returned.event("notification.new", on: notifications)["id"].text == digest)
        try again.say(in: conversation)
        #expect(try history(again, conversation).last?["seq"].int == 42)
    }
}
