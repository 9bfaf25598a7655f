import ParleyProtocol

/// Who is online: a state machine whose input is what the broker's plugin reports, and whose output is what is to be
/// announced.
///
/// A user is online at once, and offline only when they have had no connection for the hold (10 s): whoever reconnects
/// in time was never offline. Announcements come in batches and stay due until their batch is committed, so that a
/// thousand devices that reconnect make a few transactions, and a full disk loses none. It is bounded: beyond its
/// capacity users are not shown as online. Where the clock steps back its times step back with it.
package struct PresenceBoard: Sendable {
    private struct Departure: Sendable {
        /// When the last connection ended.
        var at: Timestamp
        /// Until then they may come back unnoticed.
        var heldUntil: Timestamp
    }

    private var connected: Set<UserID> = []
    /// Those who are not connected, and of whom that is not announced.
    private var departed: [UserID: Departure] = [:]
    /// Those who were last announced as online.
    private var shown: Set<UserID>
    /// Those of whom there may be something to announce.
    private var due: Set<UserID> = []
    private var gathering: GatheredUsers?
    /// Since when it is not known what the broker sees; `nil` while it is.
    private var unseenSince: Timestamp?
    /// No hold ends earlier.
    private var earliestEnd = Timestamp.latest
    /// No batch of announcements begins earlier.
    private var nextBatchAt = Timestamp.earliest
    /// The time that was last given.
    private var clock = Timestamp.earliest
    private let capacity: Int
    private let hold: Duration

    /// The run of the broker that reported the last complete set of who is connected; `nil` before the first.
    package private(set) var broker: UInt64?

    /// Batches of announcements are at least so far apart.
    package static let batchInterval = Duration.milliseconds(25)
    /// So long after a batch that was not committed the next is tried.
    package static let retryPause = Duration.seconds(1)
    /// Holds end on this grid, so that many of them end together.
    private static let gridMilliseconds: Int64 = 100

    /// - Parameter shown: who was last announced as online. They are taken to be, until a whole set says otherwise.
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

// MARK: What is reported

extension PresenceBoard {
    /// A set that is not complete, or that another report interrupts, is dropped.
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

    /// Who is connected, as far as it is known.
    package var everyoneConnected: Set<UserID> { connected }

    /// From now on it is not known who is connected: whoever turns out to have gone was last seen now.
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
        let end = now.advanced(by: hold).roundedUp(to: PresenceBoard.gridMilliseconds)
        departed[user] = Departure(at: at, heldUntil: end)
        earliestEnd = min(earliestEnd, end)
    }
}

// MARK: What is announced

extension PresenceBoard {
    /// One user's presence, as it is now to be known.
    package struct Announcement: Hashable, Sendable {
        package let user: UserID
        package let presence: Presence
    }

    /// The next batch of announcements, if it is time for one: about each user at most one. They stay due until
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
        if !batch.isEmpty { nextBatchAt = now.advanced(by: PresenceBoard.retryPause) }
        return batch
    }

    /// A batch is on disk, and published to friends.
    package mutating func recordCommit(_ batch: [Announcement], now: Timestamp) {
        guard !batch.isEmpty else { return }
        nextBatchAt = now.advanced(by: PresenceBoard.batchInterval)
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

    /// When `announcements` may have something; `nil` while nothing is to come.
    package var nextExpiry: Timestamp? {
        let next = due.isEmpty ? earliestEnd : min(nextBatchAt, earliestEnd)
        return next == .latest ? nil : next
    }

    /// Whoever is not back when their hold has ended is due to be announced.
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

    /// `nil` where what is known already holds.
    private func announcement(of user: UserID, now: Timestamp) -> Announcement? {
        if let departure = departed[user], departure.heldUntil <= now {
            return Announcement(user: user, presence: .offline(lastSeen: departure.at))
        }
        // They are connected, or were so a moment ago and are not announced as offline yet.
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
