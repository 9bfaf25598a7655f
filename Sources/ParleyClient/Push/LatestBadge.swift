import ParleyProtocol

/// An unread count and its time: the number on an app's icon.
public struct Badge: Hashable, Sendable {
    public let count: Int
    /// By the gateway's clock.
    public let at: Timestamp

    private static let most = 99_999

    /// - Parameter count: clamped to 0 to 99,999.
    public init(count: Int, at: Timestamp) {
        self.count = min(max(count, 0), Badge.most)
        self.at = at
    }
}

extension FeedNotification {
    /// The badge at its creation.
    public var badgeThen: Badge { Badge(count: badge.number, at: createdAt) }
}

extension NotificationsCleared {
    public var badgeThen: Badge { Badge(count: badge.number, at: at) }
}

/// Merges badges that come in any order, repeated or missing: the latest counts.
///
/// The app stores ``badge`` where all its processes see it, merges each new one, and shows ``count``.
public struct LatestBadge: Hashable, Sendable {
    /// `nil` before any badge has come.
    public private(set) var badge: Badge?

    /// How far the gateway's clock may be ahead of the device's. A later time is clamped, so that one badge from the
    /// far future does not block all others.
    public static let tolerance = Duration.seconds(3600)

    public init(_ badge: Badge? = nil) { self.badge = badge }

    /// The number to show.
    public var count: Int { badge?.count ?? 0 }

    /// - Returns: whether the number to show has changed.
    @discardableResult
    public mutating func merge(_ new: Badge) -> Bool { merge(new, now: .now) }

    /// - Parameter now: by the device's clock.
    @discardableResult
    package mutating func merge(_ new: Badge, now: Timestamp) -> Bool {
        let latest = now.advanced(byMilliseconds: LatestBadge.tolerance.components.seconds * 1000)
        let new = Badge(count: new.count, at: min(new.at, latest))
        let before = count
        guard let badge else {
            self.badge = new
            return count != before
        }
        // Of two with the same time the larger count is kept, in any order.
        if (badge.at, badge.count) < (new.at, new.count) { self.badge = new }
        return count != before
    }
}
