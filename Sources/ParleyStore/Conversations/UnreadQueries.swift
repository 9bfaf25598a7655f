import ParleyProtocol

// Counting reads the index `records_unread` alone: at most `Limits.unreadCount` entries and one more for each sender.
// Further unread messages cost nothing, nor do the user's own, changes, disappeared and system messages. No count is
// stored, so none can drift.

/// The range of a log in which messages of others are unread for a user.
package struct UnreadSpan: Hashable, Sendable {
    package let user: UserID
    package let conversation: ConversationKey
    package let after: Int
    package let through: Int

    package init(user: UserID, conversation: ConversationKey, after: Int, through: Int) {
        (self.user, self.conversation, self.after, self.through) = (user, conversation, after, through)
    }
}

package enum UnreadScope: Hashable, Sendable {
    case conversation(UnreadSpan)
    /// The user's listed conversations that are neither archived nor muted at a time.
    case badge(of: UserID, at: Timestamp)
}

enum UnreadQuery {
    /// The condition of the index `records_unread`, to the letter.
    private static let counts = "kind = 0 AND type <> 7 AND content IS NOT NULL AND withheld = 0"

    static let nextSender =
        "SELECT sender FROM records WHERE conversation = ? AND sender > ? AND \(counts) ORDER BY sender LIMIT 1"

    static let count = """
        SELECT count(*) FROM (
            SELECT 1 FROM records WHERE conversation = ? AND sender = ? AND seq > ? AND seq <= ? AND \(counts) LIMIT ?) AS found
        """

    /// Users' conversations with a message after their mark, the last active first, among the `conversationsOfBadge`
    /// that were active last. A user's withheld messages are their own and not unread.
    ///
    /// - Parameter users: their ids, separated by commas.
    static func conversations(of users: String) -> String {
        """
        WITH recent AS MATERIALIZED (
            SELECT u.id, (
                SELECT x.active_at FROM members x WHERE x."user" = u.id AND x.is_open = 1 AND x.is_archived = 0
                ORDER BY x.active_at DESC LIMIT 1 OFFSET \(UnreadQueries.conversationsOfBadge - 1)) AS since
            FROM users u WHERE u.id IN (\(users)))
        SELECT m."user", m.conversation, m.read_seq, m.joined_seq, m.is_muted, m.muted_until
        FROM recent r CROSS JOIN members m CROSS JOIN conversations c
        WHERE m."user" = r.id AND m.is_open = 1 AND m.is_archived = 0
            AND m.active_at >= coalesce(r.since, -9223372036854775807) AND c.key = m.conversation
            AND c.last_message_seq > m.read_seq AND c.last_message_seq > m.joined_seq
        ORDER BY m.active_at DESC
        """
    }
}

package struct UnreadQueries {
    let database: Database

    /// How many conversations, the last active, a badge counts.
    package static let conversationsOfBadge = 200

    /// Up to `Limits.unreadCount` each. The conversations of all badges are read at once.
    package func counts(_ scopes: some Collection<UnreadScope>) throws(StoreError) -> [UnreadScope: Int] {
        var users: Set<UserID> = []
        for case .badge(let user, _) in scopes { users.insert(user) }
        let conversations = try conversations(of: users)
        var counts: [UnreadScope: Int] = [:]
        for scope in scopes where counts[scope] == nil {
            counts[scope] =
                switch scope {
                case .conversation(let span): try count(span)
                case .badge(let user, let now): try count(conversations[user] ?? [], at: now)
                }
        }
        return counts
    }

    package func count(_ scope: UnreadScope) throws(StoreError) -> Int { try counts([scope])[scope] ?? 0 }

    private struct Candidate {
        let span: UnreadSpan
        let isMuted: Bool
        /// `nil` for no end.
        let mutedUntil: Timestamp?
    }

    private func conversations(of users: Set<UserID>) throws(StoreError) -> [UserID: [Candidate]] {
        var conversations: [UserID: [Candidate]] = [:]
        try database.read(users.map { [.text($0.text)] }, key: "?", UnreadQuery.conversations) { row in
            let user: UserID = try row.level(0)
            conversations[user, default: []].append(
                Candidate(
                    span: UnreadSpan(
                        user: user, conversation: row.key(1), after: max(row.integer(2), row.integer(3)),
                        through: .max),
                    isMuted: row.isTrue(4), mutedUntil: row.optionalTime(5)))
        }
        return conversations
    }

    private func count(_ conversations: [Candidate], at now: Timestamp) throws(StoreError) -> Int {
        var count = 0
        for one in conversations.prefix(UnreadQueries.conversationsOfBadge) where count < Limits.unreadCount {
            let isMuted = one.isMuted && one.mutedUntil.map { $0 > now } ?? true
            if !isMuted { count += try self.count(one.span) }
        }
        return min(count, Limits.unreadCount)
    }

    /// After the user's watermark and joining, up to `Limits.unreadCount`.
    package func count(of user: UserID, in conversation: ConversationKey) throws(StoreError) -> Int {
        let mark = try database.row(
            #"SELECT read_seq, joined_seq FROM members WHERE conversation = ? AND "user" = ?"#,
            [conversation.value, user.text])
        guard let mark else { return 0 }
        return try count(
            UnreadSpan(
                user: user, conversation: conversation, after: max(mark[0] as Int, mark[1] as Int), through: .max))
    }

    /// Up to `Limits.unreadCount`.
    package func count(_ span: UnreadSpan) throws(StoreError) -> Int {
        var count = 0
        var last = ""
        while count < Limits.unreadCount, let sender = try nextSender(after: last, in: span.conversation) {
            if sender != span.user.text {
                count += try self.count(span, of: sender, limit: Limits.unreadCount - count)
            }
            last = sender
        }
        return count
    }

    /// The next sender, by id, of a message that may be unread.
    private func nextSender(after last: String, in conversation: ConversationKey) throws(StoreError) -> String? {
        try database.first(UnreadQuery.nextSender, [conversation, last]) { $0.text(0) }
    }

    private func count(_ span: UnreadSpan, of sender: String, limit: Int) throws(StoreError) -> Int {
        try database.first(
            UnreadQuery.count,
            [
                span.conversation, sender, span.after, span.through, limit,
            ]
        ) { $0.integer(0) } ?? 0
    }
}
