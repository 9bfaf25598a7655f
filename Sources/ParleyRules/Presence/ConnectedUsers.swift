import ParleyProtocol

/// How many connections each user has, and which changes of that are to be reported to the gateway.
///
/// Only whether a user has any connection is reported: one connection that takes over another is no change. After a
/// report about a user there is none for a second, and then one if it no longer holds. So a user who connects and
/// disconnects all the time costs one report a second, and the last report is right.
///
/// Times are nanoseconds of a clock that nobody sets.
package struct ConnectedUsers: Sendable {
    private var counts: [UserID: Int] = [:]
    /// Who was last reported as online.
    private var reported: Set<UserID> = []
    /// For whom that may have changed.
    private var changed: Set<UserID> = []
    /// Those about whom there was a report less than a second ago, and whether they may have changed since.
    private var resting: [UserID: Bool] = [:]
    /// The same in the order of time, from `restingFrom` on.
    private var restingSince: [(user: UserID, at: Int64)] = []
    private var restingFrom = 0
    /// Whose last connection has ended since reports were last asked for.
    private var departed: [UserID] = []
    /// When the last connection of those has ended who are yet to be reported as offline.
    private var leftAt: [UserID: Int64] = [:]

    private static let rest: Int64 = 1_000_000_000

    package init() {}

    /// In no order.
    package var everyone: [UserID] { Array(counts.keys) }

    package mutating func connect(_ user: UserID) {
        counts[user, default: 0] += 1
        if counts[user] == 1 {
            leftAt[user] = nil
            markChanged(user)
        }
    }

    package mutating func disconnect(_ user: UserID) {
        guard let count = counts[user] else { return }
        counts[user] = count > 1 ? count - 1 : nil
        if count == 1 {
            departed.append(user)
            markChanged(user)
        }
    }

    /// The reports that are due; each user once, in no order.
    package mutating func drainNews(uptime: Int64) -> [PresenceReport] {
        endRests(uptime: uptime)
        for user in departed where counts[user] == nil && leftAt[user] == nil && reported.contains(user) {
            leftAt[user] = uptime
        }
        departed.removeAll(keepingCapacity: true)
        guard !changed.isEmpty else { return [] }
        defer { changed.removeAll(keepingCapacity: true) }
        return changed.compactMap { user in
            let isThere = counts[user] != nil
            guard isThere != reported.contains(user) else { return nil }
            if isThere { reported.insert(user) } else { reported.remove(user) }
            resting[user] = false
            restingSince.append((user, uptime))
            let ago = leftAt.removeValue(forKey: user).map { (uptime - $0) / 1_000_000 } ?? 0
            return isThere ? .online(user) : .offline(user, ago: UInt32(clamping: ago))
        }
    }

    /// Everybody who is connected, in no order. This report takes the place of all before it.
    package mutating func drainEveryone() -> [UserID] {
        reported = Set(counts.keys)
        leftAt.removeAll()
        changed.removeAll()
        for user in resting.keys { resting[user] = false }
        return everyone
    }

    private mutating func markChanged(_ user: UserID) {
        if resting[user] == nil { changed.insert(user) } else { resting[user] = true }
    }

    private mutating func endRests(uptime: Int64) {
        while restingFrom < restingSince.count, restingSince[restingFrom].at + ConnectedUsers.rest <= uptime {
            let user = restingSince[restingFrom].user
            restingFrom += 1
            if resting.removeValue(forKey: user) == true { changed.insert(user) }
        }
        guard restingFrom > 256, restingFrom * 2 > restingSince.count else { return }
        restingSince.removeFirst(restingFrom)
        restingFrom = 0
    }
}
