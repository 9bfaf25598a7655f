import GRDB
import GRDBSQLite
import ParleyProtocol

/// A prepared statement, bound and stepped through the C interface: GRDB's arguments box each value and its rows copy
/// each column, which costs as much again as SQLite itself.
///
/// The statement is GRDB's own, from the connection's cache, and used only inside the connection's queue.
struct SQLiteStatement {
    private let statement: Statement

    init(_ sql: String, _ database: GRDB.Database) throws(StoreError) {
        statement = try StoreError.translating { try database.cachedStatement(sql: sql) }
        // GRDB shall not check the arguments; this clears them.
        statement.setUncheckedArguments(StatementArguments())
    }

    func bind(_ values: some Sequence<BoundValue>) throws(StoreError) {
        var index: Int32 = 1
        for value in values {
            switch value {
            case .integer(let value): try bind(value, at: index)
            case .text(let value): try bind(value, at: index)
            case .blob(let value): try bind(value, at: index)
            case .optionalText(let value): if let value { try bind(value, at: index) }
            }
            index += 1
        }
    }

    /// `sqlite3_bind_int64`; parameters are numbered from 1.
    private func bind(_ value: Int?, at index: Int32) throws(StoreError) {
        guard let value else { return }
        try check(unsafe sqlite3_bind_int64(statement.sqliteStatement, index, sqlite3_int64(value)))
    }

    /// `sqlite3_bind_blob`
    private func bind(_ bytes: [UInt8]?, at index: Int32) throws(StoreError) {
        guard let bytes else { return }
        try check(
            unsafe bytes.withUnsafeBytes { buffer in
                // An empty array may have no address, which SQLite would take for NULL.
                guard let start = buffer.baseAddress, buffer.count > 0 else {
                    return unsafe sqlite3_bind_zeroblob(statement.sqliteStatement, index, 0)
                }
                return unsafe sqlite3_bind_blob(
                    statement.sqliteStatement, index, start, Int32(clamping: buffer.count), copied)
            })
    }

    /// `sqlite3_bind_text`
    private func bind(_ text: String, at index: Int32) throws(StoreError) {
        var text = text
        try check(
            text.withUTF8 { buffer in
                unsafe buffer.withMemoryRebound(to: CChar.self) { characters in
                    unsafe sqlite3_bind_text(
                        statement.sqliteStatement, index, characters.baseAddress, Int32(clamping: characters.count),
                        copied)
                }
            })
    }

    /// `sqlite3_stmt_status`: how many steps of SQLite's machine the statement has made since this was last called.
    /// Tests limit the cost of a query by it.
    func drainSteps() -> Int {
        Int(unsafe sqlite3_stmt_status(statement.sqliteStatement, SQLITE_STMTSTATUS_VM_STEP, 1))
    }

    /// `sqlite3_step`, to the end: what a statement gives is dropped. It may then be bound again.
    func run() throws(StoreError) {
        defer { reset() }
        while try hasRow() {}
    }

    /// `sqlite3_step`, once: whether there is a row. After the last that is read, `reset`.
    func hasRow() throws(StoreError) -> Bool {
        switch unsafe sqlite3_step(statement.sqliteStatement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw fault(code)
        }
    }

    /// `sqlite3_reset` and `sqlite3_clear_bindings`: nothing that was bound stays in memory.
    func reset() {
        unsafe sqlite3_reset(statement.sqliteStatement)
        unsafe sqlite3_clear_bindings(statement.sqliteStatement)
    }

    private func check(_ code: Int32) throws(StoreError) {
        guard code == SQLITE_OK else { throw fault(code) }
    }

    private func fault(_ code: Int32) -> StoreError {
        let message = unsafe sqlite3_errmsg(sqlite3_db_handle(statement.sqliteStatement)).map {
            unsafe String(cString: $0)
        }
        return StoreError(DatabaseError(resultCode: ResultCode(rawValue: code), message: message))
    }

    /// `SQLITE_TRANSIENT`, a cast that Swift does not import: SQLite copies what is bound.
    private var copied: sqlite3_destructor_type? { unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}

extension SQLiteStatement: ColumnReader {
    /// `sqlite3_column_count`
    var columns: Int { Int(unsafe sqlite3_column_count(statement.sqliteStatement)) }

    /// `sqlite3_column_type`: the value as it is stored.
    func value(_ column: Int) -> BoundValue {
        switch unsafe sqlite3_column_type(statement.sqliteStatement, Int32(truncatingIfNeeded: column)) {
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_TEXT: .text(text(column))
        case SQLITE_BLOB: .blob(bytes(column))
        default: .integer(nil)
        }
    }

    /// `sqlite3_column_int64`
    func integer(_ column: Int) -> Int {
        Int(unsafe sqlite3_column_int64(statement.sqliteStatement, Int32(truncatingIfNeeded: column)))
    }

    /// `sqlite3_column_type`
    func isNull(_ column: Int) -> Bool {
        unsafe sqlite3_column_type(statement.sqliteStatement, Int32(truncatingIfNeeded: column)) == SQLITE_NULL
    }

    /// `sqlite3_column_text`
    func text(_ column: Int) -> String {
        let column = Int32(truncatingIfNeeded: column)
        guard let characters = unsafe sqlite3_column_text(statement.sqliteStatement, column) else { return "" }
        return unsafe String(cString: characters)
    }

    /// `sqlite3_column_blob`, which gives the bytes of a text as they are.
    func withBytes<Result>(_ column: Int, _ body: (Span<UInt8>) -> Result?) -> Result? {
        let column = Int32(truncatingIfNeeded: column)
        guard let start = unsafe sqlite3_column_blob(statement.sqliteStatement, column) else { return body(Span()) }
        let count = unsafe Int(sqlite3_column_bytes(statement.sqliteStatement, column))
        let buffer = unsafe UnsafeRawBufferPointer(start: start, count: count)
        return unsafe buffer.withMemoryRebound(to: UInt8.self) { body(unsafe $0.span) }
    }

    func bytes(_ column: Int) -> [UInt8]? {
        guard !isNull(column) else { return nil }
        let column = Int32(truncatingIfNeeded: column)
        // An empty blob has no address.
        guard let start = unsafe sqlite3_column_blob(statement.sqliteStatement, column) else { return [] }
        let count = unsafe Int(sqlite3_column_bytes(statement.sqliteStatement, column))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }
}
