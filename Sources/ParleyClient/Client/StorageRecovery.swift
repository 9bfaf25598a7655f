import ParleyDeviceStore

/// The result of ``MessagingClient/recoverStorage(_:)``.
public struct StorageRecovery: Hashable, Sendable {
    /// The damaged files that were replaced, oldest first; empty if there were none. A file of whose queue nothing
    /// could be read is tried again by the next recovery, in case its keys are restored.
    public internal(set) var damagedFiles: [String] = []
    /// Unsent messages that were moved into the new database.
    public internal(set) var rescued = 0
    /// Unsent messages that could not be read.
    public internal(set) var unreadable = 0
    /// Queued workouts and reports that were moved into the new database.
    public internal(set) var rescuedRequests = 0
    /// Queued workouts and reports that could not be read.
    public internal(set) var unreadableRequests = 0
    /// Whether the whole queue could be read. If not, more may be missing than ``unreadable`` and
    /// ``unreadableRequests`` count.
    public internal(set) var isWhole = true

    mutating func add(_ rescue: DeviceStore.Rescue, from file: String) {
        damagedFiles.append(file)
        rescued += rescue.rescued
        unreadable += rescue.unreadable
        rescuedRequests += rescue.rescuedRequests
        unreadableRequests += rescue.unreadableRequests
        isWhole = isWhole && rescue.isWhole
    }
}

extension MessagingClient {
    /// Replaces a database that is damaged, or was written under another key.
    ///
    /// Unsent messages and reports are moved to the new one as far as they can be read; the rest is fetched from the
    /// gateway again. The damaged file is kept beside it. An intact database stays as it is, and an interrupted
    /// recovery is finished. Works without a connection, and blocks while it reads.
    ///
    /// - Throws: ``ClientError/storage(_:)``, with `inUse` while a client has the database open;
    ///   ``ClientError/keys(_:)``.
    public static func recoverStorage(_ configuration: ClientConfiguration) throws(ClientError) -> StorageRecovery {
        let keys = try withKeys { try configuration.keys.keys() }
        do throws(DeviceStoreError) {
            return try StorageRecovery.run(configuration, keys)
        } catch {
            throw .storage(error)
        }
    }
}

extension StorageRecovery {
    fileprivate static func run(
        _ configuration: ClientConfiguration, _ keys: DeviceKeySet
    ) throws(DeviceStoreError) -> StorageRecovery {
        var recovery = StorageRecovery()
        guard configuration.storage == .database else { return recovery }
        let path = configuration.databasePath
        let store = try openedAnew(path, keys)
        for file in DeviceStore.quarantinedFiles(of: path) {
            let rescue = try store.rescue(from: file, device: keys.device, storageKey: keys.storageKey)
            // The keys may be restored later, as from a backup.
            let isForLater =
                rescue.unreadable + rescue.unreadableRequests > 0 && rescue.rescued + rescue.rescuedRequests == 0
            recovery.add(rescue, from: isForLater ? file : try store.markRescued(file))
        }
        try store.close()
        return recovery
    }

    /// The database, or a new one in its place.
    private static func openedAnew(_ path: String, _ keys: DeviceKeySet) throws(DeviceStoreError) -> DeviceStore {
        do throws(DeviceStoreError) {
            let store = try DeviceStore.open(path: path, device: keys.device, storageKey: keys.storageKey)
            try store.check()
            return store
        } catch {
            guard error.isDamage else { throw error }
        }
        try DeviceStore.quarantine(path: path)
        return try DeviceStore.open(path: path, device: keys.device, storageKey: keys.storageKey)
    }
}
