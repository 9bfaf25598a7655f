import ParleyProtocol
import ParleyRules
import ParleyStore

// Whatever answers otherwise about somebody who exists than about nobody is a look at them, and costs one of a limit
// where they are strangers: else who exists could be found by asking. Nobody is a stranger, so that guessing costs as
// much.

extension Snapshot {
    /// Whether a look at a user costs the caller something: the two are no friends and in no conversation that both
    /// have, as far as the caller can see.
    ///
    /// - Parameter hasRoom: whether the caller may look at one more stranger. Who may not is told apart from the others
    ///   only where that is cheap, so that nothing is had by asking on: two who both have hundreds of conversations
    ///   count as strangers then.
    func costs(_ user: UserID, lookedAtBy caller: UserID, hasRoom: Bool) throws -> Bool {
        guard user != caller else { return false }
        // Nobody shares anything with anybody.
        guard let contact = try contacts.contact(caller, user) else { return true }
        if contact.areFriends { return false }
        return try !members.shareConversation(caller, with: user, atMost: hasRoom ? .max : Snapshot.fewConversations)
    }

    /// So many conversations of one of two are gone through for whoever has no looks left.
    static let fewConversations = 256
}

extension UserLimit {
    /// Counts a look at somebody, at once, if they are a stranger.
    ///
    /// - Throws: `rate_limited`
    func charge(lookAt user: UserID, by caller: UserID, _ snapshot: Snapshot, now: Timestamp) throws {
        if try snapshot.costs(user, lookedAtBy: caller, hasRoom: hasRoom(caller, now: now)) {
            try charge(caller, now: now)
        }
    }

    /// The same in a transaction under way.
    func charge(
        lookAt user: UserID, by caller: UserID, _ snapshot: Snapshot, _ uses: inout PendingUses, now: Timestamp
    ) throws {
        if try snapshot.costs(user, lookedAtBy: caller, hasRoom: hasRoom(caller, besides: uses, now: now)) {
            try charge(caller, &uses, now: now)
        }
    }
}

extension QueryContext {
    /// Counts a look of the caller's at somebody, if they are a stranger. To be called before anything is read of them.
    ///
    /// - Throws: `rate_limited`
    func chargeLookup(of user: UserID) throws {
        try reader.limits.lookups.charge(lookAt: user, by: caller.user, snapshot, now: now)
    }
}
