import ParleyProtocol
import ParleyRules

// A user's conversations in the order of their last activity.
//
// `members.active_at` lags behind `conversations.updated_at` by at most `ActivityIndexLag.limit`. So a message seldom
// writes to the members' rows, and the index is nearly in order: only conversations within the limit of the page have
// to be read.

/// How far `members.active_at` may lag behind `conversations.updated_at`.
enum ActivityIndexLag {
    static let limit = Duration.seconds(60)
}

extension ListingQueries {
    /// How many conversations are open for the user.
    package func count(of user: UserID, archived: Bool) throws(StoreError) -> Int {
        try database.row(ConversationSlice.total, [user.text, archived])?[0] ?? 0
    }

    /// The conversations that are open for the user, the last active first, then the last created.
    package func keys(
        of user: UserID, archived: Bool, limit: Int, offset: Int
    ) throws(StoreError) -> [ConversationKey] {
        guard let slice = try ConversationSlice(database, user, archived, limit: limit, offset: offset) else {
            return []
        }
        // Thousands may have been active in the same minute: sorting them here costs half of what it costs SQLite.
        let active = try database.list(
            ConversationSlice.query,
            [user.text, archived, Int(slice.earliest), Int(slice.latest)]
        ) { (at: $0.integer(0), key: $0.key(1) as ConversationKey) }
        return active.sorted { ($1.at, $1.key) < ($0.at, $0.key) }.dropFirst(offset - slice.skipped).prefix(limit)
            .map(\.key)
    }
}

/// The range of `members.active_at` that holds a page of a user's conversations, found in the index alone.
struct ConversationSlice {
    let earliest: Int64
    let latest: Int64
    /// How many conversations precede the slice.
    let skipped: Int

    /// The first columns of the index.
    static let own = #""user" = ? AND is_open = 1 AND is_archived = ?"#

    static let query = """
        SELECT CASE WHEN m.own_updated_at > c.updated_at THEN m.own_updated_at ELSE c.updated_at END, c.key
        FROM members m JOIN conversations c ON c.key = m.conversation
        WHERE m.\(own) AND m.active_at BETWEEN ? AND ?
        """

    static let activities = "SELECT active_at FROM members WHERE \(own) ORDER BY active_at DESC LIMIT ? OFFSET ?"

    static let total = "SELECT count(*) FROM members WHERE \(own)"

    static let later = "SELECT count(*) FROM members WHERE \(own) AND active_at > ?"

    /// - Returns: `nil` for a page after the end.
    init?(_ database: Database, _ user: UserID, _ archived: Bool, limit: Int, offset: Int) throws(StoreError) {
        // The nth conversation by time is no earlier than the nth `active_at`, and later by at most the lag.
        let times = try database.list(ConversationSlice.activities, [user.text, archived, limit, offset]) {
            $0[0] as Int64
        }
        guard let first = times.first, let last = times.last else { return nil }
        let lag = ActivityIndexLag.limit.inMilliseconds
        latest = first.addingReportingOverflow(lag).partialValue
        earliest = times.count < limit ? Int64.min : last.subtractingReportingOverflow(lag).partialValue
        skipped = try database.row(ConversationSlice.later, [user.text, archived, latest])?[0] ?? 0
    }
}
