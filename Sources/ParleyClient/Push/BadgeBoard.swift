import ParleyProtocol

/// How many messages are unread, and the time for which that is true: what a push says for the app's icon.
public struct Badge: Hashable, Sendable {
    public let count: Int
    /// By the gateway's clock.
    public let at: Timestamp

    /// More than any icon shows.
    private static let most = 99_999

    /// - Parameter count: what is not between 0 and 99,999 becomes the nearer of them.
    public init(count: Int, at: Timestamp) {
        self.count = min(max(count, 0), Badge.most)
        self.at = at
    }
}

extension FeedNotification {
    /// As of when it was made.
    public var badgeThen: Badge { Badge(count: badge.number, at: createdAt) }
}

extension NotificationsCleared {
    public var badgeThen: Badge { Badge(count: badge.number, at: at) }
}

/// What the app's icon shows, of badges that come in any order, twice or not at all: the one of the latest time counts,
/// and never an older one that came late.
///
/// A value; the app keeps ``badge`` where all its processes see it, merges what has come, and shows ``count``.
public struct BadgeBoard: Hashable, Sendable {
    /// What counts now; `nil` before anything has come.
    public private(set) var badge: Badge?

    /// How far the gateway's clock may be before the device's. What says a later time than that counts as of then, so
    /// that one badge from a far future does not keep all others away.
    public static let tolerance = Duration.seconds(3600)

    public init(_ badge: Badge? = nil) { self.badge = badge }

    /// What to show.
    public var count: Int { badge?.count ?? 0 }

    /// - Returns: whether there is something else to show.
    @discardableResult
    public mutating func merge(_ new: Badge) -> Bool { merge(new, now: .now) }

    /// - Parameter now: what the device's clock shows.
    @discardableResult
    package mutating func merge(_ new: Badge, now: Timestamp) -> Bool {
        let latest = now.advanced(byMilliseconds: BadgeBoard.tolerance.components.seconds * 1000)
        let new = Badge(count: new.count, at: min(new.at, latest))
        let before = count
        guard let badge else {
            self.badge = new
            return count != before
        }
        // Of two for the same time the larger one, whichever came first.
        if (badge.at, badge.count) < (new.at, new.count) { self.badge = new }
        return count != before
    }
}
