import Foundation
import ParleyProtocol
import ParleyRules
import ParleyStore
import PrivateFiles

/// Makes backups of a gateway's database, and restores them.
///
/// A backup is prepared beside the database: copied, checked, migrated, synced, with a new epoch of every conversation.
/// Then it gets the name that decides the restore: from there on the next process, a repeat or the gateway's start,
/// carries out the rest. Before that nothing has changed. The old database is renamed, never removed.
package struct Restoration {
    private let directory: DataDirectory
    private let reached: (Step) -> Void

    /// Where a process may be killed, for tests.
    package enum Step: CaseIterable, Sendable {
        case copied, begunAnew, bothNamesWritten, decided, logKept, databaseKept, inPlace, nameWritten
    }

    package struct Outcome: Sendable {
        package let conversations: Int
        /// The path of the old database; `nil` if there was none.
        package let kept: String?
    }

    /// - Parameter directory: held by a ``DirectoryLock`` of the caller's.
    package init(_ directory: DataDirectory, reached: @escaping (Step) -> Void = { _ in }) {
        self.directory = directory
        self.reached = reached
    }

    /// The database in preparation.
    private var staged: String { directory.database + ".restoring" }
    /// The prepared database, which decides the restore.
    private var decided: String { directory.database + ".restored" }

    // MARK: Backup

    /// Writes one state of the database to a file, also while a gateway runs.
    ///
    /// The file is made beside its place, checked and synced, and is whole under its name or not there. Its digest is
    /// in a file beside it.
    ///
    /// - Parameter file: must not exist.
    package func backUp(to file: String) throws -> Backup {
        guard exists(directory.database) else {
            throw DataDirectoryError("there is no database in \(directory.path)")
        }
        guard !exists(file) else { throw DataDirectoryError("\(file) exists: name a file that does not") }
        let part = "\(file).\(InstanceName.random())\(Restoration.partSuffix)"
        defer {
            for suffix in ["", "-journal"] { try? FileManager.default.removeItem(atPath: part + suffix) }
        }
        do {
            // With a name that no gateway gives, so that a backup that is put back by hand is always detected.
            try Files.makePrivateFile(part)
            try DatabaseFile.copy(
                directory.database, to: part, instance: InstanceName.random(), pushes: directory.pushDatabase,
                pace: .besideGateway)
            let backup = try check(part, for: file)
            try noteDigest(of: backup)
            try complete(part, as: file)
            return backup
        } catch {
            throw reason(error, file)
        }
    }

    private func check(_ part: String, for file: String) throws -> Backup {
        let (schema, conversations) = try DatabaseFile.summary(of: part)
        return Backup(
            file: file, bytes: Files.size(of: part) ?? 0, schema: schema, conversations: conversations,
            digest: try BackupDigest.digest(of: part))
    }

    private func noteDigest(of backup: Backup) throws(FileError) {
        let url = URL(filePath: backup.file)
        try Files.replace(
            BackupDigest.name(of: url.lastPathComponent), in: url.deletingLastPathComponent().path,
            with: Array("\(backup.digest)  \(url.lastPathComponent)\n".utf8))
    }

    private func complete(_ part: String, as file: String) throws(DataDirectoryError) {
        do throws(DataDirectoryError) {
            try move(part, to: file)
        } catch {
            try? FileManager.default.removeItem(atPath: BackupDigest.name(of: file))
            throw error
        }
    }

    /// Why there is no backup.
    private func reason(_ error: any Error, _ file: String) -> any Error {
        switch error {
        case StoreError.full: return noRoom(for: file)
        case let error as FileError where error.isFull: return noRoom(for: file)
        case let error as FileError: return DataDirectoryError("cannot write \(file): \(error.reason)")
        default: return error
        }
    }

    private func noRoom(for file: String) -> DataDirectoryError {
        DataDirectoryError(
            "there is no room for the backup \(file): nothing of it was left behind, and other backups are as they were"
        )
    }

    /// What the name of an unfinished backup ends with.
    static let partSuffix = ".part"

    /// A backup that was made and checked.
    package struct Backup: Sendable {
        package let file: String
        package let bytes: Int
        /// The last step of its schema.
        package let schema: String
        package let conversations: Int
        /// BLAKE2b, 256 bits, in hexadecimal digits.
        package let digest: String
    }

    // MARK: Restore

    /// - Throws: a sentence for the operator; then nothing has changed.
    package func restore(from file: String, name: String = InstanceName.random()) throws -> Outcome {
        try finish()
        let source = URL(filePath: file).resolvingSymlinksInPath().standardizedFileURL.path
        guard source != URL(filePath: directory.database).resolvingSymlinksInPath().standardizedFileURL.path else {
            throw DataDirectoryError("\(file) is the gateway's database itself: `parleyd restore --in-place` takes it")
        }
        try DatabaseFile.check(file)
        if let noted = try BackupDigest.noted(of: file), try BackupDigest.digest(of: file) != noted {
            throw DataDirectoryError(
                "\(file) is not what was backed up: it does not fit \(BackupDigest.name(of: file)); take another backup"
            )
        }
        defer { removeStaged() }
        do throws(FileError) {
            try Files.makePrivateFile(staged)
        } catch {
            throw DataDirectoryError("cannot write \(staged): \(error.reason)")
        }
        try DatabaseFile.copy(file, to: staged, instance: nil)
        reached(.copied)
        let (count, position) = try beginAnew(at: staged, as: name)
        reached(.begunAnew)
        let witness = WitnessFile(directory)
        // Until the decision the old database is the gateway's, and afterwards the other one.
        try witness.write(
            DatabaseWitness(instances: [name, DatabaseFile.instance(of: directory.database)], position: 0))
        reached(.bothNamesWritten)
        try move(staged, to: decided)
        reached(.decided)
        let kept = try finish()
        try witness.write(DatabaseWitness(instances: [name], position: position))
        reached(.nameWritten)
        return Outcome(conversations: count, kept: kept)
    }

    /// Begins a new epoch of every conversation of the present database, as after a restore.
    package func beginAnew(name: String = InstanceName.random()) throws -> Outcome {
        try finish()
        try DatabaseFile.check(directory.database)
        let (count, position) = try beginAnew(at: directory.database, as: name)
        reached(.begunAnew)
        try WitnessFile(directory).write(DatabaseWitness(instances: [name], position: position))
        reached(.nameWritten)
        return Outcome(conversations: count, kept: nil)
    }

    /// Carries out the rest of a decided restore.
    ///
    /// - Returns: the path of the old database.
    @discardableResult
    package func finish() throws -> String? {
        guard exists(decided) else {
            removeStaged()
            return nil
        }
        let kept = "\(directory.database).replaced-\(try stamp(of: decided))"
        // Its log first: SQLite would take it for the new database's.
        for (suffix, step) in [("-wal", Step.logKept), ("", .databaseKept)] {
            if exists(directory.database + suffix) { try move(directory.database + suffix, to: kept + suffix) }
            reached(step)
        }
        let keptPushes = "\(directory.pushDatabase).replaced-\(try stamp(of: decided))"
        for suffix in ["-wal", ""] where exists(directory.pushDatabase + suffix) {
            try move(directory.pushDatabase + suffix, to: keptPushes + suffix)
        }
        for database in [directory.database, directory.pushDatabase] {
            try? FileManager.default.removeItem(atPath: database + "-shm")
        }
        try move(decided, to: directory.database)
        reached(.inPlace)
        return exists(kept) ? kept : nil
    }

    private func beginAnew(at path: String, as name: String) throws -> (conversations: Int, position: Int) {
        let store = try Store(path: path)
        let count = try store.write { try $0.beginAnew(as: name) }
        let position = try store.read { try $0.outbox.lastPosition().number }
        try store.checkpoint()
        try store.close()
        return (count, position)
    }

    // MARK: Files

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    private func removeStaged() {
        let name = URL(filePath: staged).lastPathComponent
        for entry in (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        where entry.hasPrefix(name) {
            try? FileManager.default.removeItem(atPath: "\(directory.path)/\(entry)")
        }
    }

    /// Renames a file for good.
    private func move(_ path: String, to target: String) throws(DataDirectoryError) {
        do throws(FileError) {
            try Files.move(path, to: target)
        } catch {
            throw DataDirectoryError("cannot rename \(path) to \(target): \(error.reason)")
        }
    }

    /// The time of a file as part of a name, the same for each process that carries out the rest.
    private func stamp(of path: String) throws -> String {
        let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date ?? Date()
        let time = Timestamp(milliseconds: Int64(date.timeIntervalSince1970 * 1000))
        return String(time.description.filter { $0.isLetter || $0.isNumber })
    }
}
