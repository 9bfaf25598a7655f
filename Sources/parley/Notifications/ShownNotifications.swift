import ParleyProtocol

/// The notifications that were shown, so that each is shown once: the last ones, more than a page has.
struct ShownNotifications {
    private var known: [NotificationID] = []

    /// Twice what is asked for at once, so that what a page has is known when it is asked for again.
    private static let capacity = 2 * Limits.pageItems

    /// - Parameter notifications: the newest first.
    /// - Returns: those that were not shown, the newest last.
    mutating func add(_ notifications: [FeedNotification]) -> [FeedNotification] {
        let before = Set(known)
        let new = notifications.reversed().filter { !before.contains($0.id) }
        known = (known + new.map(\.id)).suffix(ShownNotifications.capacity)
        return new
    }
}
