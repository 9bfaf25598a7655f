import GRDB
import PrivateFiles

/// A database file of SQLite: one connection that writes, a few that read beside it on snapshots.
///
/// In WAL mode with `synchronous = FULL`: when `write` returns, the transaction is on disk. The writing connection
/// alone checkpoints; a second process must never write to the file.
final class SQLiteFile: StoreEngine {
    private let pool: DatabasePool

    /// - Parameter trace: called with each statement that a connection runs, without its arguments.
    init(path: String, migrations: Migrations, trace: (@Sendable (_ sql: String) -> Void)?) throws(StoreError) {
        pool = try StoreError.opening(path) {
            // SQLite gives its log and the index of it the same rights.
            try Files.makePrivateFile(path)
            var configuration = Configuration()
            configuration.journalMode = .wal
            // One more for the publisher and one for pushes, which must not wait for a long page.
            configuration.maximumReaderCount = Store.readers + 2
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
            let pool = try migrations.run(path: path) { try DatabasePool(path: path, configuration: configuration) }
            try pool.writeWithoutTransaction { database in
                // After GRDB's own preparation, which sets NORMAL for WAL: NORMAL loses commits when power fails.
                try database.execute(sql: "PRAGMA synchronous = FULL")
                // In pages of 4 KiB. A checkpoint holds up the batch that triggers it, so few and large ones.
                try database.execute(sql: "PRAGMA wal_autocheckpoint = 8192")
                // What is removed is overwritten: nothing of it stays behind in the pages of the file.
                try database.execute(sql: "PRAGMA secure_delete = ON")
                // In milliseconds. Only a checkpoint waits, for readers to finish.
                try database.execute(sql: "PRAGMA busy_timeout = 250")
                let (synchronous, journal) = try SQLiteFile.durability(database)
                guard journal == "wal" else { throw StoreError.notDurable(setting: "journal_mode is \(journal)") }
                guard synchronous == 2 else { throw StoreError.notDurable(setting: "synchronous is \(synchronous)") }
            }
            return pool
        }
    }

    private static func durability(_ database: GRDB.Database) throws -> (synchronous: Int, journal: String) {
        (
            try Int.fetchOne(database, sql: "PRAGMA synchronous") ?? -1,
            try String.fetchOne(database, sql: "PRAGMA journal_mode") ?? "none"
        )
    }

    /// What `PRAGMA synchronous` and `journal_mode` say on the writing connection.
    func durability() throws(StoreError) -> (synchronous: Int, journal: String) {
        try StoreError.translating { try pool.writeWithoutTransaction(SQLiteFile.durability) }
    }

    var cells: (any Cells)? { nil }

    var pushes: (any SharedPushes)? { nil }

    func write<Result>(_ isolation: Isolation, _ body: (Database) throws -> Result) throws -> Result {
        try pool.write { try body(Database($0)) }
    }

    func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try pool.read { try body(Database($0)) }
    }

    /// Writes the log back into the database file and empties it.
    func checkpoint() throws { _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) } }

    func checkpointIfFree() throws {
        try pool.writeWithoutTransaction { database in
            let passive = try database.checkpoint(.passive)
            guard passive.checkpointedFrameCount == passive.walFrameCount else {
                throw DatabaseError(resultCode: .SQLITE_BUSY, message: "a reader holds an old state")
            }
            try database.checkpoint(.truncate)
        }
    }

    func close() throws { try pool.close() }
}
