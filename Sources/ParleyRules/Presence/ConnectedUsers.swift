import ParleyProtocol

/// How many connections each user has, and what of that has changed since it was last asked.
///
/// Who goes and comes back in between has not changed: one connection that takes over another is no news.
package struct ConnectedUsers: Sendable {
    private var counts: [UserID: Int] = [:]
    /// Whether the user is there now, of those for whom that has changed.
    private var news: [UserID: Bool] = [:]

    package init() {}

    /// In no order.
    package var everyone: [UserID] { Array(counts.keys) }

    package mutating func arrived(_ user: UserID) {
        let count = counts[user] ?? 0
        counts[user] = count + 1
        if count == 0 { note(user, isThere: true) }
    }

    package mutating func left(_ user: UserID) {
        guard let count = counts[user] else { return }
        counts[user] = count > 1 ? count - 1 : nil
        if count == 1 { note(user, isThere: false) }
    }

    /// Who has come and who has gone; each user once, in no order.
    package mutating func takeNews() -> [PresenceReport] {
        guard !news.isEmpty else { return [] }
        defer { news.removeAll(keepingCapacity: true) }
        return news.map { user, isThere in isThere ? .online(user) : .offline(user) }
    }

    private mutating func note(_ user: UserID, isThere: Bool) {
        if news.removeValue(forKey: user) == nil { news[user] = isThere }
    }
}
