import ParleyProtocol
import ParleyRules

/// A rate limit of users, shared by the writer and the readers.
struct UserLimit: Sendable {
    private let limiter: Monitor<RateLimiter<UserID>>
    private let refusal: String

    /// - Parameter refusal: the sentence of the rejection.
    init(_ rate: Rate, refusal: String) {
        limiter = Monitor(RateLimiter(rate))
        self.refusal = refusal
    }

    /// Whether there is room for one more use.
    ///
    /// - Parameter uses: of a transaction under way.
    func hasRoom(_ user: UserID, besides uses: PendingUses = PendingUses(), now: Timestamp) -> Bool {
        limiter.withLock { $0.wait(for: user, 1, besides: uses[user], now: now) } == nil
    }

    /// Counts a use.
    ///
    /// - Throws: `rate_limited`
    func charge(_ user: UserID, now: Timestamp) throws(Rejection) {
        guard let wait = limiter.withLock({ $0.consume(user, now: now) }) else { return }
        throw Rejection(.rateLimited, refusal, retryAfterMilliseconds: wait)
    }

    /// Adds uses of a transaction under way, to be counted by `commit`.
    ///
    /// - Parameter refusal: replaces the limit's own sentence.
    /// - Throws: `rate_limited`
    func charge(
        _ user: UserID, count: Int = 1, _ uses: inout PendingUses, now: Timestamp, refusal: String? = nil
    ) throws(Rejection) {
        let pending = uses[user]
        let wait = limiter.withLock { $0.wait(for: user, count, besides: pending, now: now) }
        guard let wait else { return uses.add(count, of: user) }
        throw Rejection(.rateLimited, refusal ?? self.refusal, retryAfterMilliseconds: wait)
    }

    /// The transaction was committed.
    func commit(_ uses: PendingUses) {
        guard !uses.isEmpty else { return }
        // They count even if a reader has spent the rest meanwhile.
        limiter.withLock { limiter in
            for (user, count) in uses.counts { limiter.charge(user, count) }
        }
    }
}

/// Uses of a limit that count when the transaction under way is committed.
struct PendingUses: Sendable {
    private(set) var counts: [UserID: Int] = [:]

    var isEmpty: Bool { counts.isEmpty }

    subscript(user: UserID) -> Int { counts[user] ?? 0 }

    mutating func add(_ count: Int, of user: UserID) {
        guard count > 0 else { return }
        counts[user] = self[user].addingReportingOverflow(count).partialValue
    }
}

/// All limits of users but the rate of requests.
struct UserLimits: Sendable {
    let firstMessages: UserLimit
    let reports: UserLimit
    /// Backups of an account key written and read, together.
    let backups: UserLimit
    /// Fetches of strangers' keys.
    let keyFetches: UserLimit
    /// Invites made, looked at and accepted, together.
    let invites: UserLimit
    /// Lookups of strangers: their profiles and lists, and all that discloses whether a user exists.
    let lookups: UserLimit
    /// Challenges made.
    let challenges: UserLimit
    /// Items of activity posted.
    let activities: UserLimit
    /// Reactions to items of activity, given and taken back.
    let activityReactions: UserLimit

    init(_ settings: Settings) {
        func hourly(_ count: Int, _ refusal: String) -> UserLimit {
            UserLimit(Rate(burst: count, perHour: count), refusal: refusal)
        }
        firstMessages = UserLimit(
            Rate(burst: settings.firstMessageBurst, perHour: settings.firstMessagesPerHour),
            refusal: "Too many first messages to strangers; wait a little.")
        reports = hourly(settings.reportsPerHour, "Too many reports; wait a little.")
        backups = hourly(settings.accountBackupsPerHour, "Too many backups of the account key; wait a little.")
        keyFetches = hourly(settings.keyFetchesPerHour, "Too many keys of strangers; wait a little.")
        invites = hourly(settings.invitesPerHour, "Too many invites; wait a little.")
        lookups = hourly(settings.strangerLookupsPerHour, "Too many looks at strangers; wait a little.")
        challenges = hourly(settings.challengesPerHour, "Too many challenges; wait a little.")
        activities = hourly(settings.activitiesPerHour, "Too many items of activity; wait a little.")
        activityReactions = hourly(
            settings.activityReactionsPerHour, "Too many reactions to activity; wait a little.")
    }

    /// The uses of a transaction under way.
    typealias Uses = [KeyPath<UserLimits, UserLimit>: PendingUses]

    /// The transaction was committed.
    func commit(_ uses: Uses) {
        for (limit, uses) in uses { self[keyPath: limit].commit(uses) }
    }
}
