import GRDB
import ParleyProtocol
import Sodium

/// A device's database, for reading beside whoever has it open: an app's extension is a process of its own, with
/// seconds to live, while the app may be running.
///
/// It changes nothing, takes no lock that a writer waits for, and sees the last transaction that was committed when a
/// read begins. Not `Sendable`: one caller has it, and each call blocks until it is done, half a second at most where
/// the file is just being made.
package final class DeviceStoreReader {
    private let path: String
    private let queue: DatabaseQueue
    private let cipher: RowCipher

    /// - Parameter storageKey: the device's, 32 bytes (`DeviceKeyStore`).
    /// - Returns: `nil` where nothing was ever kept.
    /// - Throws: `.wrongKey`, `.damaged`, `.tooNew`, `.tooOld`; `.inUse` where it is just being made or migrated.
    package static func open(
        path: String, device: DeviceAddress, storageKey: SecretBytes
    ) throws(DeviceStoreError) -> DeviceStoreReader? {
        try open(StoreFile(path: path, migrations: .shipped), device: device, storageKey: storageKey)
    }

    static func open(
        _ file: StoreFile, device: DeviceAddress, storageKey: SecretBytes
    ) throws(DeviceStoreError) -> DeviceStoreReader? {
        do {
            let cipher = try RowCipher(storageKey: storageKey, device: device)
            guard let queue = try file.openBeside() else { return nil }
            guard try queue.read({ try KeyCheck.isMade($0, cipher, path: file.path) }) else { return nil }
            return DeviceStoreReader(path: file.path, queue: queue, cipher: cipher)
        } catch {
            throw DeviceStoreError(error, path: file.path)
        }
    }

    private init(path: String, queue: DatabaseQueue, cipher: RowCipher) {
        self.path = path
        self.queue = queue
        self.cipher = cipher
    }

    /// Reads one state of the database.
    package func read<Result>(_ body: (Snapshot) throws -> Result) throws(DeviceStoreError) -> Result {
        do {
            return try queue.read { try body(Snapshot(database: $0, cipher: cipher)) }
        } catch {
            throw DeviceStoreError(error, path: path)
        }
    }
}
