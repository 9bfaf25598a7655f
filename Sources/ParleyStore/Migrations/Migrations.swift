import Foundation
import GRDB

/// One step of the schema. Never changed once it has shipped.
struct Migration: Sendable {
    let name: String
    let sql: String
}

/// The schema's history, in order. A new step is a new file and a name in `steps`.
struct Migrations: Sendable {
    static let steps: [Migration] = [
        .m001, .m002, .m003, .m004, .m005, .m006, .m007, .m008, .m009, .m010, .m011, .m012, .m013, .m014,
        .m015, .m016, .m017, .m018, .m019, .m020, .m021, .m022,
    ]
    static let shipped = Migrations(steps)

    private let migrator: DatabaseMigrator

    init(_ migrations: [Migration]) {
        var migrator = DatabaseMigrator()
        for migration in migrations {
            migrator.registerMigration(migration.name) { try $0.execute(sql: migration.sql) }
        }
        self.migrator = migrator
    }

    private enum FileState {
        case missing
        /// Another program's.
        case foreign
        /// Has unknown steps.
        case newer
        case current
        /// Lacks this step and later ones.
        case older(next: String)
    }

    /// Brings the file at `path` to the last step, and keeps a copy of it: `parley.db.before-<step>`.
    ///
    /// - Throws: `StoreError.newerSchema`, or `.unusable` for another program's database; the file is not touched then.
    func run(path: String, open: () throws -> DatabasePool) throws -> DatabasePool {
        switch try state(ofFileAt: path) {
        case .missing, .current: break
        case .foreign: throw StoreError.unusable(path: path, message: "it holds other tables than Parley's")
        case .newer: throw StoreError.newerSchema(path: path)
        case .older(let next): try keepCopy(path: path, as: "\(path).before-\(next)")
        }
        let pool = try open()
        try migrator.migrate(pool)
        return pool
    }

    /// Whether a file is a database of these migrations; `false` for an empty one.
    ///
    /// - Throws: as `run`.
    func isOurs(path: String) throws -> Bool {
        switch try state(ofFileAt: path) {
        case .missing: false
        case .foreign: throw StoreError.unusable(path: path, message: "it holds other tables than Parley's")
        case .newer: throw StoreError.newerSchema(path: path)
        case .current, .older: true
        }
    }

    private func state(ofFileAt path: String) throws -> FileState {
        guard FileManager.default.fileExists(atPath: path) else { return .missing }
        let queue = try DatabaseFile.reading(path)
        defer { try? queue.close() }
        return try queue.read { database in
            if try migrator.hasBeenSuperseded(database) { return .newer }
            let applied = try migrator.appliedMigrations(database)
            guard !applied.isEmpty else {
                let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
                return tables == 0 ? .missing : .foreign
            }
            guard let next = migrator.migrations.first(where: { !applied.contains($0) }) else { return .current }
            return .older(next: next)
        }
    }

    private func keepCopy(path: String, as copy: String) throws {
        let unfinished = copy + ".unfinished"
        try? FileManager.default.removeItem(atPath: unfinished)
        let source = try DatabaseQueue(path: path)
        let target = try DatabaseQueue(path: unfinished)
        try source.backup(to: target)
        try target.close()
        try source.close()
        try? FileManager.default.removeItem(atPath: copy)
        try FileManager.default.moveItem(atPath: unfinished, toPath: copy)
    }
}
