import GRDB
import ParleyProtocol
import PrivateFiles

/// The one owner of the database file: one connection that writes, a few that read beside it on snapshots.
///
/// SQLite in WAL mode with `synchronous = FULL`: when `write` returns, the transaction is on disk. The writing
/// connection alone checkpoints; a second process must never write to the file.
package final class Store: Sendable {
    private let pool: DatabasePool

    /// Connections that read at the same time.
    package static let readers = 2

    /// Opens the database, making or migrating it as needed.
    ///
    /// - Throws: `StoreError.newerSchema` for a file of a later version, which is left untouched, as is one that is
    ///   `.unusable`.
    package convenience init(path: String) throws(StoreError) {
        try self.init(path: path, migrations: .shipped)
    }

    /// - Parameter trace: told each statement that a connection runs, without its arguments; for tests.
    init(
        path: String, migrations: Migrations, trace: (@Sendable (_ sql: String) -> Void)? = nil
    ) throws(StoreError) {
        do {
            // SQLite gives its log and the index of it the same rights.
            try Files.makePrivateFile(path)
            var configuration = Configuration()
            configuration.journalMode = .wal
            // One more for the publisher, which must not wait for a long page.
            configuration.maximumReaderCount = Store.readers + 1
            configuration.label = "parley"
            configuration.prepareDatabase { database in
                // In KiB: bounds the memory of each connection.
                try database.execute(sql: "PRAGMA cache_size = \(database.configuration.readonly ? -2000 : -16000)")
                try database.execute(sql: "PRAGMA temp_store = MEMORY")
                guard let trace else { return }
                database.trace { event in
                    if case .statement(let statement) = event { trace(statement.sql) }
                }
            }
            pool = try migrations.run(path: path) { try DatabasePool(path: path, configuration: configuration) }
            try pool.writeWithoutTransaction { database in
                // After GRDB's own preparation, which sets NORMAL for WAL: NORMAL loses commits when power fails.
                try database.execute(sql: "PRAGMA synchronous = FULL")
                // In pages of 4 KiB. A checkpoint holds up the batch that triggers it, so few and large ones.
                try database.execute(sql: "PRAGMA wal_autocheckpoint = 8192")
                // What is removed is overwritten: nothing of it stays behind in the pages of the file.
                try database.execute(sql: "PRAGMA secure_delete = ON")
                // In milliseconds. It waits for nobody but readers, whom a checkpoint lets finish.
                try database.execute(sql: "PRAGMA busy_timeout = 250")
                try Store.checkDurability(database)
            }
        } catch {
            switch StoreError(error) {
            case .failed(_, let message), .inputOutput(_, let message): throw .unusable(path: path, message: message)
            case let fault: throw fault
            }
        }
    }

    private static func checkDurability(_ database: Database) throws {
        let journal = try String.fetchOne(database, sql: "PRAGMA journal_mode") ?? "none"
        guard journal == "wal" else { throw StoreError.notDurable(setting: "journal_mode is \(journal)") }
        let synchronous = try Int.fetchOne(database, sql: "PRAGMA synchronous") ?? -1
        guard synchronous == 2 else { throw StoreError.notDurable(setting: "synchronous is \(synchronous)") }
    }

    /// What `PRAGMA synchronous` and `journal_mode` say on the writing connection.
    package func durability() throws(StoreError) -> (synchronous: Int, journal: String) {
        do {
            return try pool.writeWithoutTransaction { database in
                (
                    try Int.fetchOne(database, sql: "PRAGMA synchronous") ?? -1,
                    try String.fetchOne(database, sql: "PRAGMA journal_mode") ?? ""
                )
            }
        } catch {
            throw StoreError(error)
        }
    }

    /// One transaction: all of `body`, committed and synced when this returns, or nothing of it.
    ///
    /// Called by the writer's thread alone.
    package func write<Result>(_ body: (WriteTransaction) throws -> Result) throws(StoreError) -> Result {
        do {
            return try pool.write { try body(WriteTransaction(database: $0)) }
        } catch {
            throw StoreError(error)
        }
    }

    /// Reads one state of the database, the last committed before this was called or a later one.
    package func read<Result>(_ body: (Snapshot) throws -> Result) throws(StoreError) -> Result {
        do {
            return try pool.read { try body(Snapshot(database: $0)) }
        } catch {
            throw StoreError(error)
        }
    }

    /// Closes the file; the store cannot be used afterwards. Letting go of it does the same.
    package func close() throws(StoreError) {
        do { try pool.close() } catch { throw StoreError(error) }
    }

    /// Writes the log back into the database file and empties it: nothing is left to do for the next start, and nothing
    /// that was removed before is left in either file.
    ///
    /// - Throws: `.inputOutput` also when a reader took longer than a moment; trying again helps.
    package func checkpoint() throws(StoreError) {
        do {
            _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        } catch {
            throw StoreError(error)
        }
    }
}

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
