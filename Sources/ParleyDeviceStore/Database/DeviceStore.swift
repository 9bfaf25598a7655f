import GRDB
import ParleyProtocol
import PrivateFiles
import Sodium

/// One device's messages, conversations and queues, encrypted in one SQLite file.
///
/// Not `Sendable`: one actor owns it, and each call blocks until it is done. While it is open no other process can open
/// it to write.
///
/// All content is sealed for its row and this device, under a key derived from the storage key; ids, sequence numbers,
/// positions and times are in the clear. The file does not hide the number and size of rows, nor detect that a row was
/// reset to an earlier state.
package final class DeviceStore {
    /// `:memory:` without a file.
    package let path: String
    private let queue: DatabaseQueue
    private let cipher: RowCipher
    /// SQLite's own locks do not suffice: a process loses them when anything in it closes the file.
    private let lock: FileLock?
    private let search: MessageSearch

    /// Opens the file, after making it (mode 0600, in an existing directory) or migrating it.
    ///
    /// - Parameters:
    ///   - storageKey: the device's, 32 bytes (`DeviceKeyStore`).
    ///   - searchable: the searchable text of a message's payload, if any.
    /// - Throws: `.inUse`, `.wrongKey`, `.damaged`, `.tooNew`: the file is left as it is.
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

    /// A store in memory, under a key of its own.
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

    /// Runs `body` in one transaction, which is on disk when this returns.
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

    /// The messages that match; messages that are not indexed yet are indexed first.
    package func search(_ query: SearchQuery) throws(DeviceStoreError) -> [StoredMessage] {
        try read { try search.find(query, in: $0) }
    }

    /// Checks the integrity of the whole file.
    ///
    /// - Throws: `.damaged`. A changed ciphertext is not found here, and shows as damaged when it is read.
    package func check() throws(DeviceStoreError) {
        try read { snapshot in
            guard try snapshot.database.row("PRAGMA integrity_check(1)")?.text(0) == "ok" else {
                throw DamagedRowError()
            }
        }
    }

    /// Closes the file, with an empty log; the store cannot be used afterwards.
    package func close() throws(DeviceStoreError) {
        do { try queue.close() } catch { throw DeviceStoreError(error, path: path) }
        search.forget()
        lock?.release()
    }
}

/// One state of the database. Queries are in the folders of their capabilities.
package struct Snapshot {
    let database: Database
    let cipher: RowCipher
}

/// A transaction. Reads through `facts` see its own writes.
package struct WriteTransaction {
    let database: Database
    let cipher: RowCipher
    let changes: IndexChanges

    package var facts: Snapshot { Snapshot(database: database, cipher: cipher) }
}
