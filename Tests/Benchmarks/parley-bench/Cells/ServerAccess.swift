import Foundation
import GatewaySite
import MQTTWire
import ParleyPostgreSQL
import ParleyStore
import PostgreSQL
import PostgreSQLServer

/// A new database on a server, and how programs reach it: by TCP on the loopback, with a password.
final class ServerAccess {
    private let database: TestDatabase
    private let uri: String
    private let folder: String

    private var passwordFile: String { folder + "/password" }

    init(_ server: PostgreSQLServer, scratch: String) throws {
        database = try server.database()
        uri = server.networkURI(database: database.name)
        folder = try Site.temporaryDirectory(in: scratch)
        let isMade = FileManager.default.createFile(
            atPath: passwordFile, contents: Data(PostgreSQLServer.password.utf8),
            attributes: [.posixPermissions: 0o600])
        guard isMade else { throw SiteError.noDirectory(folder) }
    }

    /// A server as `scripts/run-cells.sh` starts it, which syncs what it commits. It vacuums nothing by itself: that
    /// would count for whatever is measured at the time.
    static func makeServer() throws -> PostgreSQLServer {
        var options = ServerOptions()
        options.syncs = true
        options.segmentMegabytes = 16
        options.port = try freePort()
        options.settings = ["shared_buffers": "128MB", "max_connections": "100", "autovacuum": "off"]
        return try PostgreSQLServer(options)
    }

    /// Of `parleyd run`.
    var options: [String] { ["--store", uri, "--store-password-file", passwordFile] }

    /// The store of a gateway, as this process opens it.
    func store(cell: String) throws -> Store {
        guard let name = CellName(cell) else { throw SiteError.badName }
        return Store(try PostgreSQLStore(try StoreAddress(uri: uri, passwordFile: passwordFile), cell: name))
    }

    /// The only number that a statement gives.
    func number(_ statement: String) throws -> Int {
        let connection = try database.connect()
        defer { connection.close() }
        return try connection.query(statement, []).integer(0, 0) ?? 0
    }

    /// Vacuums the log of records, as the server does by itself now and then.
    func vacuum() throws {
        let connection = try database.connect()
        defer { connection.close() }
        try connection.execute("VACUUM parley.records")
    }

    /// What is wrong with the logs of all conversations: each has every `seq` from 1 on, and no message twice.
    func faults(sent: Int) throws -> Faults {
        var faults = Faults()
        let stored = try number("SELECT count(*) FROM parley.records")
        let distinct = try number("SELECT count(DISTINCT id) FROM parley.records")
        let last = try number(
            """
            SELECT coalesce(sum(n), 0)::bigint
            FROM (SELECT max(seq) AS n FROM parley.records GROUP BY conversation) AS m
            """)
        let ends = try number("SELECT coalesce(sum(last_seq), 0)::bigint FROM parley.conversations")
        faults.losses = max(0, sent - distinct)
        faults.duplicates = max(0, stored - sent)
        if last != stored || ends != stored {
            faults.refuse("\(stored) records, whose seqs end at \(last), in logs that end at \(ends)")
        }
        return faults
    }

    func close() { try? FileManager.default.removeItem(atPath: folder) }
}

extension PostgreSQLServer {
    /// CPU time so far of all its processes.
    var cpuSeconds: Double { processIdentifier.map(ProcessUsage.cpuSecondsWithChildren) ?? 0 }
}
