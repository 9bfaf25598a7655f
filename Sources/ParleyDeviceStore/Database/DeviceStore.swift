import GRDB
import ParleyProtocol
import PrivateFiles
import Sodium

/// What one device remembers: messages, conversations, and what waits to be sent, encrypted in one SQLite file.
///
/// Not `Sendable`: one actor owns it and calls it, and each call blocks until it is done. A second one on the same file
/// is refused while the first is open, in any process.
///
/// Everything that could be read is sealed for its row and this device under a key derived from the storage key; in the
/// clear are ids, sequence numbers, positions and times. The file does not hide how many rows there are and how long,
/// and cannot tell that a row was put back as it was at an earlier time.
package final class DeviceStore {
    /// Where the file is; `:memory:` for none.
    package let path: String
    private let queue: DatabaseQueue
    private let cipher: RowCipher
    /// SQLite's own locks would not do alone: they are the process's, and go when anything in it closes the file.
    private let lock: FileLock?
    private let search: MessageSearch

    /// Opens the file, making it (mode 0600, in a directory that exists) or migrating it as needed.
    ///
    /// - Parameters:
    ///   - storageKey: the device's, 32 bytes (`DeviceKeyStore`).
    ///   - searchable: what of a message's payload can be searched for; `nil` for nothing.
    /// - Throws: `.inUse`, `.wrongKey`, `.damaged`, `.tooNew`: the file is left as it is then.
    package static func open(
        path: String, device: DeviceAddress, storageKey: SecretBytes,
        searchable: @escaping @Sendable ([UInt8]) -> SearchableText? = { _ in nil }
    ) throws(DeviceStoreError) -> DeviceStore {
        try open(
            StoreFile(path: path, migrations: .shipped), device: device, storageKey: storageKey, searchable: searchable)
    }

    static func open(
        _ file: StoreFile, device: DeviceAddress, storageKey: SecretBytes, textLimit: Int = MessageSearch.textLimit,
        searchable: @escaping @Sendable ([UInt8]) -> SearchableText? = { _ in nil }
    ) throws(DeviceStoreError) -> DeviceStore {
        do {
            guard let lock = try FileLock(ifFree: file.path + ".lock") else {
                throw DeviceStoreError.inUse(path: file.path)
            }
            let cipher = try RowCipher(storageKey: storageKey, device: device)
            let queue = try file.open()
            return try DeviceStore(
                path: file.path, queue: queue, cipher: cipher, lock: lock, textLimit: textLimit, searchable: searchable)
        } catch {
            throw DeviceStoreError(error, path: file.path)
        }
    }

    /// A store that is gone when it is let go, under a key of its own.
    package static func inMemory(
        device: DeviceAddress, searchable: @escaping @Sendable ([UInt8]) -> SearchableText? = { _ in nil }
    ) throws(DeviceStoreError) -> DeviceStore {
        let path = ":memory:"
        do {
            let cipher = try RowCipher(storageKey: .random(count: 32), device: device)
            let queue = try StoreFile.inMemory()
            return try DeviceStore(path: path, queue: queue, cipher: cipher, lock: nil, searchable: searchable)
        } catch {
            throw DeviceStoreError(error, path: path)
        }
    }

    private init(
        path: String, queue: DatabaseQueue, cipher: RowCipher, lock: FileLock?,
        textLimit: Int = MessageSearch.textLimit, searchable: @escaping @Sendable ([UInt8]) -> SearchableText?
    ) throws {
        self.path = path
        self.queue = queue
        self.cipher = cipher
        self.lock = lock
        search = MessageSearch(textLimit: textLimit, searchable: searchable)
        try queue.write { try KeyCheck.run($0, cipher, path: path) }
    }

    /// One transaction: all of `body`, on disk when this returns, or nothing of it.
    @discardableResult
    package func write<Result>(_ body: (WriteTransaction) throws -> Result) throws(DeviceStoreError) -> Result {
        do {
            let changes = IndexChanges()
            let result = try queue.write { database in
                try body(WriteTransaction(database: database, cipher: cipher, changes: changes))
            }
            search.follow(changes)
            return result
        } catch {
            throw DeviceStoreError(error, path: path)
        }
    }

    /// Reads one state of the database.
    package func read<Result>(_ body: (Snapshot) throws -> Result) throws(DeviceStoreError) -> Result {
        do {
            return try queue.read { try body(Snapshot(database: $0, cipher: cipher)) }
        } catch {
            throw DeviceStoreError(error, path: path)
        }
    }

    /// Messages that match, as `SearchQuery` understands it; what is not indexed yet is indexed first.
    package func search(_ query: SearchQuery) throws(DeviceStoreError) -> [StoredMessage] {
        try read { try search.find(query, in: $0) }
    }

    /// Reads the whole file, to see whether SQLite finds it in order.
    ///
    /// - Throws: `.damaged`. A row whose content alone was changed is not found here, and shows as damaged when it is
    ///   read.
    package func check() throws(DeviceStoreError) {
        try read { snapshot in
            guard try snapshot.database.row("PRAGMA integrity_check(1)")?.text(0) == "ok" else {
                throw DamagedRowError()
            }
        }
    }

    /// Closes the file, with nothing left in its log; the store cannot be used afterwards. Letting go of it does the
    /// same.
    package func close() throws(DeviceStoreError) {
        do { try queue.close() } catch { throw DeviceStoreError(error, path: path) }
        search.forget()
        lock?.release()
    }
}

/// One state of the database. Its queries are in the folder of their capability.
package struct Snapshot {
    let database: Database
    let cipher: RowCipher
}

/// A transaction. Reads through `facts` see what it has written so far.
package struct WriteTransaction {
    let database: Database
    let cipher: RowCipher
    let changes: IndexChanges

    package var facts: Snapshot { Snapshot(database: database, cipher: cipher) }
}
