/// How far a copy has come, in the target, in one transaction with what was copied; gone when it is complete.
struct TransferProgress {
    static let table = "transfer_progress"

    /// The state of the source: another one once a gateway was started on it.
    let source: String
    /// The place of the table in the plan that is being copied.
    var table: Int
    /// The key of the last row that was copied of it; empty before the first.
    var key: [UInt8]
    /// Of all tables.
    var rows: Int

    /// - Returns: `nil` if no copy has begun.
    static func read(_ database: Database, _ tables: [String: SchemaTable]) throws(StoreError) -> TransferProgress? {
        guard tables[table] != nil else { return nil }
        guard let row = try database.row(#"SELECT source, place, "key", "rows" FROM \#(table)"#) else { return nil }
        return TransferProgress(source: row[0], table: row[1], key: row.bytes(2) ?? [], rows: row[3])
    }

    /// Makes the table, whose types both engines have.
    func create(_ database: Database) throws(StoreError) {
        try database.run(
            """
            CREATE TABLE \(Self.table) (
                source TEXT NOT NULL, place BIGINT NOT NULL, "key" BLOB NOT NULL, "rows" BIGINT NOT NULL)
            """)
        try database.run(
            #"INSERT INTO \#(Self.table) (source, place, "key", "rows") VALUES (?, ?, ?, ?)"#,
            [source, table, key, rows])
    }

    func save(_ database: Database) throws(StoreError) {
        try database.run(#"UPDATE \#(Self.table) SET place = ?, "key" = ?, "rows" = ?"#, [table, key, rows])
    }

    static func remove(_ database: Database) throws(StoreError) { try database.run("DROP TABLE \(table)") }
}
