import Foundation
import GRDB

/// The schema's history. A migration is never changed once it has shipped; a new one is a new file and a line here.
enum Migrations {
    static let all: DatabaseMigrator = {
        var migrator = DatabaseMigrator()
        registerM001(&migrator)
        return migrator
    }()

    /// Refuses a file with migrations that this version does not know, without touching it.
    static func refuseNewer(path: String, configuration: Configuration) throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        let isNewer = try inspect(path: path) { try all.hasBeenSuperseded($0) }
        if isNewer { throw StoreError.newerSchema(path: path) }
    }

    /// Keeps a copy of a file that is about to be migrated, beside it: `parley.db.before-<last migration>`.
    static func keepCopy(path: String, configuration: Configuration) throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        let applied = try inspect(path: path) { try all.appliedMigrations($0) }
        guard let next = all.migrations.first(where: { !applied.contains($0) }), !applied.isEmpty else { return }
        let copy = "\(path).before-\(next)"
        let unfinished = copy + ".unfinished"
        try? FileManager.default.removeItem(atPath: unfinished)
        let source = try DatabaseQueue(path: path, configuration: configuration)
        let target = try DatabaseQueue(path: unfinished)
        try source.backup(to: target)
        try target.close()
        try source.close()
        try? FileManager.default.removeItem(atPath: copy)
        try FileManager.default.moveItem(atPath: unfinished, toPath: copy)
    }

    private static func inspect<Result>(path: String, _ body: (Database) throws -> Result) throws -> Result {
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        return try queue.read(body)
    }
}
