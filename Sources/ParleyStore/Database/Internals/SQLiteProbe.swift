import GRDBSQLite

/// A database file that is only looked at. Nothing is made beside it for that, unless a log lies there that was not
/// taken into it: then its index is, which every program that opens it makes.
@safe final class SQLiteProbe {
    private let connection: OpaquePointer
    private let path: String

    /// `sqlite3_open_v2`
    ///
    /// - Parameter isImmutable: nobody writes to it meanwhile, and there is no log.
    init(_ path: String, isImmutable: Bool) throws(StoreError) {
        self.path = path
        var opened: OpaquePointer?
        let uri = "file:\(Self.escaped(path))?mode=ro\(isImmutable ? "&immutable=1" : "")"
        let code = unsafe sqlite3_open_v2(uri, &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nil)
        guard let opened = unsafe opened else { throw .unusable(path: path, message: "it cannot be opened") }
        unsafe connection = opened
        guard code == SQLITE_OK else { throw fault() }
        unsafe sqlite3_busy_timeout(connection, 5000)
    }

    deinit { unsafe sqlite3_close_v2(connection) }

    /// The first column of a query's rows, as texts; NULL is left out.
    func texts(_ sql: String) throws(StoreError) -> [String] {
        var statement: OpaquePointer?
        guard unsafe sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else { throw fault() }
        defer { unsafe sqlite3_finalize(statement) }
        var texts: [String] = []
        while true {
            switch unsafe sqlite3_step(statement) {
            case SQLITE_ROW:
                if let text = unsafe sqlite3_column_text(statement, 0) { texts.append(unsafe String(cString: text)) }
            case SQLITE_DONE: return texts
            default: throw fault()
            }
        }
    }

    private func fault() -> StoreError {
        .unusable(
            path: path, message: unsafe sqlite3_errmsg(connection).map { unsafe String(cString: $0) } ?? "unknown")
    }

    /// What stands for itself in a URI of SQLite, and the rest in hexadecimal digits.
    private static func escaped(_ path: String) -> String {
        path.utf8.map { byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || [0x2D, 0x2E, 0x2F, 0x5F].contains(byte)
            return isPlain
                ? String(decoding: [byte], as: UTF8.self) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}
