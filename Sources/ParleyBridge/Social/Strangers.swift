import ParleyProtocol
import ParleyRules
import ParleyStore

extension UserLimits {
    /// Counts a look at somebody, if they are a stranger. Who is nobody is one, so that guessing costs as much.
    ///
    /// - Throws: `rate_limited`
    func chargeLookup(of user: UserID, by caller: UserID, _ snapshot: Snapshot, now: Timestamp) throws {
        guard user != caller, try snapshot.isStranger(user, to: caller) else { return }
        try lookups.charge(caller, now: now)
    }
}

extension Snapshot {
    /// Neither a friend nor in a conversation with the caller that both have, as far as the caller can see.
    func isStranger(_ user: UserID, to caller: UserID) throws -> Bool {
        if try contacts.contact(caller, user)?.areFriends == true { return false }
        return try !members.shareConversation(caller, with: user)
    }
}
