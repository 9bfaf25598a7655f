import ParleyProtocol
import ParleyRules
import ParleyStore

extension Writer {
    /// Whether a user may have so much more stored today. Asked before anything is written.
    ///
    /// - Throws: `rate_limited`
    func checkRoom(for bytes: Int, of user: UserID, _ facts: Snapshot) throws {
        try loadStorage(of: user, facts)
        try storage.checkRoom(for: bytes, of: user)
    }

    /// Counts what is stored for a user in the transaction under way.
    func charge(_ bytes: Int, to user: UserID, _ facts: Snapshot) throws {
        try loadStorage(of: user, facts)
        storage.charge(bytes, to: user)
    }

    /// Writes the numbers that have to be, with what they count.
    func storeCharges(_ transaction: WriteTransaction) throws {
        let due = storage.dueNumbers
        guard !due.isEmpty else { return }
        if storageCleanedOn != storage.day {
            try transaction.removeStoredBytes(before: storage.day)
            storageCleanedOn = storage.day
        }
        for (user, bytes) in due { try transaction.setStoredBytes(bytes, of: user, on: storage.day) }
    }

    private func loadStorage(of user: UserID, _ facts: Snapshot) throws {
        guard storage.needsLoading(user) else { return }
        storage.load(user, stored: try facts.storedBytes(of: user, on: storage.day))
    }
}
