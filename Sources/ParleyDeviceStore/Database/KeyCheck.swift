import GRDB

/// One sealed row by which a wrong key, and another device's file, are known before anything else is read.
enum KeyCheck {
    private static let content = Array("parley/v1".utf8)

    /// - Throws: `DeviceStoreError.wrongKey`; `.damaged` if rows are there and this one is not.
    static func run(_ database: Database, _ cipher: RowCipher, path: String) throws {
        if let row = try database.row("SELECT sealed FROM key_check") {
            guard cipher.open(try row.bytes(0), at: .keyCheck) == content else {
                throw DeviceStoreError.wrongKey(path: path)
            }
            return
        }
        for table in ["conversations", "messages", "queue"] {
            guard try database.row("SELECT 1 FROM \(table) LIMIT 1") == nil else {
                throw DeviceStoreError.damaged(path: path)
            }
        }
        try database.run("INSERT INTO key_check (id, sealed) VALUES (1, ?)", [cipher.seal(content, at: .keyCheck)])
    }
}
