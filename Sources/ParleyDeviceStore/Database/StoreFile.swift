import GRDB
import Platform
import PrivateFiles

/// Opens connections to a database, and makes them durable.
struct StoreFile {
    let path: String
    let migrations: Migrations

    /// Opens the file, after making or migrating it; another program's or a newer version's file is left untouched.
    func open() throws -> DatabaseQueue {
        // SQLite gives its log the same rights.
        try Files.makePrivateFile(path)
        var configuration = Self.configuration
        // A concurrent reader may be restoring the log's index, or see a file without a log.
        configuration.busyMode = .timeout(5)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.inDatabase { database in
            try migrations.check(database, path: path)
            try Self.makeDurable(database)
        }
        try migrations.run(queue)
        return queue
    }

    /// Opens a file for reading while another process has it open: without a migration or a checkpoint, and blocking
    /// only its closing.
    ///
    /// - Returns: `nil` for an empty or missing file.
    func openBeside() throws -> DatabaseQueue? {
        guard unsafe access(path, F_OK) == 0 else { return nil }
        var configuration = Self.configuration
        configuration.readonly = true
        // In seconds.
        configuration.busyMode = .timeout(0.5)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        return try queue.read { try migrations.isReadable($0, path: path) } ? queue : nil
    }

    /// Opens a quarantined file; the only change is the checkpoint of its log.
    func openForReading() throws -> DatabaseQueue {
        // SQLite would create a missing file.
        guard unsafe access(path, F_OK) == 0 else { throw DeviceStoreError.cannotOpen(path, errno: errno) }
        let queue = try DatabaseQueue(path: path, configuration: Self.configuration)
        try queue.inDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
        return queue
    }

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
            // Functions that a damaged or foreign schema names are not run.
            try database.execute(sql: "PRAGMA trusted_schema = OFF")
            try database.execute(sql: "PRAGMA cell_size_check = ON")
        }
        return configuration
    }

    /// WAL with `FULL`: a committed transaction is on disk. `NORMAL` would lose commits in a power failure.
    private static func makeDurable(_ database: Database) throws {
        try database.execute(sql: "PRAGMA journal_mode = WAL")
        try database.execute(sql: "PRAGMA synchronous = FULL")
        let journal = try String.fetchOne(database, sql: "PRAGMA journal_mode") ?? "none"
        guard journal == "wal" else { throw DeviceStoreError.notDurable(setting: "journal_mode is \(journal)") }
        let synchronous = try Int.fetchOne(database, sql: "PRAGMA synchronous") ?? -1
        guard synchronous == 2 else { throw DeviceStoreError.notDurable(setting: "synchronous is \(synchronous)") }
    }
}
