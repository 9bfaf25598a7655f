import ParleyDeviceStore

/// What ``MessagingClient/recoverStorage(_:)`` found and did.
public struct StorageRecovery: Hashable, Sendable {
    /// Where the damaged files are now, oldest first: a new database is in their place. Empty if nothing was damaged.
    /// One of which nothing that waits could be read is tried again by the next recovery, should its keys be back then.
    public internal(set) var damagedFiles: [String] = []
    /// How many messages that waited there to be sent wait in the new one.
    public internal(set) var rescued = 0
    /// How many messages waited there of which too little is left to send them.
    public internal(set) var unreadable = 0
    /// How many workouts and reports of days that waited there to be told to the gateway wait in the new one.
    public internal(set) var rescuedRequests = 0
    /// How many of those waited there of which too little is left to tell them.
    public internal(set) var unreadableRequests = 0
    /// Whether everything that waited could be found. If not, more may be missing than ``unreadable`` and
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
    /// Puts a new database in the place of one that is damaged, or was written under another key.
    ///
    /// What waited to be sent or reported is brought over as far as it can be read, and sent by the next client;
    /// everything else is fetched from the gateway again. The damaged file is kept beside the new one. One that is in
    /// order stays as it is, and one whose recovery was interrupted is recovered. Works without a connection, and
    /// blocks while it reads.
    ///
    /// - Throws: ``ClientError/storage(_:)``, with `inUse` while a client has the database open;
    ///   ``ClientError/keys(_:)``.
    public static func recoverStorage(_ configuration: ClientConfiguration) throws(ClientError) -> StorageRecovery {
        let keys: DeviceKeySet
        do throws(KeyStoreError) { keys = try configuration.keys.keys() } catch { throw .keys(error) }
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
            // Perhaps its keys come back, as from a backup.
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
