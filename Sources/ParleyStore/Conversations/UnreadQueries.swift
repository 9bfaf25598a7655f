import GRDB
import ParleyProtocol

// Counting reads the index `records_unread` alone, at most `Limits.unreadCount` entries of it and one more for each
// sender. Unread messages beyond that cost nothing, and neither does what does not count: the user's own messages,
// changes, what has disappeared, system messages. No count is stored, so none can drift.

/// Which messages are unread for a user: those of others after their mark, as far as the log had come at some moment.
package struct UnreadSpan: Hashable, Sendable {
    package let user: UserID
    package let conversation: ConversationKey
    package let after: Int
    package let through: Int

    package init(user: UserID, conversation: ConversationKey, after: Int, through: Int) {
        self.user = user
        self.conversation = conversation
        self.after = after
        self.through = through
    }
}

/// Of what unread messages are counted.
package enum UnreadScope: Hashable, Sendable {
    case conversation(UnreadSpan)
    /// All conversations in the user's list that are neither archived nor muted then.
    case badge(of: UserID, at: Timestamp)
}

enum UnreadQuery {
    /// What the index `records_unread` holds, to the letter: a message of a person, shown to all, whose ciphertext is
    /// still there.
    private static let counts = "kind = 0 AND type <> 7 AND content IS NOT NULL AND withheld = 0"

    static let nextSender =
        "SELECT sender FROM records WHERE conversation = ? AND sender > ? AND \(counts) ORDER BY sender LIMIT 1"

    static let count = """
        SELECT count(*) FROM (
            SELECT 1 FROM records WHERE conversation = ? AND sender = ? AND seq > ? AND seq <= ? AND \(counts) LIMIT ?) AS found
        """

    /// The user's conversations that have a message after their mark, the last active first; no more than those are looked
    /// at that were active last. What a user has written without its being shown to others is theirs, and not unread.
    static let conversations = """
        SELECT m.conversation, m.read_seq, m.joined_seq, m.is_muted, m.muted_until, c.last_message_seq FROM members m
        JOIN conversations c ON c.key = m.conversation
        WHERE m."user" = ? AND m.is_open = 1 AND m.is_archived = 0 ORDER BY m.active_at DESC LIMIT ?
        """
}

/// How many messages are unread.
package struct UnreadQueries {
    let database: Database

    /// A badge counts no conversations but so many that were active last.
    package static let conversationsOfBadge = 200

    /// How many messages count, up to `Limits.unreadCount`.
    package func count(_ scope: UnreadScope) throws(StoreError) -> Int {
        switch scope {
        case .conversation(let span): try count(span)
        case .badge(let user, let now): try badge(of: user, at: now)
        }
    }

    private func badge(of user: UserID, at now: Timestamp) throws(StoreError) -> Int {
        var spans: [UnreadSpan] = []
        let rows = try HotStatement(UnreadQuery.conversations, database)
        defer { rows.reset() }
        try rows.bind(user.text, at: 1)
        try rows.bind(UnreadQueries.conversationsOfBadge, at: 2)
        while try rows.hasRow() {
            let mark = max(rows.integer(1), rows.integer(2))
            let isMuted = rows.isTrue(3) && rows.optionalTime(4).map { $0 > now } ?? true
            guard !isMuted, rows.integer(5) > mark else { continue }
            spans.append(
                UnreadSpan(
                    user: user, conversation: ConversationKey(value: Int64(rows.integer(0))), after: mark,
                    through: .max))
        }
        var count = 0
        for span in spans where count < Limits.unreadCount { count += try self.count(span) }
        return min(count, Limits.unreadCount)
    }

    /// How many messages of others the user has not read, up to `Limits.unreadCount`: those after their watermark and
    /// after their joining whose ciphertext is still there. Neither changes to a message nor system messages count.
    package func count(of user: UserID, in conversation: ConversationKey) throws(StoreError) -> Int {
        let mark = try database.row(
            #"SELECT read_seq, joined_seq FROM members WHERE conversation = ? AND "user" = ?"#,
            [conversation.value, user.text])
        guard let mark else { return 0 }
        return try count(
            UnreadSpan(
                user: user, conversation: conversation, after: max(mark[0] as Int, mark[1] as Int), through: .max))
    }

    /// How many messages count in `span`, up to `Limits.unreadCount`.
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

    /// The next user, by id, of whom there is a message in the conversation that can be unread.
    private func nextSender(after last: String, in conversation: ConversationKey) throws(StoreError) -> String? {
        let search = try HotStatement(UnreadQuery.nextSender, database)
        defer { search.reset() }
        try search.bind(Int(conversation.value), at: 1)
        try search.bind(last, at: 2)
        return try search.hasRow() ? search.text(0) : nil
    }

    private func count(_ span: UnreadSpan, of sender: String, limit: Int) throws(StoreError) -> Int {
        let search = try HotStatement(UnreadQuery.count, database)
        defer { search.reset() }
        try search.bind(Int(span.conversation.value), at: 1)
        try search.bind(sender, at: 2)
        try search.bind(span.after, at: 3)
        try search.bind(span.through, at: 4)
        try search.bind(limit, at: 5)
        return try search.hasRow() ? search.integer(0) : 0
    }
}
