import GRDB
import Glibc
import ParleyProtocol
import PrivateFiles
import Sodium

// When a file cannot be opened (`.damaged`, `.wrongKey`): messages can be fetched again, what waits to be sent cannot. So
// nothing is ever deleted here: `setAside` gives the file another name, `open` makes a new one, and `rescueQueue` brings
// over what waits in the old one, as far as it can be read. It may be called again, at any later time.

extension DeviceStore {
    /// Renames the file and its log, so that a new one can be made in its place.
    ///
    /// - Returns: where it is now, for `rescueQueue`; it is the caller's to delete.
    /// - Throws: `.inUse`, `.sqlite` for what the system refuses.
    @discardableResult
    package static func setAside(path: String) throws(DeviceStoreError) -> String {
        do {
            guard let lock = try FileLock(ifFree: path + ".lock") else { throw DeviceStoreError.inUse(path: path) }
            defer { lock.release() }
            var number = 1
            while exists(name(path, number)) { number += 1 }
            let target = name(path, number)
            // The log first: without its log the file may lack what came last, but a log beside a new file would be
            // written into that.
            for suffix in ["-wal", ""] where exists(path + suffix) {
                guard unsafe rename(path + suffix, target + suffix) == 0 else {
                    throw DeviceStoreError.cannotOpen(path + suffix, errno: errno)
                }
            }
            return target
        } catch {
            throw DeviceStoreError(error, path: path)
        }
    }

    /// The files that were set aside and are still there, oldest first.
    package static func setAsideFiles(of path: String) -> [String] {
        var files: [String] = []
        var number = 1
        while exists(name(path, number)) {
            files.append(name(path, number))
            number += 1
        }
        return files
    }

    /// What `rescueQueue` found.
    package struct Rescue: Hashable, Sendable {
        /// Messages that wait here now and did not before.
        package var rescued = 0
        /// Messages of which too little is left to send them, or that were written with another key.
        package var unreadable = 0
        /// Whether the file can be read to its queue's end.
        package var isWhole = true
    }

    /// Brings what waits to be sent in a file that was set aside to the end of this queue, in its order; what is here
    /// already, or was sent, is left as it is.
    ///
    /// - Throws: what writing here can throw; a file that cannot be read is `Rescue.isWhole == false`.
    package func rescueQueue(
        from file: String, device: DeviceAddress, storageKey: SecretBytes
    ) throws(DeviceStoreError) -> Rescue {
        var rescue = Rescue()
        var found: [QueuedMessage] = []
        do {
            let cipher = try RowCipher(storageKey: storageKey, device: device)
            let old = try StoreFile(path: file, migrations: .shipped).openForReading()
            try old.inDatabase { database in
                let snapshot = Snapshot(database: database, cipher: cipher)
                while let next = try snapshot.queued(after: found.last?.position ?? .min) {
                    // A damaged tree may give rows in any order, and again.
                    guard next.position > found.last?.position ?? .min else { throw DamagedRow() }
                    found.append(next)
                }
            }
        } catch {
            rescue.isWhole = false
        }
        for message in found {
            let isRescued = try write { try $0.enqueue(rescued: message) }
            if message.content == nil { rescue.unreadable += 1 } else if isRescued { rescue.rescued += 1 }
        }
        return rescue
    }

    private static func name(_ path: String, _ number: Int) -> String { "\(path).set-aside-\(number)" }

    private static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }
}
