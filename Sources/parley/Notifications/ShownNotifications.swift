import ParleyClient
import ParleyProtocol

/// The notifications that were shown, so that each is shown once: the last ones, more than a feed has.
struct ShownNotifications {
    private var known: [NotificationID] = []

    /// What is asked for at most, and a page more, so that all of it is known when it is asked for again.
    private static let capacity = (mostPages + 1) * Limits.pageItems

    /// So many pages are asked for at most: more than the 500 notifications that the gateway keeps for somebody.
    private static let mostPages = 4

    /// Asks for what is new, page by page, back to one that was shown.
    ///
    /// - Parameter list: gives a page, the newest first, and what the next is asked for by; `nil` after the last.
    /// - Returns: those that were not shown, the newest last. They count as shown; if a page fails, none does.
    nonisolated(nonsending) mutating func addMissed(
        _ list: nonisolated(nonsending) (Page) async throws(ClientError) -> ([FeedNotification], nextCursor: String?)
    ) async throws(ClientError) -> [FeedNotification] {
        let before = Set(known)
        var missed: [FeedNotification] = []
        var cursor: String?
        for _ in 0..<ShownNotifications.mostPages {
            let (items, next) = try await list(Page(limit: Limits.pageItems, cursor: cursor))
            missed += items
            guard let next, !items.contains(where: { before.contains($0.id) }) else { break }
            cursor = next
        }
        return add(missed)
    }

    /// - Parameter notifications: the newest first.
    /// - Returns: those that were not shown, the newest last.
    mutating func add(_ notifications: [FeedNotification]) -> [FeedNotification] {
        let before = Set(known)
        let new = notifications.reversed().filter { !before.contains($0.id) }
        known = (known + new.map(\.id)).suffix(ShownNotifications.capacity)
        return new
    }
}
