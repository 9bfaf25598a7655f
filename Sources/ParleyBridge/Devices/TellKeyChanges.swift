import ParleyProtocol
import ParleyRules
import ParleyStore
import Sodium

// `keys.changed` goes to everybody who seals for a user's keys. A user may share conversations with thousands, and change
// keys as often as requests may come: the change is noted with it, and told from the note, some in each transaction, each
// user's at most once in a few seconds.

extension Writer {
    /// The most who are told, or found not to be, of one user in one transaction. With so many no other user follows in it.
    static let hearersAtOnce = 256
    /// From when all were told of a user's keys until the next telling of these begins, in milliseconds.
    static let keyChangePause: Int64 = 5000

    /// Tells some of those who are to be told.
    ///
    /// - Returns: what came of it, for the clock when it is committed; `nil` where nobody was to be told.
    func tellKeyChanges(_ batch: Batch) throws(StoreError) -> KeyChangeClock.Telling? {
        var clock = keyChanges
        if batch.afterCommit.hasKeyChange { clock.note(at: batch.steady) }
        guard clock.isDue(now: batch.steady) else { return nil }
        var count = 0
        while count < Writer.hearersAtOnce, let telling = try batch.facts().dueKeyChange(at: batch.steady) {
            count += try tell(telling, batch)
        }
        return KeyChangeClock.Telling(count: count, next: try batch.facts().nextKeyChange())
    }

    /// - Returns: how many were told or found not to be, and one more.
    private func tell(_ telling: KeyChangeTelling, _ batch: Batch) throws(StoreError) -> Int {
        let (user, steady) = (telling.user, batch.steady)
        var rest = telling
        var last: UserID?
        switch telling.state {
        case .telling(let after): last = after
        case .told:
            guard telling.isStale else {
                try batch.writable().removeKeyChange(of: user)
                return 1
            }
            rest.isStale = false
        }
        if last == nil { try batch.tell(user, ofKeysOf: user) }
        let facts = try batch.facts()
        let hearers = try facts.keyChangeHearers(of: user, after: last, limit: Writer.hearersAtOnce)
        for hearer in hearers where try hears(hearer, of: user, facts, now: batch.now) {
            try batch.tell(hearer.user, ofKeysOf: user)
        }
        if hearers.count == Writer.hearersAtOnce {
            rest.state = .telling(after: hearers.last?.user)
            // After those who have begun to wait meanwhile.
            try batch.writable().setKeyChange(
                rest, dueAt: steady.advanced(byMilliseconds: KeyChangeClock.pause(hearers.count)))
        } else {
            rest.state = .told
            try batch.writable().setKeyChange(rest, dueAt: steady.advanced(byMilliseconds: Writer.keyChangePause))
        }
        return hearers.count + 1
    }

    private func hears(
        _ hearer: KeyChangeHearer, of user: UserID, _ facts: Snapshot, now: Timestamp
    ) throws(StoreError) -> Bool {
        if hearer.isInGroup { return true }
        guard let contact = try facts.contact(user, hearer.user) else { return false }
        return Relationship(contact, openFor: [user, hearer.user])
            .hearsOfKeys(hearer.user, now: now, renewal: settings.requestRenewal)
    }
}

extension Batch {
    fileprivate func tell(_ hearer: UserID, ofKeysOf user: UserID) throws(StoreError) {
        try publish(.user(hearer, .events)) { KeysChange(user: user).writeEvent(to: &$0) }
    }
}

extension KeyedDevice {
    /// A user's devices with the ids of the keys that they have published.
    static func all(_ keys: [DeviceKeys], of user: UserID) throws(StoreError) -> [KeyedDevice] {
        do {
            return try keys.map { keys in
                let digest = try BLAKE2b.hash(keys.identityKey.span, length: .bytes32)
                guard let keyID = KeyID(Array(digest.prefix(KeyID.length))) else { throw Rejection.internalFault }
                return KeyedDevice(address: DeviceAddress(user: user, device: keys.device), keyID: keyID)
            }
        } catch {
            throw StoreError(error)
        }
    }
}
