import ParleyProtocol
import PrivateFiles
import Sodium

/// A device's keys in the file `keys` of its directory: mode 0600, written atomically.
///
/// A reader of the file has the keys, unless a passphrase protects them. A file that is open to others is refused.
public struct FileKeyStore: DeviceKeyStore {
    private let directory: DeviceDirectory
    private let protection: KeyProtection

    /// - Parameter protection: of new keys. Existing ones must have the same passphrase, or none.
    public init(in directory: DeviceDirectory, protectedBy protection: KeyProtection = .ownership) {
        (self.directory, self.protection) = (directory, protection)
    }

    public var device: DeviceAddress { directory.device }

    private var path: String { directory.keysPath }

    public func keys() throws(KeyStoreError) -> DeviceKeySet {
        if Files.hasUnfinished(DeviceDirectory.keysName, in: directory.path) {
            // The unfinished file may hold keys without a passphrase.
            try locked { Files.removeUnfinished(DeviceDirectory.keysName, in: directory.path, holding: $0) }
        }
        if let keys = try read() { return keys }
        return try locked { lock throws(KeyFileError) in try keysOrNew(holding: lock) }
    }

    public func existingKeys() throws(KeyStoreError) -> DeviceKeySet? { try read() }

    public func change(_ change: DeviceKeyChange, now: Timestamp) throws(KeyStoreError) -> DeviceKeySet {
        try locked { lock throws(KeyFileError) in
            let old = try keysOrNew(holding: lock)
            guard let keys = try withResources({ () throws(SodiumError) in try old.applying(change, now: now) }) else {
                throw .tooManyRetired
            }
            try write(keys, protection, holding: lock)
            return keys
        }
    }

    /// Rewrites the keys under another protection: adds, changes or removes a passphrase.
    ///
    /// The old content may stay in free blocks of the disk.
    ///
    /// - Returns: the store that opens them from now on.
    public func changeProtection(to protection: KeyProtection) throws(KeyStoreError) -> FileKeyStore {
        try locked { lock throws(KeyFileError) in
            try write(keysOrNew(holding: lock), protection, holding: lock)
        }
        return FileKeyStore(in: directory, protectedBy: protection)
    }

    /// Whether the stored keys need a passphrase; `false` if there are none.
    ///
    /// - Throws: what ``keys()`` throws for a file that is damaged, open to others or unreadable.
    public func needsPassphrase() throws(KeyStoreError) -> Bool {
        do throws(KeyStoreError) {
            _ = try FileKeyStore(in: directory).read()
            return false
        } catch {
            guard error.reason == .passphraseNeeded else { throw error }
            return true
        }
    }

    // MARK: Under the lock

    private func locked<Result>(
        _ body: (FileLock) throws(KeyFileError) -> Result
    ) throws(KeyStoreError) -> Result {
        do throws(KeyFileError) {
            let lock = try withFiles { () throws(FileError) in
                try directory.make()
                return try FileLock(waitingFor: path + ".lock")
            }
            defer { lock.release() }
            return try body(lock)
        } catch {
            throw KeyStoreError(reason: error, path: path)
        }
    }

    private func keysOrNew(holding lock: FileLock) throws(KeyFileError) -> DeviceKeySet {
        // Another process may have made them before this one had the lock.
        if let keys = try readFile() { return keys }
        let keys = try withResources { () throws(SodiumError) in try DeviceKeySet.generate(for: device) }
        try write(keys, protection, holding: lock)
        return keys
    }

    private func write(
        _ keys: DeviceKeySet, _ protection: KeyProtection, holding lock: FileLock
    ) throws(KeyFileError) {
        var file = try withResources { () throws(SodiumError) in try KeyFile.encode(keys, protection) }
        defer { wipe(&file) }
        try withFiles { () throws(FileError) in
            try Files.replace(DeviceDirectory.keysName, in: directory.path, with: file, holding: lock)
        }
    }

    // MARK: Reading

    private func read() throws(KeyStoreError) -> DeviceKeySet? {
        do throws(KeyFileError) {
            return try readFile()
        } catch {
            throw KeyStoreError(reason: error, path: path)
        }
    }

    /// - Returns: `nil` if there is no file.
    private func readFile() throws(KeyFileError) -> DeviceKeySet? {
        var file: FileContents
        do throws(FileError) {
            file = try Files.read(path, maximum: KeyFile.maximumLength)
        } catch {
            guard !error.isMissing else { return nil }
            throw error.isTooLarge ? .tooLarge : .file(error)
        }
        defer { wipe(&file.bytes) }
        guard !file.isOpenToOthers else { throw .readableByOthers }
        return try KeyFile.decode(file.bytes, of: device, with: protection.passphrase)
    }

    private func withFiles<Result>(_ body: () throws(FileError) -> Result) throws(KeyFileError) -> Result {
        do throws(FileError) { return try body() } catch { throw .file(error) }
    }
}
