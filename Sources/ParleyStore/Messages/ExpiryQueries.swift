import GRDB
import ParleyProtocol

// The changes of a disappearing message have its expiry too, so each record expires by its own.

extension RecordQueries {
    /// When the next ciphertext disappears, by the steady time; `nil` if none is to.
    package func nextExpiry() throws(StoreError) -> Timestamp? {
        try database.row(
            """
            SELECT disappears_at FROM records WHERE disappears_at IS NOT NULL AND content IS NOT NULL
            ORDER BY disappears_at LIMIT 1
            """)?.time(0)
    }

    /// Of whose conversations devices may show a message that expires, and its place there.
    package struct ShownExpiry: Hashable, Sendable {
        package let user: UserID
        package let conversation: ConversationKey
        package let seq: Int
    }

    /// Of the records that `RecordWrites.removeExpired` is about to take, those that somebody was notified of; of each
    /// conversation the last.
    ///
    /// - Parameter now: the steady time.
    package func shownExpiries(at now: Timestamp, limit: Int) throws(StoreError) -> [ShownExpiry] {
        let rows = try database.rows(
            """
            SELECT s."user", s.conversation, max(r.seq) FROM (
                SELECT conversation, seq FROM records
                WHERE disappears_at IS NOT NULL AND disappears_at <= ? AND content IS NOT NULL
                ORDER BY disappears_at LIMIT ?) AS r
            CROSS JOIN members m CROSS JOIN push_shown s
            WHERE m.conversation = r.conversation AND s."user" = m."user" AND s.conversation = m.conversation
                AND s.seq >= r.seq
            GROUP BY s."user", s.conversation
            """, [now.milliseconds, limit])
        var found: [ShownExpiry] = []
        while let row = try rows.next() {
            found.append(ShownExpiry(user: try row.level(0), conversation: ConversationKey(value: row[1]), seq: row[2]))
        }
        return found
    }
}

extension RecordWrites {
    /// Removes ciphertext that has expired, the oldest first, of no more than `limit` records.
    ///
    /// - Parameter now: the steady time.
    /// - Returns: of how many.
    package func removeExpired(at now: Timestamp, limit: Int) throws(StoreError) -> Int {
        try database.run(
            """
            UPDATE records SET content = NULL, nonce = NULL, recipient_keys = NULL WHERE position IN (
                SELECT position FROM records
                WHERE disappears_at IS NOT NULL AND disappears_at <= ? AND content IS NOT NULL
                ORDER BY disappears_at LIMIT ?)
            """, [now.milliseconds, limit])
        return database.changesCount
    }
}
