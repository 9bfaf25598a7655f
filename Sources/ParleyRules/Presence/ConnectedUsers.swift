import ParleyProtocol

/// How many connections each user has, and the reports of changes to the gateway.
///
/// A report says whether a user has any connection: a take-over is no change. Each user is reported once a second at
/// most, however often they connect and disconnect, and the last report is right.
///
/// Times are nanoseconds of a clock that nobody sets.
package struct ConnectedUsers: Sendable {
    private var counts: [UserID: Int] = [:]
    /// Users who were last reported as online.
    private var reported: Set<UserID> = []
    /// Users for whom that may have changed.
    private var changed: Set<UserID> = []
    /// Users who were reported less than a second ago, and whether they may have changed since.
    private var resting: [UserID: Bool] = [:]
    /// The same ordered by time, from `restingFrom` on.
    private var restingSince: [(user: UserID, at: Int64)] = []
    private var restingFrom = 0
    /// Users whose last connection has ended since the last drain.
    private var departed: [UserID] = []
    /// When the last connection ended, of users not reported as offline yet.
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

    /// Drains the reports that are due: each user once, in no order.
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

    /// All connected users, in no order: replaces all earlier reports.
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
