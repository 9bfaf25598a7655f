/// What a page may cost beside its items and bytes (`Limits`).
enum PageBudget {
    /// So many unread messages are counted for one page, of all its conversations together, or a thousand more. The
    /// page ends there, and the next goes on.
    static let unreadCounts = 50_000
}
