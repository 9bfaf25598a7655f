import GRDB

extension Database {
    /// Runs a statement that gives no rows; prepared once for each connection.
    func run(_ sql: String, _ arguments: StatementArguments = []) throws(StoreError) {
        do {
            try cachedStatement(sql: sql).execute(arguments: arguments)
        } catch {
            throw StoreError(error)
        }
    }

    /// The rows of a query; prepared once for each connection.
    func rows(_ sql: String, _ arguments: StatementArguments = []) throws(StoreError) -> Rows {
        do {
            return Rows(cursor: try Row.fetchCursor(try cachedStatement(sql: sql), arguments: arguments))
        } catch {
            throw StoreError(error)
        }
    }

    /// The first row of a query, copied.
    func row(_ sql: String, _ arguments: StatementArguments = []) throws(StoreError) -> Row? {
        do {
            return try Row.fetchOne(try cachedStatement(sql: sql), arguments: arguments)
        } catch {
            throw StoreError(error)
        }
    }
}

/// The rows of a query, one after another: each is gone when the next is asked for.
struct Rows {
    fileprivate let cursor: RowCursor

    func next() throws(StoreError) -> Row? {
        do { return try cursor.next() } catch { throw StoreError(error) }
    }
}
