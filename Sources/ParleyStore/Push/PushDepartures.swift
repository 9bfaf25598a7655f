import ParleyProtocol

/// Messages that a departed user has not received.
extension PushEventQueries {
    /// A message that its recipient may not have received.
    package struct Undelivered: Sendable {
        package let message: MessageID
        package let position: StreamPosition
        package let conversation: ConversationKey
        package let createdAt: Timestamp
        /// Whether the user's devices acknowledge messages at all.
        package let acknowledges: Bool
    }

    /// Messages of others since a time that no device of a user has acknowledged, of the user's most active
    /// conversations, in their order.
    ///
    /// - Parameter limit: of conversations, and of messages of each.
    package func undelivered(
        to user: UserID, since time: Timestamp, limit: Int
    ) throws(StoreError) -> [Undelivered] {
        let acknowledges = try acknowledges(user, before: time, limit: limit)
        let conversations = try database.list(
            """
            SELECT m.conversation, m.delivered_seq, m.read_seq, m.joined_seq FROM members m
            WHERE m."user" = ? AND m.is_open = 1 AND m.is_archived = 0 AND m.active_at >= ?
            ORDER BY m.active_at DESC LIMIT ?
            """, [user.text, time.milliseconds, limit]
        ) { row in (key: row.key(0) as ConversationKey, seq: max(row.integer(1), row.integer(2), row.integer(3))) }
        var found: [Undelivered] = []
        for (conversation, seq) in conversations {
            found += try database.list(
                """
                SELECT r.id, r.position, r.created_at FROM records r
                WHERE r.conversation = ? AND r.seq > ? AND r.kind = 0 AND r.type <> 7 AND r.withheld = 0
                    AND r.sender <> ? AND r.created_at >= ?
                ORDER BY r.seq LIMIT ?
                """, [conversation.value, seq, user.text, time.milliseconds, limit]
            ) { row in
                Undelivered(
                    message: try row.uuid(0), position: StreamPosition(row[1]), conversation: conversation,
                    createdAt: row.time(2), acknowledges: acknowledges)
            }
        }
        return found.sorted { $0.position < $1.position }
    }

    /// Whether a user's devices have ever acknowledged a message. A user who had no message before a time counts as one
    /// whose devices do.
    ///
    /// - Parameter limit: of conversations, and of messages of each, that are looked at.
    private func acknowledges(_ user: UserID, before time: Timestamp, limit: Int) throws(StoreError) -> Bool {
        let hasAcknowledged = try database.row(
            #"SELECT 1 FROM members m WHERE m."user" = ? AND m.delivered_seq > m.joined_seq LIMIT 1"#, [user.text])
        guard hasAcknowledged == nil else { return true }
        return try database.row(
            """
            SELECT 1 FROM (
                SELECT m.conversation, m.joined_seq FROM members m
                WHERE m."user" = ?1 AND m.is_open = 1 ORDER BY m.active_at DESC LIMIT ?2) AS c
            CROSS JOIN records r
            WHERE r.conversation = c.conversation AND r.seq > c.joined_seq AND r.seq <= c.joined_seq + ?2
                AND r.kind = 0 AND r.type <> 7 AND r.withheld = 0 AND r.sender <> ?1 AND r.created_at < ?3
            LIMIT 1
            """, [user.text, limit, time.milliseconds]) == nil
    }
}
