import GRDB
import GRDBSQLite

/// A connection to a database file, inside GRDB's queue for it.
struct SQLiteConnection {
    let connection: GRDB.Database

    /// Statements are prepared once for each connection.
    func statement(_ sql: String) throws(StoreError) -> SQLiteStatement { try SQLiteStatement(sql, connection) }

    func run(_ sql: String, _ values: some Sequence<BoundValue>) throws(StoreError) {
        let statement = try statement(sql)
        try statement.bind(values)
        try statement.run()
    }

    /// `sqlite3_changes`
    var changedRows: Int { connection.changesCount }

    /// `sqlite3_last_insert_rowid`
    var lastInsertedKey: Int64 { connection.lastInsertedRowID }

    /// `sqlite3_next_stmt` and `sqlite3_stmt_status`: how many steps of SQLite's machine all statements of the
    /// connection have made since this was last called, for tests.
    func drainSteps() -> Int {
        var steps = 0
        var next = unsafe sqlite3_next_stmt(connection.sqliteConnection, nil)
        while let statement = unsafe next {
            steps += Int(unsafe sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1))
            unsafe next = sqlite3_next_stmt(connection.sqliteConnection, statement)
        }
        return steps
    }
}
