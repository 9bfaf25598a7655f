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
        let queue = try DatabaseQueue(path: path, configuration: Self.configuration)
        try queue.inDatabase { database in
            // Before the first access: the log's index then stays in this process's memory, and the file is shut to any
            // other program, such as a database tool that would write beside us.
            try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
            try migrations.check(database, path: path)
            try Self.makeDurable(database)
        }
        try migrations.run(queue)
        return queue
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
