import Foundation
import ParleyProtocol
import ParleyRules
import PrivateFiles

/// A directory of backups, named after their time, from which older ones are removed.
package struct BackupDirectory {
    package struct Outcome: Sendable {
        package let backup: Restoration.Backup
        /// The names of those that were removed.
        package let removed: [String]
    }

    private let path: String

    package init(path: String) { self.path = path }

    /// Makes a backup in it, and then removes those that are not to be kept. Where it fails, nothing is removed.
    ///
    /// - Parameters:
    ///   - count: how many of the newest are kept.
    ///   - days: how old those are that are kept; `nil` for what keeps none, and without either all are kept.
    ///   - now: the time that the backup is named after.
    package func add(
        of directory: DataDirectory, keeping count: Int? = nil, days: Int? = nil, at now: Timestamp = .systemNow
    ) throws -> Outcome {
        let lock = try open()
        defer { lock.release() }
        removeUnfinished()
        let name = BackupName(at: now)
        let backup = try Restoration(directory).backUp(to: "\(path)/\(name)")
        let retention = BackupRetention(count: count, age: days.map(Duration.days))
        let removable = retention.removable(among: try names(), newest: name)
        for name in removable {
            do throws(FileError) {
                // From here on it is no backup, also for whoever comes after a kill.
                let remains = "\(name).old\(Restoration.partSuffix)"
                try Files.move("\(path)/\(name)", to: "\(path)/\(remains)")
                try Files.remove(BackupDigest.name(of: "\(name)"), in: path)
                try removeInSteps(remains)
            } catch {
                throw DataDirectoryError("the backup is made, and an older one cannot be removed: \(error)")
            }
        }
        return Outcome(backup: backup, removed: removable.map(\.description))
    }

    /// Makes the directory if there is none, and keeps others from adding to it.
    private func open() throws(DataDirectoryError) -> FileLock {
        let lock: FileLock?
        do throws(FileError) {
            try Files.makePrivateDirectory(path)
            lock = try FileLock(ifFree: path + "/.lock")
        } catch {
            throw DataDirectoryError("backups cannot be kept in \(path): \(error.reason)")
        }
        guard let lock else { throw DataDirectoryError("another backup to \(path) is under way") }
        return lock
    }

    /// What this command has made here, by the name; a link or a directory of such a name is none.
    private func names() throws -> [BackupName] {
        try Files.names(in: path).compactMap(BackupName.init).filter { name in
            (try? Files.isRegularFile("\(path)/\(name)")) == true
        }
    }

    /// How many bytes of a file one step removes.
    private static let removedAtOnce = 1 << 16
    /// Between two steps, in seconds.
    private static let longestRest = 0.1

    /// Removes a large file a part at a time, and rests ten times as long as it works: the gateway's syncs wait for a
    /// file system that frees space, and for long where that tells the disk (`discard`). Of a file with another name,
    /// such as a copy by hard link, only this name goes.
    private func removeInSteps(_ name: String) throws(FileError) {
        let attributes = try? FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
        if attributes?[.referenceCount] as? Int == 1,
            let file = try? OpenFile("\(path)/\(name)", for: .writing), let size = try? file.size
        {
            for size in stride(from: size, to: 0, by: -Self.removedAtOnce) {
                let begun = ContinuousClock.now
                try file.truncate(to: size)
                Thread.sleep(forTimeInterval: min(Self.longestRest, 10 * (begun.duration(to: .now) / .seconds(1))))
            }
        }
        try Files.remove(name, in: path)
    }

    /// The remains of a process that was killed while it made a backup here, or removed one.
    private func removeUnfinished() {
        for name in (try? Files.names(in: path)) ?? [] {
            guard let end = name.firstRange(of: ".backup."),
                BackupName(String(name[..<end.upperBound].dropLast())) != nil,
                name.hasSuffix(Restoration.partSuffix) || name.hasSuffix(Restoration.partSuffix + "-journal")
            else { continue }
            try? removeInSteps(name)
        }
    }
}
