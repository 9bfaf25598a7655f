import GRDB

// Statements are prepared once for each connection.

extension Database {
    /// Runs a statement that gives no rows.
    func run(_ sql: String, _ arguments: StatementArguments = []) throws(StoreError) {
        try StoreError.translating { try cachedStatement(sql: sql).execute(arguments: arguments) }
    }

    /// Runs a statement for rows that match a condition; how many they were.
    func change(_ sql: String, _ arguments: StatementArguments) throws(StoreError) -> Int {
        try run(sql, arguments)
        return changesCount
    }

    func rows(_ sql: String, _ arguments: StatementArguments = []) throws(StoreError) -> Rows {
        try StoreError.translating {
            Rows(cursor: try Row.fetchCursor(try cachedStatement(sql: sql), arguments: arguments))
        }
    }

    /// The first row of a query, copied.
    func row(_ sql: String, _ arguments: StatementArguments = []) throws(StoreError) -> Row? {
        try StoreError.translating { try Row.fetchOne(try cachedStatement(sql: sql), arguments: arguments) }
    }

    /// The first row of a query, as `value` reads it.
    func first<Value>(
        _ sql: String, _ arguments: StatementArguments = [], _ value: (Row) throws -> Value
    ) throws(StoreError) -> Value? {
        let row = try row(sql, arguments)
        return try StoreError.translating { try row.map(value) }
    }

    /// All rows of a query, each as `element` reads it.
    func list<Element>(
        _ sql: String, _ arguments: StatementArguments = [], _ element: (Row) throws -> Element
    ) throws(StoreError) -> [Element] {
        let rows = try rows(sql, arguments)
        return try StoreError.translating {
            var list: [Element] = []
            while let row = try rows.next() { list.append(try element(row)) }
            return list
        }
    }

    /// Reads the rows of a query until `body` says `false`.
    func read(_ sql: String, _ arguments: StatementArguments = [], while body: (Row) throws -> Bool) throws {
        let rows = try rows(sql, arguments)
        while let row = try rows.next() { guard try body(row) else { return } }
    }
}

/// The rows of a query, one after another: each is gone when the next is asked for.
struct Rows {
    fileprivate let cursor: RowCursor

    func next() throws(StoreError) -> Row? { try StoreError.translating { try cursor.next() } }
}
