import ParleyProtocol

/// How many connections each user has, and what of that the gateway is to be told.
///
/// Who goes and comes back in between has not changed: one connection that takes over another is no news. Of a user whose
/// coming or going was told less than a second ago nothing is told; then it is what holds by then. So whoever connects
/// and goes again and again costs a report a second, and what was told last becomes true.
///
/// Times are nanoseconds of a clock that nobody sets.
package struct ConnectedUsers: Sendable {
    private var counts: [UserID: Int] = [:]
    /// Who is there, as far as was told.
    private var told: Set<UserID> = []
    /// For whom that may have changed.
    private var changed: Set<UserID> = []
    /// Of whom something was told less than a second ago, and whether they may have changed since.
    private var resting: [UserID: Bool] = [:]
    /// The same in the order of time; what lies before `restingFrom` is over.
    private var restingSince: [(user: UserID, at: Int64)] = []
    private var restingFrom = 0

    private static let rest: Int64 = 1_000_000_000

    package init() {}

    /// In no order.
    package var everyone: [UserID] { Array(counts.keys) }

    package mutating func arrived(_ user: UserID) {
        counts[user, default: 0] += 1
        if counts[user] == 1 { note(user) }
    }

    package mutating func left(_ user: UserID) {
        guard let count = counts[user] else { return }
        counts[user] = count > 1 ? count - 1 : nil
        if count == 1 { note(user) }
    }

    /// Who has come and who has gone; each user once, in no order.
    package mutating func takeNews(uptime: Int64) -> [PresenceReport] {
        endRests(uptime: uptime)
        guard !changed.isEmpty else { return [] }
        defer { changed.removeAll(keepingCapacity: true) }
        return changed.compactMap { user in
            let isThere = counts[user] != nil
            guard isThere != told.contains(user) else { return nil }
            if isThere { told.insert(user) } else { told.remove(user) }
            resting[user] = false
            restingSince.append((user, uptime))
            return isThere ? .online(user) : .offline(user)
        }
    }

    /// Everybody who is there, with whom whatever was told before is over. In no order.
    package mutating func takeEveryone() -> [UserID] {
        told = Set(counts.keys)
        changed.removeAll()
        for user in resting.keys { resting[user] = false }
        return everyone
    }

    private mutating func note(_ user: UserID) {
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
