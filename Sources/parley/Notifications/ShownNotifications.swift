import ParleyClient
import ParleyProtocol

/// The ids of the notifications that were shown, so that each is shown once; more than a feed has.
struct ShownNotifications {
    private var known: [NotificationID] = []

    /// A page more than the most that is fetched, so that all of it is known when it is fetched again.
    private static let capacity = (mostPages + 1) * Limits.pageItems

    /// The most pages that are fetched: more than the 500 notifications that the gateway keeps for a user.
    private static let mostPages = 4

    /// Fetches new notifications, page by page, back to one that was shown.
    ///
    /// - Parameter list: fetches a page, the newest first, and the next page's cursor; `nil` after the last.
    /// - Returns: the new ones, the newest last. They count as shown; if a page fails, none does.
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
    /// - Returns: the new ones, the newest last.
    mutating func add(_ notifications: [FeedNotification]) -> [FeedNotification] {
        let before = Set(known)
        let new = notifications.reversed().filter { !before.contains($0.id) }
        known = (known + new.map(\.id)).suffix(ShownNotifications.capacity)
        return new
    }
}
