import GRDB

/// One step of the schema. Never changed once it has shipped.
struct Migration: Sendable {
    let name: String
    let sql: String
}

/// The steps of the schema, in order. A new step is a new file and a name in `shipped`.
struct Migrations: Sendable {
    static let shipped = Migrations([.m001, .m002, .m003, .m004, .m005])

    private let migrator: DatabaseMigrator

    init(_ migrations: [Migration]) {
        var migrator = DatabaseMigrator()
        for migration in migrations {
            migrator.registerMigration(migration.name) { try $0.execute(sql: migration.sql) }
        }
        self.migrator = migrator
    }

    /// Checks that a file can be migrated, without changing it.
    ///
    /// - Throws: `DeviceStoreError.tooNew`, or `.damaged` for another program's database.
    func check(_ database: Database, path: String) throws {
        let applied = try migrator.appliedIdentifiers(database)
        if let unknown = applied.subtracting(migrator.migrations).max() {
            throw DeviceStoreError.tooNew(path: path, version: unknown)
        }
        guard applied.isEmpty else { return }
        guard try database.row("SELECT 1 FROM sqlite_schema LIMIT 1") == nil else {
            throw DeviceStoreError.damaged(path: path)
        }
    }

    /// Checks that a file has this version's schema, without changing it.
    ///
    /// - Returns: whether it has a schema at all.
    /// - Throws: `DeviceStoreError.tooNew`, `.tooOld`, or `.damaged` for another program's database.
    func isReadable(_ database: Database, path: String) throws -> Bool {
        try check(database, path: path)
        let applied = try migrator.appliedIdentifiers(database)
        guard let last = applied.max() else { return false }
        guard applied.count == migrator.migrations.count else {
            throw DeviceStoreError.tooOld(path: path, version: last)
        }
        return true
    }

    /// Applies the missing steps, each in a transaction.
    func run(_ queue: DatabaseQueue) throws { try migrator.migrate(queue) }
}
