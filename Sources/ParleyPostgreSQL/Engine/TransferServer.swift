import ParleyStore
import PostgreSQL

/// A database on a server, looked at before it is copied from or to: nothing is written.
package struct TransferServer: Sendable {
    private let address: StoreAddress
    /// By name, those whose lease is not over.
    private let live: [String]
    private let cells: [String]

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
                (live, cells) = ([], [])
                return
            }
            let rows = try connection.query(
                """
                SELECT c.name, CASE WHEN l.until > \(ClaimedCell.now) THEN 1 ELSE 0 END
                FROM cells c LEFT JOIN cell_leases l ON l.cell = c.cell ORDER BY c.cell
                """)
            cells = (0..<rows.count).compactMap { rows.text($0, 0) }
            live = (0..<rows.count).filter { rows.integer($0, 1) == 1 }.compactMap { rows.text($0, 0) }
        } catch { throw StoreError(starting: error, on: address.description) }
    }

    /// Opens it as this cell, to be written to.
    ///
    /// - Throws: `TransferError`, `StoreError`.
    package func openTarget(_ cell: CellName, durability: DurabilityDemand = .demanded) throws -> Store {
        try checkIdle()
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
    /// Refuses a part of a database, which a gateway must not begin with.
    static func checkIsFinished(_ connection: PostgreSQLConnection, of server: String) throws {
        let rows = try connection.query(
            "SELECT 1 FROM pg_catalog.pg_class c WHERE c.oid = to_regclass('\(DatabaseTransfer.progressTable)')")
        guard rows.count == 0 else {
            throw StoreError.unusable(
                path: server,
                message: "it is a part of a gateway's database: repeat the `parleyd export` that has begun it")
        }
    }
}
