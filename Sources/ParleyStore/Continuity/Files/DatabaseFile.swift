import Foundation
import GRDB

/// A gateway's database as a file that no gateway runs on: what a backup is made of, and made to.
package enum DatabaseFile {
    /// Checks that a file is a gateway's database of this version or an earlier one, and reads no more than that needs.
    ///
    /// - Throws: `.unusable`, `.newerSchema`.
    package static func check(_ path: String) throws(StoreError) {
        guard FileManager.default.fileExists(atPath: path) else {
            throw .unusable(path: path, message: "there is no such file")
        }
        try StoreError.opening(path) {
            guard try Migrations.shipped.isOurs(path: path) else {
                throw StoreError.unusable(path: path, message: "nothing is in it")
            }
        }
    }

    /// Copies one state of a database, also while a gateway runs on it: this reads beside it, and never writes.
    ///
    /// The copy is one complete file, synced to disk, and is named `instance`. A file at `target` is overwritten.
    ///
    /// - Parameters:
    ///   - instance: a name that no gateway's database has.
    ///   - pushes: the database of pushes that may belong to it; the copy carries what is in that.
    /// - Throws: `.unusable` for what is damaged; `.full` where there is no room for the copy.
    package static func copy(
        _ source: String, to target: String, instance: String?, pushes: String? = nil,
        pace: CopyPace = .asFastAsPossible
    ) throws(StoreError) {
        try StoreError.opening(source) {
            guard let pushes, FileManager.default.fileExists(atPath: pushes) else {
                return try copy(source, to: target, instance: instance, carrying: nil, pace)
            }
            let queue = try reading(pushes, patience: 5)
            defer { try? queue.close() }
            // Read first: whom it names the copy then has.
            try queue.read { database in
                let name: String?
                do {
                    name =
                        try database.tableExists("link") ? PushSnapshot(database: Database(database)).plans.name() : nil
                } catch {
                    throw StoreError.unusable(path: pushes, message: "\(StoreError(error))")
                }
                try copy(source, to: target, instance: instance, carrying: name.map { ($0, database) }, pace)
            }
        }
    }

    private static func copy(
        _ source: String, to target: String, instance: String?,
        carrying pushes: (name: String, database: GRDB.Database)?, _ pace: CopyPace
    ) throws {
        let original = try reading(source, patience: 5)
        defer { try? original.close() }
        var durable = Configuration()
        durable.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        let copy = try DatabaseQueue(path: target, configuration: durable)
        defer { try? copy.close() }
        do {
            try copyPages(original, to: copy, at: target, pace)
        } catch let error as DatabaseError where error.isOfWriting {
            throw StoreError.full
        }
        try copy.writeWithoutTransaction { database in
            // One file, without a log beside it.
            try database.execute(sql: "PRAGMA journal_mode = DELETE")
            let fault = try String.fetchOne(database, sql: "PRAGMA integrity_check(1)") ?? "unknown"
            guard fault == "ok" else { throw StoreError.unusable(path: source, message: "it is damaged: \(fault)") }
            if let instance, try database.tableExists("instance") {
                try ContinuityWrites(database: Database(database)).setInstance(instance)
            }
            guard try database.tableExists("push_link") else { return }
            try database.inTransaction {
                if let pushes, try Snapshot(database: Database(database)).pushLink.name() == pushes.name {
                    try PushTables.fill(Database(database), from: Database(pushes.database))
                }
                try database.execute(sql: "UPDATE push_link SET name = NULL, plan = 0")
                return .commit
            }
        }
    }

    private static func copyPages(
        _ original: DatabaseQueue, to copy: DatabaseQueue, at path: String, _ pace: CopyPace
    ) throws {
        guard case .besideGateway = pace else { return try original.backup(to: copy) }
        var steps = try CopySteps(path)
        try original.read { source in
            // One state for all steps, or each commit of the gateway's would begin the copy anew.
            _ = try Int.fetchOne(source, sql: "SELECT count(*) FROM sqlite_schema")
            try copy.writeWithoutTransaction { target in
                try source.backup(to: target, pagesPerStep: CopySteps.pages) { _ in try steps.finishStep() }
            }
        }
    }

    /// - Parameter patience: for whoever has it locked, in seconds.
    static func reading(_ path: String, patience: Double = 0) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(patience)
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// What a backup holds: the last step of its schema, and how many conversations, each of which has an epoch.
    ///
    /// - Throws: `.unusable` for what is no backup.
    package static func summary(of path: String) throws(StoreError) -> (schema: String, conversations: Int) {
        try StoreError.opening(path) {
            let queue = try reading(path)
            defer { try? queue.close() }
            return try queue.read { database in
                let schema = try String.fetchOne(database, sql: "SELECT max(identifier) FROM grdb_migrations")
                let nameless = try Int.fetchOne(
                    database, sql: "SELECT count(*) FROM conversations WHERE epoch IS NULL OR epoch = ''")
                guard let schema, nameless == 0 else {
                    throw StoreError.unusable(path: path, message: "conversations in it have no epoch")
                }
                return (schema, try Int.fetchOne(database, sql: "SELECT count(*) FROM conversations") ?? 0)
            }
        }
    }

    /// The name of a database on which no gateway runs; `nil` for one without, or that cannot be read.
    package static func instance(of path: String) -> String? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let queue = try? reading(path)
        defer { try? queue?.close() }
        return try? queue?.read { try Snapshot(database: Database($0)).continuity.instance() }
    }
}

extension DatabaseError {
    /// Whether a file could not be written: there is no room, or it may not grow.
    fileprivate var isOfWriting: Bool {
        resultCode == .SQLITE_FULL
            || [.SQLITE_IOERR_WRITE, .SQLITE_IOERR_FSYNC, .SQLITE_IOERR_TRUNCATE].contains(extendedResultCode)
    }
}
