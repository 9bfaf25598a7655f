import GRDB
import ParleyProtocol

/// What was sent to somebody who has left.
extension PushEventQueries {
    /// A message that was sent to somebody who may not have received it.
    package struct Undelivered: Sendable {
        package let message: MessageID
        package let position: StreamPosition
        package let conversation: ConversationKey
        package let createdAt: Timestamp
        /// Whether the user's devices say what they have received.
        package let acknowledges: Bool
    }

    /// Messages of others since a time that no device of a user has said to have received, of the conversations that
    /// were active last.
    ///
    /// - Parameter limit: of conversations, and of messages of each.
    package func undelivered(
        to user: UserID, since time: Timestamp, limit: Int
    ) throws(StoreError) -> [Undelivered] {
        let rows = try database.rows(
            """
            SELECT m.conversation, m.delivered_seq, m.read_seq, m.joined_seq FROM members m
            WHERE m."user" = ? AND m.is_open = 1 AND m.is_archived = 0 AND m.active_at >= ?
            ORDER BY m.active_at DESC LIMIT ?
            """, [user.text, time.milliseconds, limit])
        let acknowledges = try acknowledges(user, before: time, limit: limit)
        var found: [Undelivered] = []
        while let row = try rows.next() {
            let key = ConversationKey(value: row[0])
            let (delivered, joined) = (row[1] as Int, row[3] as Int)
            let records = try database.rows(
                """
                SELECT r.id, r.position, r.created_at FROM records r
                WHERE r.conversation = ? AND r.seq > ? AND r.kind = 0 AND r.type <> 7 AND r.withheld = 0
                    AND r.sender <> ? AND r.created_at >= ?
                ORDER BY r.seq LIMIT ?
                """, [key.value, max(delivered, row[2], joined), user.text, time.milliseconds, limit])
            while let record = try records.next() {
                found.append(
                    Undelivered(
                        message: try record.uuid(0), position: StreamPosition(record[1]), conversation: key,
                        createdAt: record.time(2), acknowledges: acknowledges))
            }
        }
        return found.sorted { $0.position < $1.position }
    }

    /// Whether a user's devices have said of anything that they have received it. Those of somebody to whom nothing had
    /// been sent before a time are taken to be about to.
    ///
    /// - Parameter limit: of conversations, and of messages of each, that are looked at.
    private func acknowledges(_ user: UserID, before time: Timestamp, limit: Int) throws(StoreError) -> Bool {
        let hasAcknowledged = try database.row(
            #"SELECT 1 FROM members m WHERE m."user" = ? AND m.delivered_seq > m.joined_seq LIMIT 1"#, [user.text])
        guard hasAcknowledged == nil else { return true }
        let wasSentSomething = try database.row(
            """
            SELECT 1 FROM (
                SELECT m.conversation, m.joined_seq FROM members m
                WHERE m."user" = ?1 AND m.is_open = 1 ORDER BY m.active_at DESC LIMIT ?2) AS c
            CROSS JOIN records r
            WHERE r.conversation = c.conversation AND r.seq > c.joined_seq AND r.seq <= c.joined_seq + ?2
                AND r.kind = 0 AND r.type <> 7 AND r.withheld = 0 AND r.sender <> ?1 AND r.created_at < ?3
            LIMIT 1
            """, [user.text, limit, time.milliseconds])
        return wasSentSomething == nil
    }
}
