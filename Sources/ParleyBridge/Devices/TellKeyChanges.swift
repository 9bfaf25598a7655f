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

    /// `keys/get` says something else of a user from now on.
    func noteKeyChange(of user: UserID, _ transaction: WriteTransaction, now: Timestamp) throws {
        let steady = steady(now)
        try transaction.noteKeyChange(of: user, at: steady)
        keyChanges.note(at: steady)
    }

    /// Tells some of those who are to be told.
    func tellKeyChanges(_ transaction: WriteTransaction, _ effects: inout Effects, now: Timestamp) throws {
        let steady = steady(now)
        guard keyChanges.isDue(now: steady) else { return }
        var count = 0
        while count < Writer.hearersAtOnce, let telling = try transaction.facts.dueKeyChange(at: steady) {
            count += try tell(telling, transaction, &effects, now: now)
        }
        keyChanges.told(count, next: try transaction.facts.nextKeyChange(), now: steady)
    }

    /// - Returns: how many were told or found not to be, and one more.
    private func tell(
        _ telling: KeyChangeTelling, _ transaction: WriteTransaction, _ effects: inout Effects, now: Timestamp
    ) throws -> Int {
        let (user, steady) = (telling.user, steady(now))
        var rest = telling
        var last: UserID?
        switch telling.state {
        case .telling(let after): last = after
        case .told:
            guard telling.isStale else {
                try transaction.removeKeyChange(of: user)
                return 1
            }
            rest.isStale = false
        }
        if last == nil { try effects.tell(user, ofKeysOf: user, transaction) }
        let hearers = try transaction.facts.keyChangeHearers(of: user, after: last, limit: Writer.hearersAtOnce)
        for hearer in hearers where try hears(hearer, of: user, transaction.facts, now: now) {
            try effects.tell(hearer.user, ofKeysOf: user, transaction)
        }
        if hearers.count == Writer.hearersAtOnce {
            rest.state = .telling(after: hearers.last?.user)
            // After those who have begun to wait meanwhile.
            try transaction.setKeyChange(
                rest, dueAt: steady.advanced(byMilliseconds: KeyChangeClock.pause(hearers.count)))
        } else {
            rest.state = .told
            try transaction.setKeyChange(rest, dueAt: steady.advanced(byMilliseconds: Writer.keyChangePause))
        }
        return hearers.count + 1
    }

    private func hears(
        _ hearer: KeyChangeHearer, of user: UserID, _ facts: Snapshot, now: Timestamp
    ) throws -> Bool {
        if hearer.isInGroup { return true }
        guard let contact = try facts.contact(user, hearer.user) else { return false }
        return Relationship(contact, openFor: [user, hearer.user])
            .hearsOfKeys(hearer.user, now: now, renewal: settings.requestRenewal)
    }
}

extension Effects {
    fileprivate mutating func tell(
        _ hearer: UserID, ofKeysOf user: UserID, _ transaction: WriteTransaction
    ) throws {
        try event(.user(hearer, .events), transaction) { KeysChange(user: user).writeEvent(to: &$0) }
    }
}

extension Snapshot {
    /// The user's live devices that have published keys.
    func keyedDevices(of user: UserID) throws -> [KeyedDevice] {
        try keys(of: user).map { keys in
            let digest = try BLAKE2b.hash(keys.identityKey.span, length: .bytes32)
            guard let keyID = KeyID(Array(digest.prefix(KeyID.length))) else { throw Rejection.internalFault }
            return KeyedDevice(address: DeviceAddress(user: user, device: keys.device), keyID: keyID)
        }
    }
}
