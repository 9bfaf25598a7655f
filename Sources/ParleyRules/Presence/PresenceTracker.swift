import ParleyProtocol

/// Who is online: a state machine from the reports of the broker's plugin to announcements.
///
/// A user is online at once, and offline after the hold (10 s) without a connection. Announcements come in batches, so
/// that a thousand devices that reconnect make few transactions, and stay due until their batch is committed, so that a
/// full disk loses none. Users beyond the capacity are not shown as online. When the clock steps back, stored times
/// step back with it.
package struct PresenceTracker: Sendable {
    private struct Departure: Sendable {
        /// When the last connection ended.
        var at: Timestamp
        /// The user may come back unnoticed until then.
        var heldUntil: Timestamp
    }

    private var connected: Set<UserID> = []
    /// Users who are not connected and not announced as offline yet.
    private var departed: [UserID: Departure] = [:]
    /// Users who were last announced as online.
    private var shown: Set<UserID>
    /// Users who may need an announcement.
    private var due: Set<UserID> = []
    private var gathering: GatheredUsers?
    /// Since when the broker's connections are unknown; `nil` while they are known.
    private var unseenSince: Timestamp?
    /// The end of the first hold, or earlier.
    private var earliestEnd = Timestamp.latest
    /// The earliest start of the next batch.
    private var nextBatchAt = Timestamp.earliest
    /// The last `now`.
    private var clock = Timestamp.earliest
    private let capacity: Int
    private let hold: Duration

    /// The run of the broker that reported the last complete set of connected users; `nil` before the first.
    package private(set) var broker: UInt64?

    /// The least time between two batches.
    package static let batchInterval = Duration.milliseconds(25)
    /// How long after a failed commit the next batch is tried.
    package static let retryPause = Duration.seconds(1)
    /// Holds end on this grid, so that many end together.
    private static let gridMilliseconds: Int64 = 100

    /// - Parameter shown: the users last announced as online. They count as connected until a complete set arrives.
    package init(
        shown: some Sequence<UserID>, hold: Duration, capacity: Int = 1_000_000, now: Timestamp
    ) {
        self.shown = Set(shown)
        connected = self.shown
        self.hold = hold
        self.capacity = capacity
        unseenSince = now
    }
}

// MARK: Reports

extension PresenceTracker {
    /// Drops a set that is incomplete or interrupted by another report.
    package mutating func handle(_ report: PresenceReport, now: Timestamp) {
        follow(now)
        switch report {
        case .begin(let broker, let count): gathering = GatheredUsers(broker: broker, count: Int(count))
        case .everyone(let users): gathering?.add(users)
        case .end:
            if let gathering, gathering.isWhole { reconcile(gathering, now: now) }
            gathering = nil
        case .online(let user):
            gathering = nil
            arrive(user)
        case .offline(let user, _):
            gathering = nil
            leave(user, at: now, now: now)
        }
    }

    /// The users who are connected, as far as known.
    package var everyoneConnected: Set<UserID> { connected }

    /// Others have shown users as offline: these alone are still shown as online.
    package mutating func correct(shown users: some Sequence<UserID>) {
        shown = Set(users)
        due.formUnion(connected.subtracting(shown))
    }

    /// Marks connections as unknown from now on: users who turn out to have gone were last seen now.
    package mutating func recordLostSight(now: Timestamp) {
        follow(now)
        gathering = nil
        if unseenSince == nil { unseenSince = now }
    }

    private mutating func reconcile(_ everyone: GatheredUsers, now: Timestamp) {
        broker = everyone.broker
        for user in connected.subtracting(everyone.users) { leave(user, at: unseenSince ?? now, now: now) }
        for user in everyone.users { arrive(user) }
        unseenSince = nil
    }

    private mutating func arrive(_ user: UserID) {
        guard departed.removeValue(forKey: user) != nil || connected.count + departed.count < capacity else { return }
        guard connected.insert(user).inserted, !shown.contains(user) else { return }
        due.insert(user)
    }

    private mutating func leave(_ user: UserID, at: Timestamp, now: Timestamp) {
        guard connected.remove(user) != nil else { return }
        let end = now.advanced(by: hold).roundedUp(to: PresenceTracker.gridMilliseconds)
        departed[user] = Departure(at: at, heldUntil: end)
        earliestEnd = min(earliestEnd, end)
    }
}

// MARK: Announcements

extension PresenceTracker {
    /// A user's new presence.
    package struct Announcement: Hashable, Sendable {
        package let user: UserID
        package let presence: Presence

        package init(user: UserID, presence: Presence) { (self.user, self.presence) = (user, presence) }
    }

    /// The next batch if it is time for one: at most one announcement for each user. They stay due until
    /// `recordCommit`.
    package mutating func nextAnnouncements(limit: Int, now: Timestamp) -> [Announcement] {
        endHolds(now: now)
        guard !due.isEmpty, now >= nextBatchAt else { return [] }
        var batch: [Announcement] = []
        for user in due where batch.count < limit {
            if let announcement = announcement(of: user, now: now) {
                batch.append(announcement)
            } else {
                due.remove(user)
            }
        }
        if !batch.isEmpty { nextBatchAt = now.advanced(by: PresenceTracker.retryPause) }
        return batch
    }

    /// The batch is committed.
    package mutating func recordCommit(_ batch: [Announcement], now: Timestamp) {
        guard !batch.isEmpty else { return }
        nextBatchAt = now.advanced(by: PresenceTracker.batchInterval)
        for announcement in batch {
            due.remove(announcement.user)
            switch announcement.presence {
            case .online: shown.insert(announcement.user)
            case .offline:
                shown.remove(announcement.user)
                departed[announcement.user] = nil
            }
        }
    }

    /// When `nextAnnouncements` may return something; `nil` while nothing is pending.
    package var nextExpiry: Timestamp? {
        let next = due.isEmpty ? earliestEnd : min(nextBatchAt, earliestEnd)
        return next == .latest ? nil : next
    }

    /// Makes users due whose hold has ended.
    package mutating func endHolds(now: Timestamp) {
        follow(now)
        guard now >= earliestEnd else { return }
        earliestEnd = .latest
        for (user, departure) in departed {
            if departure.heldUntil <= now {
                due.insert(user)
            } else {
                earliestEnd = min(earliestEnd, departure.heldUntil)
            }
        }
    }

    /// `nil` where the last announcement still holds.
    private func announcement(of user: UserID, now: Timestamp) -> Announcement? {
        if let departure = departed[user], departure.heldUntil <= now {
            return Announcement(user: user, presence: .offline(lastSeen: departure.at))
        }
        // Connected, or in their hold.
        return shown.contains(user) ? nil : Announcement(user: user, presence: .online)
    }

    private mutating func follow(_ now: Timestamp) {
        defer { clock = now }
        guard now < clock else { return }
        let step = now.milliseconds - clock.milliseconds
        for user in departed.keys {
            departed[user]?.at.advance(byMilliseconds: step)
            departed[user]?.heldUntil.advance(byMilliseconds: step)
        }
        unseenSince?.advance(byMilliseconds: step)
        nextBatchAt.advance(byMilliseconds: step)
        if earliestEnd != .latest { earliestEnd.advance(byMilliseconds: step) }
    }
}
