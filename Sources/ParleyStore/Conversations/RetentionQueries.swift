import ParleyProtocol

/// A conversation of which records may be kept no longer.
package struct RetainedConversation: Hashable, Sendable {
    package let key: ConversationKey
    /// Its own, in days; 0 for ever, `nil` without one.
    package let days: Int?
    /// Up to here its records were looked at, and have no ciphertext any more.
    package let removedThrough: Int
}

/// A record that may be kept no longer.
package struct RetainedRecord: Hashable, Sendable {
    package let position: StreamPosition
    package let seq: Int
    package let hasCiphertext: Bool
}

package struct RetentionQueries {
    let database: Database

    /// A conversation's own, in days; 0 for ever, `nil` without one.
    package func days(of conversation: ConversationKey) throws(StoreError) -> Int? {
        try database.first("SELECT days FROM retentions WHERE conversation = ?", [conversation.value]) {
            $0.integer(0)
        }
    }

    /// Whether any conversation has one of its own.
    package func hasOwn() throws(StoreError) -> Bool {
        try database.row("SELECT 1 FROM retentions WHERE days > 0 LIMIT 1") != nil
    }

    /// Conversations behind a key, in the order of their keys.
    ///
    /// - Parameter ownAlone: without those that have no retention of their own.
    package func conversations(
        after key: ConversationKey, ownAlone: Bool, limit: Int
    ) throws(StoreError) -> [RetainedConversation] {
        let sql =
            ownAlone
            ? """
            SELECT t.conversation, t.days, m.removed_through
            FROM retentions t LEFT JOIN retention_marks m ON m.conversation = t.conversation
            WHERE t.conversation > ? ORDER BY t.conversation LIMIT ?
            """
            : """
            SELECT c.key, t.days, m.removed_through
            FROM conversations c LEFT JOIN retentions t ON t.conversation = c.key
            LEFT JOIN retention_marks m ON m.conversation = c.key
            WHERE c.key > ? ORDER BY c.key LIMIT ?
            """
        return try database.list(sql, [key.value, limit]) { row in
            RetainedConversation(key: row.key(0), days: row.optionalInteger(1), removedThrough: row.integer(2))
        }
    }

    /// The first records behind a seq, up to the first that is not older than a time.
    package func records(
        of conversation: ConversationKey, after seq: Int, before time: Timestamp, limit: Int
    ) throws -> [RetainedRecord] {
        var found: [RetainedRecord] = []
        try database.read(
            """
            SELECT position, seq, content IS NOT NULL, created_at FROM records
            WHERE conversation = ? AND seq > ? ORDER BY seq LIMIT ?
            """, [conversation.value, seq, limit]
        ) { row in
            guard row.time(3) < time else { return false }
            found.append(
                RetainedRecord(
                    position: StreamPosition(row.integer(0)), seq: row.integer(1), hasCiphertext: row.isTrue(2)))
            return true
        }
        return found
    }
}

package struct RetentionWrites {
    let database: Database

    /// - Parameter days: 0 for ever; `nil` for none of its own.
    package func set(_ days: Int?, of conversation: ConversationKey) throws(StoreError) {
        guard let days else {
            return try database.run("DELETE FROM retentions WHERE conversation = ?", [conversation.value])
        }
        try database.run(
            """
            INSERT INTO retentions (conversation, days) VALUES (?, ?)
            ON CONFLICT (conversation) DO UPDATE SET days = excluded.days
            """, [conversation.value, days])
    }

    /// Records up to here have no ciphertext any more.
    package func setRemoved(through seq: Int, of conversation: ConversationKey) throws(StoreError) {
        try database.run(
            """
            INSERT INTO retention_marks (conversation, removed_through) VALUES (?, ?)
            ON CONFLICT (conversation) DO UPDATE SET removed_through = excluded.removed_through
            """, [conversation.value, seq])
    }
}
