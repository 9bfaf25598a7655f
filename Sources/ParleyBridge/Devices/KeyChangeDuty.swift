import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore
import Sodium

/// Publishes `keys.changed` to all users who seal for a user's keys.
///
/// A user may share conversations with thousands, and change keys with every request: the change is stored with a mark,
/// and published in parts, each user's at most once in a few seconds.
final class KeyChangeDuty: ScheduledDuty {
    static let failure: Logger.Message = "changed keys could not be published"
    static let sharedWork: SharedWork? = .keyChanges
    static let goesWithBatches = true
    var schedule = DutySchedule()

    /// The most hearers of one user's change in one transaction. After so many, no other change follows in it.
    static let hearersAtOnce = 256
    /// Between the publication of a user's change to all and their next one.
    static let pause = Duration.seconds(5)

    func run(in batch: Batch) throws(StoreError) -> NextPart {
        var count = 0
        while count < Self.hearersAtOnce, let change = try batch.facts().keyChanges.due(at: batch.steady) {
            count += try publish(change, batch)
        }
        return NextPart(dueAt: try batch.facts().keyChanges.next(), pause: Pace.pause(after: count))
    }

    /// - Returns: the number of hearers, and one.
    private func publish(_ change: KeyChange, _ batch: Batch) throws(StoreError) -> Int {
        let (user, steady) = (change.user, batch.steady)
        var rest = change
        var last: UserID?
        switch change.state {
        case .announcing(let after): last = after
        case .announced:
            guard change.isStale else {
                try batch.writable().keyChanges.remove(of: user)
                return 1
            }
            rest.isStale = false
        }
        if last == nil { try batch.publishKeyChange(of: user, to: user) }
        let facts = try batch.facts()
        let hearers = try facts.keyChanges.hearers(of: user, after: last, limit: Self.hearersAtOnce)
        for hearer in hearers where try hears(hearer, of: user, facts, batch) {
            try batch.publishKeyChange(of: user, to: hearer.user)
        }
        if hearers.count == Self.hearersAtOnce {
            rest.state = .announcing(after: hearers.last?.user)
            // After those who have begun to wait meanwhile.
            try batch.writable().keyChanges.update(
                rest, dueAt: steady.advanced(by: Pace.pause(after: hearers.count)))
        } else {
            rest.state = .announced
            try batch.writable().keyChanges.update(rest, dueAt: steady.advanced(by: Self.pause))
        }
        return hearers.count + 1
    }

    private func hears(
        _ hearer: KeyChangeHearer, of user: UserID, _ facts: Snapshot, _ batch: Batch
    ) throws(StoreError) -> Bool {
        if hearer.isInGroup { return true }
        guard let contact = try facts.contacts.contact(user, hearer.user) else { return false }
        return Relationship(contact, openFor: [user, hearer.user])
            .hearsOfKeys(hearer.user, now: batch.now, renewal: batch.environment.settings.requestRenewal)
    }
}

extension Batch {
    fileprivate func publishKeyChange(of user: UserID, to hearer: UserID) throws(StoreError) {
        try publish(KeysChange(user: user), to: hearer)
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
