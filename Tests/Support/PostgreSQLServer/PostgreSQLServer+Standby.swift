import PostgreSQL

// Two servers, one of which follows the other and takes its place.

extension PostgreSQLServer {
    /// Makes a server that follows another, and takes no writes until it is promoted.
    package convenience init(standbyOf primary: PostgreSQLServer, _ options: ServerOptions) throws {
        // In the files of both, where `pg_rewind` reads it: what it needs is not to be thrown away.
        try primary.set("wal_keep_size", "256MB")
        try primary.set("cluster_name", Self.standbyName)
        try self.init(options) { try $0.copy(primary.directory) }
    }

    /// How a server that was ended becomes a standby of the one that has taken its place.
    package enum Return: CaseIterable, Sendable {
        /// Copies all.
        case baseBackup
        /// Copies what differs.
        case rewind
    }

    /// Starts it again, after its end, as a standby.
    package func start(asStandbyOf primary: PostgreSQLServer, by way: Return) throws {
        switch way {
        case .baseBackup: try directory.copy(primary.directory)
        case .rewind:
            // Only a checkpoint tells it that the other is on a timeline of its own.
            let connection = try primary.connect()
            defer { connection.close() }
            try connection.execute("CHECKPOINT")
            try directory.rewind(to: primary.directory)
        }
        try start()
    }

    /// From now on a standby takes writes. Waits for it.
    package func promote() throws {
        let connection = try connectToAny()
        defer { connection.close() }
        _ = try connection.query("SELECT pg_promote()")
    }

    /// From now on a commit is answered when a standby has it on disk, also after a promotion.
    ///
    /// By its name: `*` would take `pg_basebackup` for one, which has a copy of the log for as long as it runs.
    package func demandStandby() throws { try set("synchronous_standby_names", Self.standbyName) }

    /// What a standby calls itself. `pg_basebackup` and `pg_rewind` leave it to the server.
    private static let standbyName = "standby"

    private func set(_ name: String, _ value: String) throws {
        let connection = try connect()
        defer { connection.close() }
        try connection.execute("ALTER SYSTEM SET \(name) TO '\(value)'")
        _ = try connection.query("SELECT pg_reload_conf()")
    }
}
