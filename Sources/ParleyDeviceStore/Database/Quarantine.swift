import Foundation
import Platform
import PrivateFiles

// If a file is damaged, messages can be fetched again, unsent ones cannot, so no file is ever deleted: `quarantine`
// renames it, `open` makes a new one, `rescue` moves the queues of the old one as far as they are readable, and
// `markRescued` records that in its name. After a crash between two steps the file is among `quarantinedFiles`.

extension DeviceStore {
    /// Renames the file and its log, so that a new one can be made in its place.
    ///
    /// - Returns: its new path, for `rescue`.
    /// - Throws: `.inUse`, `.sqlite` for an error of the system.
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

    /// The quarantined files that are not rescued, oldest first.
    package static func quarantinedFiles(of path: String) -> [String] {
        numbers(of: path).map { name(path, .waiting, $0) }.filter(exists)
    }

    /// Renames a quarantined file after its rescue.
    ///
    /// - Returns: its new path; the user may delete it.
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

    /// The numbers of the quarantined files that still exist, in order.
    private static func numbers(of path: String) -> [Int] {
        let file = URL(filePath: path)
        let entries = try? FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
        let numbers = (entries ?? []).compactMap { entry -> Int? in
            for status in [Status.waiting, .rescued] {
                let prefix = name(file.lastPathComponent, status)
                // Its log has another suffix.
                if entry.hasPrefix(prefix), let number = Int(entry.dropFirst(prefix.count)), number > 0, number < .max {
                    return number
                }
            }
            return nil
        }
        return Set(numbers).sorted()
    }

    private static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// The log and its index first: without its log the file may lack the last transactions, but a log beside a new
    /// file would be applied to that.
    private static func move(_ path: String, to target: String) throws(DeviceStoreError) {
        for suffix in ["-shm", "-wal", ""] where exists(path + suffix) {
            guard unsafe rename(path + suffix, target + suffix) == 0 else {
                throw .cannotOpen(path + suffix, errno: errno)
            }
        }
    }
}
