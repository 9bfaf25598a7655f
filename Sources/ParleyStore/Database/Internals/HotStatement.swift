import GRDB
import GRDBSQLite
import ParleyProtocol

/// A prepared statement of the hot path, bound and stepped through the C interface: GRDB's arguments box each value and
/// its rows copy each column, which costs as much again as SQLite itself.
///
/// The statement is GRDB's own, from the connection's cache, and used only inside the connection's queue.
struct HotStatement {
    private let statement: Statement

    /// - Parameter sql: used nowhere else, because the cached statement retains what is bound here.
    init(_ sql: String, _ database: Database) throws(StoreError) {
        statement = try StoreError.translating { try database.cachedStatement(sql: sql) }
        // GRDB shall not check the arguments; this clears them.
        statement.setUncheckedArguments(StatementArguments())
    }

    /// `sqlite3_bind_int64`; parameters are numbered from 1.
    func bind(_ value: Int?, at index: Int32) throws(StoreError) {
        guard let value else { return }
        try check(unsafe sqlite3_bind_int64(statement.sqliteStatement, index, sqlite3_int64(value)))
    }

    /// `sqlite3_bind_blob`
    func bind(_ bytes: [UInt8]?, at index: Int32) throws(StoreError) {
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
    func bind(_ text: String, at index: Int32) throws(StoreError) {
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

    /// Runs a statement that gives no rows, which may then be bound again: `sqlite3_step`, `sqlite3_reset` and
    /// `sqlite3_clear_bindings`.
    func run() throws(StoreError) {
        let code = unsafe sqlite3_step(statement.sqliteStatement)
        let fault = code == SQLITE_DONE ? nil : fault(code)
        unsafe sqlite3_reset(statement.sqliteStatement)
        unsafe sqlite3_clear_bindings(statement.sqliteStatement)
        if let fault { throw fault }
    }

    /// `sqlite3_step`, once: whether there is a row. Read its columns, then `reset`.
    func hasRow() throws(StoreError) -> Bool {
        switch unsafe sqlite3_step(statement.sqliteStatement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw fault(code)
        }
    }

    /// `sqlite3_reset`
    func reset() { unsafe sqlite3_reset(statement.sqliteStatement) }

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

extension HotStatement: ColumnReader {
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

extension Snapshot {
    /// `sqlite3_next_stmt` and `sqlite3_stmt_status`: how many steps of SQLite's machine all statements of the
    /// connection have made since this was last called, for tests.
    func drainSteps() -> Int {
        var steps = 0
        var next = unsafe sqlite3_next_stmt(database.sqliteConnection, nil)
        while let statement = unsafe next {
            steps += Int(unsafe sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1))
            unsafe next = sqlite3_next_stmt(database.sqliteConnection, statement)
        }
        return steps
    }
}
