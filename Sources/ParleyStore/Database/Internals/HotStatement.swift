import GRDB
import GRDBSQLite
import ParleyProtocol

/// A prepared statement of the hot path, bound and stepped through the C interface: GRDB's arguments box each value and
/// its rows copy each column, which costs as much again as SQLite itself.
///
/// The statement is GRDB's own, from the connection's cache, and used only inside the connection's queue.
struct HotStatement {
    private let statement: Statement

    /// - Parameter sql: used nowhere else, for the cached statement keeps what is bound here.
    init(_ sql: String, _ database: Database) throws(StoreError) {
        do { statement = try database.cachedStatement(sql: sql) } catch { throw StoreError(error) }
        // Tells GRDB that the arguments are seen to; it clears them.
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

    /// `sqlite3_stmt_status`: how many steps of SQLite's machine the statement has taken since this was last asked. It is
    /// what tests hold the cost of a query to.
    func takeSteps() -> Int {
        Int(unsafe sqlite3_stmt_status(statement.sqliteStatement, SQLITE_STMTSTATUS_VM_STEP, 1))
    }

    /// Runs a statement that gives no rows, which may then be bound anew: `sqlite3_step`, `sqlite3_reset` and
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

    // MARK: Columns of a row, numbered from 0

    /// `sqlite3_column_int64`; 0 for NULL.
    func integer(_ column: Int32) -> Int { Int(unsafe sqlite3_column_int64(statement.sqliteStatement, column)) }

    func isTrue(_ column: Int32) -> Bool { integer(column) != 0 }

    func time(_ column: Int32) -> Timestamp { Timestamp(milliseconds: Int64(integer(column))) }

    /// `sqlite3_column_type`
    func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(statement.sqliteStatement, column) == SQLITE_NULL
    }

    func optionalTime(_ column: Int32) -> Timestamp? {
        isNull(column) ? nil : time(column)
    }

    /// `sqlite3_column_text`; empty for NULL.
    func text(_ column: Int32) -> String {
        guard let characters = unsafe sqlite3_column_text(statement.sqliteStatement, column) else { return "" }
        return unsafe String(cString: characters)
    }

    /// `sqlite3_column_blob`, which gives the bytes of a text as they are; empty for NULL. They are those of the row, and
    /// gone with it.
    private func withBytes<Result>(_ column: Int32, _ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
        guard let start = unsafe sqlite3_column_blob(statement.sqliteStatement, column) else {
            return try body(Span())
        }
        let count = unsafe Int(sqlite3_column_bytes(statement.sqliteStatement, column))
        let buffer = unsafe UnsafeRawBufferPointer(start: start, count: count)
        return try unsafe buffer.withMemoryRebound(to: UInt8.self) { try body(unsafe $0.span) }
    }

    /// `nil` for NULL.
    func bytes(_ column: Int32) -> [UInt8]? {
        isNull(column)
            ? nil
            : withBytes(column) { bytes in
                var copy: [UInt8] = []
                copy.append(addingCapacity: bytes.count) { output in
                    for index in 0..<bytes.count { output.append(bytes[index]) }
                }
                return copy
            }
    }

    func uuid<ID: UUIDIdentifier>(_ column: Int32) throws(StoreError) -> ID {
        guard let id = withBytes(column, ID.init(bytes:)) else { throw HotStatement.unreadable(column) }
        return id
    }

    func optionalUUID<ID: UUIDIdentifier>(_ column: Int32) throws(StoreError) -> ID? {
        isNull(column) ? nil : try uuid(column)
    }

    func level<ID: LevelIdentifier>(_ column: Int32) throws(StoreError) -> ID {
        guard let id = withBytes(column, ID.init(parsing:)) else { throw HotStatement.unreadable(column) }
        return id
    }

    func coded<Choice: ColumnCoded>(_ column: Int32) throws(StoreError) -> Choice {
        let code = integer(column)
        guard let choice = Choice.allCases.first(where: { $0.columnCode == code }) else {
            throw HotStatement.unreadable(column)
        }
        return choice
    }

    func choice<Choice: RawRepresentable<String>>(_ column: Int32) throws(StoreError) -> Choice {
        guard let choice = Choice(rawValue: text(column)) else { throw HotStatement.unreadable(column) }
        return choice
    }

    func optionalChoice<Choice: RawRepresentable<String>>(_ column: Int32) throws(StoreError) -> Choice? {
        isNull(column) ? nil : try choice(column)
    }

    private static func unreadable(_ column: Int32) -> StoreError {
        StoreError.failed(code: 0, message: "what stands in column \(column)")
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
