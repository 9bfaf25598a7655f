import GRDB
import Platform
import PrivateFiles

/// Opens the connection to a database, and sees that it keeps what it is given.
struct StoreFile {
    let path: String
    let migrations: Migrations

    /// Opens the file, making or migrating it as needed; what is not ours, or is a newer version's, is left untouched.
    func open() throws -> DatabaseQueue {
        // SQLite gives its log the same rights.
        try Files.makePrivateFile(path)
        var configuration = Self.configuration
        // A process that reads beside us may be restoring the log's index, or see a file that has no log yet.
        configuration.busyMode = .timeout(5)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.inDatabase { database in
            try migrations.check(database, path: path)
            try Self.makeDurable(database)
        }
        try migrations.run(queue)
        return queue
    }

    /// Opens a file that another process may have open, to read what is in it. It is not migrated, its log is not
    /// written back to it, and nobody waits for this but whoever would close it.
    ///
    /// - Returns: `nil` where there is nothing in the file, or no file.
    func openBeside() throws -> DatabaseQueue? {
        guard unsafe access(path, F_OK) == 0 else { return nil }
        var configuration = Self.configuration
        configuration.readonly = true
        // In seconds: whoever reads so has few.
        configuration.busyMode = .timeout(0.5)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        return try queue.read { try migrations.isReadable($0, path: path) } ? queue : nil
    }

    /// Opens a quarantined file, changing nothing but that its log is written back to it.
    func openForReading() throws -> DatabaseQueue {
        // SQLite would make a file that is not there.
        guard unsafe access(path, F_OK) == 0 else { throw DeviceStoreError.cannotOpen(path, errno: errno) }
        let queue = try DatabaseQueue(path: path, configuration: Self.configuration)
        try queue.inDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
        return queue
    }

    /// A database that is gone with this process.
    static func inMemory() throws -> DatabaseQueue {
        let queue = try DatabaseQueue(configuration: configuration)
        try Migrations.shipped.run(queue)
        return queue
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "parley.device"
        configuration.prepareDatabase { database in
            // In KiB: bounds the connection's memory.
            try database.execute(sql: "PRAGMA cache_size = -2000")
            try database.execute(sql: "PRAGMA temp_store = MEMORY")
            // What a damaged or foreign schema names is not run.
            try database.execute(sql: "PRAGMA trusted_schema = OFF")
            try database.execute(sql: "PRAGMA cell_size_check = ON")
        }
        return configuration
    }

    /// WAL with `FULL`: once a transaction has returned it is on disk. `NORMAL` would lose commits when power fails.
    private static func makeDurable(_ database: Database) throws {
        try database.execute(sql: "PRAGMA journal_mode = WAL")
        try database.execute(sql: "PRAGMA synchronous = FULL")
        let journal = try String.fetchOne(database, sql: "PRAGMA journal_mode") ?? "none"
        guard journal == "wal" else { throw DeviceStoreError.notDurable(setting: "journal_mode is \(journal)") }
        let synchronous = try Int.fetchOne(database, sql: "PRAGMA synchronous") ?? -1
        guard synchronous == 2 else { throw DeviceStoreError.notDurable(setting: "synchronous is \(synchronous)") }
    }
}
