import ParleyStore
import PostgreSQL

/// A database on a server, looked at before it is copied from or to: nothing is written.
package struct TransferServer: Sendable {
    private let address: StoreAddress
    /// By name, those whose lease is not over.
    private let live: [String]
    private let cells: [String]
    /// What there is of a gateway's database.
    private let content: Content

    private enum Content {
        case none, part, whole
    }

    /// - Throws: as `PostgreSQLStore.init`.
    package init(_ address: StoreAddress) throws(StoreError) {
        self.address = address
        do {
            let connection = try PostgreSQLConnection(address.settings)
            defer { connection.close() }
            try connection.execute(PostgreSQLMigrations.searchPath)
            let schema = try connection.query(
                "SELECT CASE WHEN to_regclass('\(PostgreSQLMigrations.schema).cell_leases') IS NULL THEN 0 ELSE 1 END")
            guard schema.integer(0, 0) == 1 else {
                (live, cells, content) = ([], [], .none)
                return
            }
            let rows = try connection.query(
                """
                SELECT c.name, CASE WHEN l.until > \(ClaimedCell.now) THEN 1 ELSE 0 END
                FROM cells c LEFT JOIN cell_leases l ON l.cell = c.cell ORDER BY c.cell
                """)
            cells = (0..<rows.count).compactMap { rows.text($0, 0) }
            content = try TransferServer.content(connection)
            live = (0..<rows.count).filter { rows.integer($0, 1) == 1 }.compactMap { rows.text($0, 0) }
        } catch { throw StoreError(starting: error, on: address.description) }
    }

    private static func content(_ connection: PostgreSQLConnection) throws -> Content {
        guard try !PostgreSQLStore.isUnfinished(connection) else { return .part }
        // Everything that a gateway keeps belongs to somebody.
        return try connection.query("SELECT 1 FROM users LIMIT 1").count == 0 ? .none : .whole
    }

    /// Opens it as this cell, to be written to. What is refused has no new cell.
    ///
    /// - Throws: `TransferError`, `StoreError`.
    package func openTarget(_ cell: CellName, durability: DurabilityDemand = .demanded) throws -> Store {
        try checkIdle()
        // A copy is repeated, and goes on, as the cell that has begun it.
        if !cells.contains(cell.text) {
            switch content {
            case .none: break
            case .part: throw TransferError.otherTransfer
            case .whole: throw TransferError.notEmpty(table: "users")
            }
        }
        return Store(try PostgreSQLStore(address, cell: cell, durability: durability, takesUnfinished: true))
    }

    /// Opens it as this cell, to be read. No gateway of that name writes to it any more.
    ///
    /// - Throws: `TransferError`, `StoreError`.
    package func openSource(_ cell: CellName, durability: DurabilityDemand = .demanded) throws -> Store {
        try checkIdle()
        guard cells.contains(cell.text) else { throw TransferError.noSuchCell(cell.text, among: cells) }
        return Store(try PostgreSQLStore(address, cell: cell, durability: durability))
    }

    private func checkIdle() throws(TransferError) {
        guard live.isEmpty else { throw .cellsRun(live) }
    }
}

extension PostgreSQLStore {
    /// Whether a copy to the database has begun and is not complete.
    static func isUnfinished(_ connection: PostgreSQLConnection) throws -> Bool {
        try connection.query(
            "SELECT 1 FROM pg_catalog.pg_class c WHERE c.oid = to_regclass('\(DatabaseTransfer.progressTable)')"
        ).count > 0
    }

    /// Refuses a part of a database, which a gateway must not begin with.
    static func checkIsFinished(_ connection: PostgreSQLConnection, of server: String) throws {
        guard try !isUnfinished(connection) else {
            throw StoreError.unusable(
                path: server,
                message: "it is a part of a gateway's database: repeat the `parleyd export` that has begun it")
        }
    }
}
