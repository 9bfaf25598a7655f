import GRDB

/// A sealed row that detects a wrong key and another device's file before anything else is read.
enum KeyCheck {
    private static let content = Array("parley/v1".utf8)

    /// Makes the row if there is none.
    ///
    /// - Throws: `DeviceStoreError.wrongKey`; `.damaged` if rows are there and this one is not.
    static func run(_ database: Database, _ cipher: RowCipher, path: String) throws {
        guard try !isMade(database, cipher, path: path) else { return }
        try database.run("INSERT INTO key_check (id, sealed) VALUES (1, ?)", [cipher.seal(content, at: .keyCheck)])
    }

    /// - Returns: whether the row exists; not in an empty database.
    /// - Throws: as ``run(_:_:path:)``.
    static func isMade(_ database: Database, _ cipher: RowCipher, path: String) throws -> Bool {
        if let row = try database.row("SELECT sealed FROM key_check") {
            guard cipher.open(try row.bytes(0), at: .keyCheck) == content else {
                throw DeviceStoreError.wrongKey(path: path)
            }
            return true
        }
        for table in ["conversations", "messages", "queue"] {
            guard try database.row("SELECT 1 FROM \(table) LIMIT 1") == nil else {
                throw DeviceStoreError.damaged(path: path)
            }
        }
        return false
    }
}
