import ParleyProtocol
import ParleyRules
import ParleyStore

/// How much a user may find out about strangers in an hour, by whichever operation: shared by the writer and the readers.
struct StrangerLimits: Sendable {
    /// Fetches of their keys.
    private let keyFetches: Monitor<RateLimiter<UserID>>
    /// Looks at their profiles and lists, and whatever tells whether there is such a user.
    private let lookups: Monitor<RateLimiter<UserID>>

    init(_ settings: Settings) {
        keyFetches = Monitor(
            RateLimiter(Rate(burst: settings.keyFetchesPerHour, perHour: settings.keyFetchesPerHour)))
        lookups = Monitor(
            RateLimiter(Rate(burst: settings.strangerLookupsPerHour, perHour: settings.strangerLookupsPerHour)))
    }

    /// - Throws: `rate_limited`
    func chargeKeyFetch(by caller: UserID, now: Timestamp) throws(Rejection) {
        guard let wait = keyFetches.withLock({ $0.take(caller, now: now) }) else { return }
        throw Rejection(.rateLimited, "Too many keys of strangers; wait a little.", retryAfterMilliseconds: wait)
    }

    /// Counts a look at somebody, if they are a stranger. Who is nobody is one, so that guessing costs as much.
    ///
    /// - Throws: `rate_limited`
    func chargeLookup(of user: UserID, by caller: UserID, _ snapshot: Snapshot, now: Timestamp) throws {
        guard user != caller, try snapshot.isStranger(user, to: caller),
            let wait = lookups.withLock({ $0.take(caller, now: now) })
        else { return }
        throw Rejection(.rateLimited, "Too many looks at strangers; wait a little.", retryAfterMilliseconds: wait)
    }
}

extension Snapshot {
    /// Neither a friend nor in a conversation with the caller that both have, as far as the caller can tell.
    func isStranger(_ user: UserID, to caller: UserID) throws -> Bool {
        if try contact(caller, user)?.areFriends == true { return false }
        return try !shareConversation(caller, with: user)
    }
}
