import ParleyProtocol
import ParleyRules

/// The limits of users but the rate of requests.
///
/// What was used is in the database: a command counts in its transaction (`LimitUses`). A query has none: its uses are
/// here until the writer stores them.
final class UserLimits: Sendable {
    private let settings: Monitor<Settings>
    private let unstored = Monitor(UnstoredUses())

    init(_ settings: Settings) { self.settings = Monitor(settings) }

    func rate(of use: LimitedUse) -> Rate { settings.withLock { $0.rate(of: use) } }

    /// New rates; what was used stays counted.
    func apply(_ new: Settings) { settings.withLock { $0 = new } }

    // MARK: Queries

    /// Whether there is room for one more use.
    ///
    /// - Parameter stored: as the query's snapshot has it.
    func hasRoom(_ key: LimitKey, stored: Int64?, now: Timestamp) -> Bool {
        unstored.withLock { $0.wait(for: key, stored: stored, rate(of: key.use), now: now) } == nil
    }

    /// Counts a use.
    ///
    /// - Parameter stored: as the query's snapshot has it.
    /// - Throws: `rate_limited`
    func charge(_ key: LimitKey, stored: Int64?, now: Timestamp) throws(Rejection) {
        let wait = unstored.withLock { uses in
            let wait = uses.wait(for: key, stored: stored, rate(of: key.use), now: now)
            if wait == nil { uses.add(key, now: now) }
            return wait
        }
        guard let wait else { return }
        throw Rejection(.rateLimited, key.use.refusal, retryAfterMilliseconds: wait)
    }

    // MARK: The writer

    /// Whether queries have used something that is not stored.
    var hasUnstored: Bool { unstored.withLock { !$0.isEmpty } }

    /// Some of the keys of which queries have used something that is not stored.
    func nextUnstored(limit: Int) -> [LimitKey] { unstored.withLock { $0.next(limit: limit) } }

    /// How often queries have used something since it was stored.
    func unstored(_ key: LimitKey) -> Int { unstored.withLock { $0.count(of: key) } }

    /// A transaction was committed with these.
    func recordStored(_ uses: LimitUses, now: Timestamp) {
        let changed = uses.changed
        guard !changed.isEmpty else { return }
        unstored.withLock { unstored in
            for (key, count) in changed { unstored.recordStored(key, count, now: now) }
        }
    }
}

extension Settings {
    /// What a user may do so often.
    func rate(of use: LimitedUse) -> Rate {
        func hourly(_ count: Int) -> Rate { Rate(burst: count, perHour: count) }
        return switch use {
        case .firstMessages: Rate(burst: firstMessageBurst, perHour: firstMessagesPerHour)
        case .reports: hourly(reportsPerHour)
        case .backups: hourly(accountBackupsPerHour)
        case .keyFetches: hourly(keyFetchesPerHour)
        case .invites: hourly(invitesPerHour)
        case .lookups: hourly(strangerLookupsPerHour)
        case .challenges: hourly(challengesPerHour)
        case .activities: hourly(activitiesPerHour)
        case .activityReactions: hourly(activityReactionsPerHour)
        case .blobs: blobRate
        }
    }
}

extension Settings {
    /// A day's bytes at once, and again in the course of a day.
    private var blobRate: Rate {
        let units = CreateBlobRule.units(of: blobBytesPerDay)
        return Rate(burst: units, perHour: units / 24)
    }
}

extension LimitedUse {
    /// The sentence of the rejection.
    var refusal: String {
        switch self {
        case .firstMessages: "Too many first messages to strangers; wait a little."
        case .reports: "Too many reports; wait a little."
        case .backups: "Too many backups of the account key; wait a little."
        case .keyFetches: "Too many keys of strangers; wait a little."
        case .invites: "Too many invites; wait a little."
        case .lookups: "Too many looks at strangers; wait a little."
        case .challenges: "Too many challenges; wait a little."
        case .activities: "Too many items of activity; wait a little."
        case .activityReactions: "Too many reactions to activity; wait a little."
        case .blobs: "You have announced as many bytes of blobs as a user may in a day; wait a little."
        }
    }
}
