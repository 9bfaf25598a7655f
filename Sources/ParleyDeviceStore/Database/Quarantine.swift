import Foundation
import Platform
import PrivateFiles

// When a file is damaged: messages can be fetched again, what waits to be sent cannot. So nothing is ever deleted here:
// `quarantine` gives the file another name, `open` makes a new one, `rescue` brings over what waits in the old one, as
// far as it can be read, and `markRescued` notes in its name that this was done. Whoever is killed between two of these
// finds the file among `quarantinedFiles` and goes on.

extension DeviceStore {
    /// Renames the file and its log, so that a new one can be made in its place.
    ///
    /// - Returns: where it is now, for `rescue`.
    /// - Throws: `.inUse`, `.sqlite` for what the system refuses.
    @discardableResult
    package static func quarantine(path: String) throws(DeviceStoreError) -> String {
        do {
            guard let lock = try FileLock(ifFree: path + ".lock") else { throw DeviceStoreError.inUse(path: path) }
            defer { lock.release() }
            let target = name(path, .waiting, (numbers(of: path).last ?? 0) + 1)
            try move(path, to: target)
            return target
        } catch {
            throw DeviceStoreError(error, path: path)
        }
    }

    /// The files that were quarantined and not given to `markRescued`, oldest first.
    package static func quarantinedFiles(of path: String) -> [String] {
        numbers(of: path).map { name(path, .waiting, $0) }.filter(exists)
    }

    /// Renames a quarantined file, once everything that could be read of what waits in it waits elsewhere.
    ///
    /// - Returns: where it is now; it is the user's to delete.
    package func markRescued(_ file: String) throws(DeviceStoreError) -> String {
        guard let number = DeviceStore.numbers(of: path).first(where: { DeviceStore.name(path, .waiting, $0) == file })
        else { return file }
        let target = DeviceStore.name(path, .rescued, number)
        try DeviceStore.move(file, to: target)
        return target
    }

    // MARK: Names

    private enum Status: String {
        case waiting = "set-aside"
        case rescued
    }

    private static func name(_ path: String, _ status: Status, _ number: Int) -> String {
        name(path, status) + String(number)
    }

    private static func name(_ path: String, _ status: Status) -> String { "\(path).\(status.rawValue)-" }

    /// Of the files that were quarantined and are still there, in order; any of them may be deleted by the user.
    private static func numbers(of path: String) -> [Int] {
        let file = URL(filePath: path)
        let entries = try? FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
        let numbers = (entries ?? []).compactMap { entry -> Int? in
            for status in [Status.waiting, .rescued] {
                let prefix = name(file.lastPathComponent, status)
                // Its log has a name that ends otherwise.
                if entry.hasPrefix(prefix), let number = Int(entry.dropFirst(prefix.count)), number > 0, number < .max {
                    return number
                }
            }
            return nil
        }
        return Set(numbers).sorted()
    }

    private static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// The log and its index first: without its log a file may lack what came last, but a log beside a new file would
    /// be written into that.
    private static func move(_ path: String, to target: String) throws(DeviceStoreError) {
        for suffix in ["-shm", "-wal", ""] where exists(path + suffix) {
            guard unsafe rename(path + suffix, target + suffix) == 0 else {
                throw .cannotOpen(path + suffix, errno: errno)
            }
        }
    }
}
