import GRDB

/// A connection inside a transaction or a snapshot, whichever engine keeps the database. A statement is one text for
/// all of them: `docs/decisions/0047-one-text-for-two-engines.md`.
package struct Database {
    enum Engine {
        case sqlite(SQLiteConnection)
        case remote(any RemoteConnection)
        /// Takes down what is asked, and gives no rows.
        case recorder(QueryRecorder)
    }

    let engine: Engine
    /// Of the gateway whose connection it is.
    let stream: Stream
    /// What a query for rows that the transaction depends on ends with.
    let rowLock: String

    init(_ connection: GRDB.Database) {
        (engine, stream) = (.sqlite(SQLiteConnection(connection: connection)), .only)
        rowLock = ""
    }

    /// - Parameter locksRows: whether it may write, so that rows that it depends on are locked.
    package init(_ connection: any RemoteConnection, _ stream: Stream, locksRows: Bool) {
        (engine, self.stream) = (.remote(connection), stream)
        rowLock = locksRows ? " FOR NO KEY UPDATE" : ""
    }

    private init(_ recorder: QueryRecorder, like database: Database) {
        engine = .recorder(recorder)
        (stream, rowLock) = (database.stream, database.rowLock)
    }

    /// Has a server answer at once what `body` asks, and then runs it.
    ///
    /// - Parameter body: only reads. The queries that depend on the rows of others are not among those at once.
    func together<Result>(
        _ body: (Database) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        guard case .remote(let connection) = engine else { return try body(self) }
        let recorder = QueryRecorder()
        _ = try body(Database(recorder, like: self))
        try connection.prefetch(recorder.queries)
        return try body(self)
    }

    /// Runs a statement that gives no rows.
    func run(_ sql: String, _ arguments: Arguments = []) throws(StoreError) { try run(sql, values: arguments.values) }

    func run(_ sql: String, values: some Sequence<BoundValue>) throws(StoreError) {
        switch engine {
        case .sqlite(let connection): try connection.run(sql, values)
        case .remote(let connection): try connection.send(sql, Array(values))
        case .recorder: break
        }
    }

    /// Runs a statement for rows that match a condition; how many they were.
    func change(_ sql: String, _ arguments: Arguments) throws(StoreError) -> Int {
        switch engine {
        case .sqlite(let connection):
            try connection.run(sql, arguments.values)
            return connection.changedRows
        case .remote(let connection): return try connection.change(sql, arguments.values)
        case .recorder: return 0
        }
    }

    /// See `WriteTransaction.claim`.
    func claim(_ work: SharedWork) throws(StoreError) -> Bool {
        switch engine {
        case .remote(let connection): try connection.claim(work)
        case .sqlite, .recorder: true
        }
    }

    /// The first row of a query, copied.
    func row(_ sql: String, _ arguments: Arguments = []) throws(StoreError) -> Row? {
        switch engine {
        case .sqlite(let connection):
            let statement = try connection.statement(sql)
            try statement.bind(arguments.values)
            defer { statement.reset() }
            return try statement.hasRow() ? Row(copying: Row(statement).values(statement.columns)) : nil
        case .remote(let connection):
            let rows = try connection.rows(sql, arguments.values)
            return rows.next() ? Row(rows) : nil
        case .recorder(let recorder):
            recorder.queries.append(RemoteQuery(sql: sql, values: arguments.values))
            return nil
        }
    }

    /// The first row of a query, as `value` reads it: the statement is not run to its end.
    func first<Value>(
        _ sql: String, _ arguments: Arguments = [], _ value: (Row) throws -> Value
    ) throws(StoreError) -> Value? {
        var first: Value?
        try each(sql, arguments.values) { row in
            first = try value(row)
            return false
        }
        return first
    }

    /// All rows of a query, each as `element` reads it.
    func list<Element>(
        _ sql: String, _ arguments: Arguments = [], _ element: (Row) throws -> Element
    ) throws(StoreError) -> [Element] {
        var list: [Element] = []
        try each(sql, arguments) { list.append(try element($0)) }
        return list
    }

    /// Reads all rows of a query.
    func each(_ sql: String, _ arguments: Arguments = [], _ body: (Row) throws -> Void) throws(StoreError) {
        try each(sql, arguments.values) { row in
            try body(row)
            return true
        }
    }

    /// Inserts a row into a table that gives it its `key`.
    func insert<Item>(_ sql: String, _ arguments: Arguments) throws(StoreError) -> RowKey<Item> {
        switch engine {
        case .sqlite(let connection):
            // With RETURNING it would look for rows that refer to the new one, table by table.
            try connection.run(sql, arguments.values)
            return RowKey(value: connection.lastInsertedKey)
        case .remote(let connection):
            let rows = try connection.rows(sql + " RETURNING key", arguments.values)
            guard rows.next() else { throw .inconsistent(.column(0)) }
            return rows.key(0)
        case .recorder: return RowKey(value: 0)
        }
    }

    /// Reads the rows of a query until `body` returns `false`.
    func read(_ sql: String, _ arguments: Arguments = [], while body: (Row) throws -> Bool) throws {
        var failure: (any Error)?
        try each(sql, arguments.values) { row in
            do { return try body(row) } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
    }

    /// - Parameter count: of the statement's parameters, where the last of them are NULL.
    func each(
        _ sql: String, _ values: some Sequence<BoundValue>, count: Int = 0, _ body: (Row) throws -> Bool
    ) throws(StoreError) {
        switch engine {
        case .sqlite(let connection):
            let statement = try connection.statement(sql)
            try statement.bind(values)
            defer { statement.reset() }
            let row = Row(statement)
            try StoreError.translating { while try statement.hasRow() { guard try body(row) else { return } } }
        case .remote(let connection):
            var values = Array(values)
            values += repeatElement(.integer(nil), count: max(0, count - values.count))
            let rows = try connection.rows(sql, values)
            let row = Row(rows)
            try StoreError.translating { while rows.next() { guard try body(row) else { return } } }
        case .recorder(let recorder):
            var values = Array(values)
            values += repeatElement(.integer(nil), count: max(0, count - values.count))
            recorder.queries.append(RemoteQuery(sql: sql, values: values))
        }
    }
}

extension Snapshot {
    /// See `SQLiteConnection.drainSteps`; for tests.
    func drainSteps() -> Int {
        switch database.engine {
        case .sqlite(let connection): connection.drainSteps()
        case .remote, .recorder: 0
        }
    }
}

/// The queries that something asks.
final class QueryRecorder {
    var queries: [RemoteQuery] = []
}
