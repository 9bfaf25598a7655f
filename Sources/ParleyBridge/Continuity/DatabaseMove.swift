import Foundation
import ParleyRules
import ParleyStore
import PrivateFiles

/// Moves a gateway's database from its data directory to a server, and back.
///
/// It stays the same database: its name goes along, and devices notice nothing. A file that is being made has another
/// name until it is complete.
package struct DatabaseMove {
    private let directory: DataDirectory
    private let report: (DatabaseTransfer.State) -> Void
    private let reached: (Step) throws -> Void

    /// Where a process may be killed, for tests.
    package enum Step: Hashable, Sendable {
        case transfer(DatabaseTransfer.Step)
        case closed, witnessWritten, inPlace, positionNoted
    }

    /// - Parameter directory: held by a ``DirectoryLock`` of the caller's.
    package init(
        _ directory: DataDirectory, report: @escaping (DatabaseTransfer.State) -> Void = { _ in },
        reached: @escaping (Step) throws -> Void = { _ in }
    ) {
        (self.directory, self.report, self.reached) = (directory, report, reached)
    }

    /// Copies the directory's database to a server's, which is empty or holds a part of the same copy.
    ///
    /// - Returns: how many rows it has.
    package func export(to server: Store) throws -> Int {
        try Restoration(directory).finish()
        guard exists(directory.database) else {
            throw DataDirectoryError("there is no database in \(directory.path)")
        }
        let (file, pushes) = (try Store(path: directory.database), try openPushes())
        let rows = try transfer(from: file, pushes, to: server).run()
        try pushes?.close()
        // So that it can be put away as one file.
        try file.checkpoint()
        try file.close()
        return rows
    }

    /// The database that is being made.
    private var staged: String { directory.database + ".importing" }

    /// Copies a server's database into the directory, where none may be but a part of the same copy.
    ///
    /// - Returns: how many rows it has.
    package func importDatabase(from server: Store) throws -> Int {
        // The log of a file that was moved without it may hold its last commits.
        for path in [directory.database, directory.database + "-wal"] where !isMissingOrEmpty(path) {
            throw DataDirectoryError("\(path) exists: move parley.db away, and parley.db-wal with it")
        }
        let (file, pushes) = (try Store(path: staged), try openPushes())
        let transfer = try transfer(from: server, pushes, to: file)
        let rows: Int
        do {
            rows = try transfer.run()
        } catch TransferError.otherTransfer {
            throw DataDirectoryError("\(staged): \(TransferError.otherTransfer)")
        }
        let (name, position) = (try transfer.instance(), try file.read { try $0.outbox.lastPosition().number })
        // One file, without a log beside it.
        try file.checkpoint()
        try file.close()
        try pushes?.close()
        try reached(.closed)
        let witness = WitnessFile(directory)
        // The positions begin anew: whichever it is, it is not put back.
        try witness.write(DatabaseWitness(instances: [name], position: 0))
        try reached(.witnessWritten)
        for suffix in ["-wal", "-shm"] {
            for path in [staged, directory.database] { try? FileManager.default.removeItem(atPath: path + suffix) }
        }
        do throws(FileError) {
            try Files.move(staged, to: directory.database)
        } catch {
            throw DataDirectoryError("cannot rename \(staged) to \(directory.database): \(error.reason)")
        }
        try reached(.inPlace)
        try witness.write(DatabaseWitness(instances: [name], position: position))
        try reached(.positionNoted)
        return rows
    }

    private func transfer(from source: Store, _ pushes: PushStore?, to target: Store) throws -> DatabaseTransfer {
        try DatabaseTransfer(from: source, pushes: pushes, to: target, report: report) { step in
            try reached(.transfer(step))
        }
    }

    /// The directory's database of pushes, if there is one.
    private func openPushes() throws(StoreError) -> PushStore? {
        exists(directory.pushDatabase) ? try PushStore(path: directory.pushDatabase) : nil
    }

    private func isMissingOrEmpty(_ path: String) -> Bool {
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        return (size ?? 0) == 0
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
}
