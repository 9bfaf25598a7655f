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
    func costs(
        _ user: UserID, lookedAtBy caller: UserID, hasRoom: @autoclosure () throws -> Bool
    ) throws -> Bool {
        guard user != caller else { return false }
        // There is no such user.
        guard let contact = try contacts.contact(caller, user) else { return true }
        if contact.areFriends { return false }
        return try !members.shareConversation(caller, with: user, atMost: hasRoom() ? .max : Snapshot.fewConversations)
    }

    /// The most conversations that are gone through for a caller without a lookup left.
    static let fewConversations = 256
}

extension QueryContext {
    /// Counts a use of a limit by the caller.
    ///
    /// - Throws: `rate_limited`
    func charge(_ use: LimitedUse) throws {
        let key = LimitKey(use, of: caller.user)
        try reader.limits.charge(key, stored: snapshot.limitUses.fullAt(key), now: sharedTime)
    }

    /// Counts a lookup by the caller, if the user is a stranger. To be called before anything is read of the user.
    ///
    /// - Parameter use: `keyFetches` for the keys of a user.
    /// - Throws: `rate_limited`
    func chargeLookup(of user: UserID, _ use: LimitedUse = .lookups) throws {
        let key = LimitKey(use, of: caller.user)
        func hasRoom() throws -> Bool {
            reader.limits.hasRoom(key, stored: try snapshot.limitUses.fullAt(key), now: sharedTime)
        }
        if try snapshot.costs(user, lookedAtBy: caller.user, hasRoom: hasRoom()) { try charge(use) }
    }
}
