import ParleyProtocol
import ParleyRules
import ParleyStore

// An answer that differs between a user and a name without a user is a lookup, and lookups of strangers are limited:
// else names could be tried until one exists. A name without a user counts as a stranger, so that guessing costs as
// much.

extension Snapshot {
    /// Whether a lookup of a user counts against the caller's limit: the two are no friends and share no conversation
    /// that the caller can see.
    ///
    /// - Parameter hasRoom: whether the caller has a lookup left. Without one a common conversation is looked for only
    ///   where that is cheap, so that more requests cause no more work: two users with hundreds of conversations each
    ///   count as strangers then.
    func costs(_ user: UserID, lookedAtBy caller: UserID, hasRoom: Bool) throws -> Bool {
        guard user != caller else { return false }
        // There is no such user.
        guard let contact = try contacts.contact(caller, user) else { return true }
        if contact.areFriends { return false }
        return try !members.shareConversation(caller, with: user, atMost: hasRoom ? .max : Snapshot.fewConversations)
    }

    /// The most conversations that are gone through for a caller without a lookup left.
    static let fewConversations = 256
}

extension UserLimit {
    /// Counts a lookup of a user, if they are a stranger.
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
    /// Counts a lookup by the caller, if the user is a stranger. To be called before anything is read of the user.
    ///
    /// - Throws: `rate_limited`
    func chargeLookup(of user: UserID) throws {
        try reader.limits.lookups.charge(lookAt: user, by: caller.user, snapshot, now: now)
    }
}
