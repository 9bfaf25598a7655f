import ParleyProtocol

// The changes of a disappearing message have its expiry, so that each record expires by itself.

extension RecordQueries {
    /// When the next ciphertext disappears, by the steady time.
    package func nextExpiry() throws(StoreError) -> Timestamp? {
        try database.row(
            """
            SELECT disappears_at FROM records WHERE disappears_at IS NOT NULL AND content IS NOT NULL
            ORDER BY disappears_at LIMIT 1
            """)?.time(0)
    }

    /// The messages that `RecordWrites.removeExpired` removes next and that devices may display or count: unread for a
    /// user whose devices display anything.
    ///
    /// - Parameters:
    ///   - now: the steady time.
    ///   - mayDisplay: whether the devices of a user may display anything.
    package func displayedExpiries(
        at now: Timestamp, limit: Int, _ mayDisplay: (UserID) -> Bool
    ) throws(StoreError) -> [(conversation: ConversationKey, seq: Int)] {
        var found: [(conversation: ConversationKey, seq: Int)] = []
        try database.each(
            """
            SELECT r.conversation, r.seq, m."user" FROM (
                SELECT conversation, seq, kind, type, withheld FROM records
                WHERE disappears_at IS NOT NULL AND disappears_at <= ? AND content IS NOT NULL
                ORDER BY disappears_at, position LIMIT ?) AS r
            CROSS JOIN members m
            WHERE r.kind = 0 AND r.type <> 7 AND r.withheld = 0 AND m.conversation = r.conversation
                AND r.seq > m.read_seq AND r.seq > m.joined_seq
            ORDER BY r.conversation, r.seq
            """, [now.milliseconds, limit]
        ) { row in
            let (conversation, seq) = (row.key(0) as ConversationKey, row[1] as Int)
            if let last = found.last, last == (conversation, seq) { return }
            if mayDisplay(try row.level(2)) { found.append((conversation, seq)) }
        }
        return found
    }
}

extension RecordWrites {
    /// Removes expired ciphertext, the oldest first.
    ///
    /// - Parameter now: the steady time.
    /// - Returns: of how many records.
    package func removeExpired(at now: Timestamp, limit: Int) throws(StoreError) -> Int {
        try database.change(
            """
            UPDATE records SET content = NULL, nonce = NULL, recipient_keys = NULL WHERE position IN (
                SELECT position FROM records
                WHERE disappears_at IS NOT NULL AND disappears_at <= ? AND content IS NOT NULL
                ORDER BY disappears_at, position LIMIT ?)
            """, [now.milliseconds, limit])
    }
}
