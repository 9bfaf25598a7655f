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
}

/// How many messages are unread.
package struct UnreadQueries {
    let database: Database

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
