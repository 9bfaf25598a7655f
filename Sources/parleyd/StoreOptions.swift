import ArgumentParser
import ParleyBridge

#if POSTGRESQL_STORE
    import ParleyPostgreSQL
    import ParleyStore
#endif

/// Where the database is, if not in the data directory.
struct StoreOptions: ParsableArguments {
    @Option(
        name: .customLong("store"),
        help: ArgumentHelp(
            """
            A database in PostgreSQL: postgres://user@host/database. The password comes from a file: the next option, \
            PGPASSFILE, or ~/.pgpass.
            """, valueName: "uri"))
    var uri: String?

    @Option(
        name: .customLong("store-password-file"),
        help: ArgumentHelp("A file with the password for --store on its first line.", valueName: "file"))
    var passwordFile: String?

    @Option(
        help: ArgumentHelp(
            """
            A standby of the database of --store: what devices read is read there, as long as it has everything that \
            was committed.
            """, valueName: "uri"))
    var standby: String?

    @Option(help: ArgumentHelp("The name of this cell, another one for each gateway on a database.", valueName: "name"))
    var cell = "main"

    func validate() throws {
        guard uri != nil || passwordFile == nil else {
            throw ValidationError("--store-password-file belongs to --store")
        }
        guard uri != nil || standby == nil else { throw ValidationError("--standby belongs to --store") }
        #if POSTGRESQL_STORE
            guard CellName(cell) != nil else {
                throw ValidationError("--cell takes 1 to 64 letters, digits, dots, hyphens and underscores")
            }
        #else
            guard uri == nil else {
                throw ValidationError(
                    "this parleyd was built without PostgreSQL; build it with PARLEY_POSTGRESQL_STORE=yes for --store")
            }
        #endif
    }

    /// Of a command that cannot do without one.
    func demandServer() throws {
        guard uri != nil else { throw ValidationError("--store names the server's database") }
    }

    func location() throws -> StoreLocation {
        #if POSTGRESQL_STORE
            if let uri, let name = CellName(cell) {
                return .postgreSQL(
                    try StoreAddress(uri: uri, passwordFile: passwordFile),
                    standby: try standby.map { uri throws(StoreError) in
                        try StoreAddress(uri: uri, passwordFile: passwordFile, isStandby: true)
                    }, cell: name)
            }
        #endif
        return .file
    }
}

#if POSTGRESQL_STORE
    extension StoreOptions {
        /// The server and the cell of a command that is about one.
        func server() throws -> (TransferServer, CellName) {
            guard let uri, let name = CellName(cell) else { throw CommandError("--store names the server's database") }
            return (try TransferServer(try StoreAddress(uri: uri, passwordFile: passwordFile)), name)
        }
    }

    extension StoreLocation {
        fileprivate static func postgreSQL(
            _ address: StoreAddress, standby: StoreAddress?, cell: CellName
        ) -> StoreLocation {
            .server(name: "\(address)") { onEnd in
                Store(try PostgreSQLStore(address, cell: cell, standby: standby, onEnd: onEnd))
            }
        }
    }
#endif
