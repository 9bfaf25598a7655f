import GRDB
import ParleyProtocol
import Sodium

/// A device's database, to be read while another process has it open: for an app's extension, a process with seconds to
/// live.
///
/// It changes nothing, blocks no writer, and reads the last committed transaction. Not `Sendable`: one caller has it,
/// and each call blocks, for at most half a second while the file is just being made.
package final class DeviceStoreReader {
    private let path: String
    private let queue: DatabaseQueue
    private let cipher: RowCipher

    /// - Parameter storageKey: the device's, 32 bytes (`DeviceKeyStore`).
    /// - Returns: `nil` if nothing was ever stored.
    /// - Throws: `.wrongKey`, `.damaged`, `.tooNew`, `.tooOld`; `.inUse` while it is just being made or migrated.
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
        (self.path, self.queue, self.cipher) = (path, queue, cipher)
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
