import ParleyProtocol

/// A changed display name, which `info` of the user's groups (protocol §2) is published with.
package struct NameChange: Hashable, Sendable {
    package let user: UserID
    /// The last group, by key, whose `info` was published; `nil` before the first.
    package var publishedThrough: ConversationKey?
    /// Whether the name has changed again since then.
    package var isStale: Bool
}

/// The groups whose `info` the broker retains.
package struct InfoQueries {
    let database: Database

    /// A user's group conversations by key, after one.
    package func groupConversations(
        of user: UserID, after key: ConversationKey?, limit: Int
    ) throws(StoreError) -> [ConversationKey] {
        // The signs keep SQLite from scanning the members of all conversations for the order.
        try database.list(
            """
            SELECT m.conversation FROM members m JOIN conversations c ON c.key = m.conversation
            WHERE m.user = ? AND +m.conversation > ? AND c.type = 'group' ORDER BY +m.conversation LIMIT ?
            """, [user.text, key?.value ?? Int64.min, limit]
        ) { $0.key(0) }
    }

    /// Group conversations with members by key, after one.
    package func groupConversations(after key: ConversationKey?, limit: Int) throws(StoreError) -> [ConversationKey] {
        try database.list(
            """
            SELECT key FROM conversations WHERE type = 'group' AND key > ?
                AND EXISTS (SELECT 1 FROM members WHERE conversation = key) ORDER BY key LIMIT ?
            """, [key?.value ?? Int64.min, limit]
        ) { $0.key(0) }
    }
}

package struct NameChangeQueries {
    let database: Database

    /// By the steady time.
    package func next() throws(StoreError) -> Timestamp? {
        try database.row("SELECT due_at FROM name_changes ORDER BY due_at LIMIT 1")?.time(0)
    }

    /// The change that is due the longest.
    package func due(at steady: Timestamp) throws(StoreError) -> NameChange? {
        try database.first(
            """
            SELECT "user", published_through, is_stale FROM name_changes WHERE due_at <= ?
            ORDER BY due_at, "user" LIMIT 1
            """, [steady.milliseconds]
        ) { row in
            NameChange(
                user: try row.level(0), publishedThrough: (row[1] as Int64?).map(ConversationKey.init(value:)),
                isStale: row[2])
        }
    }
}

package struct NameChangeWrites {
    let database: Database

    /// Stores a change, due then or after the user's last change.
    package func mark(of user: UserID, dueAt due: Timestamp) throws(StoreError) {
        try database.run(
            """
            INSERT INTO name_changes ("user", published_through, is_stale, due_at) VALUES (?, NULL, 0, ?)
            ON CONFLICT ("user") DO UPDATE
            SET is_stale = CASE WHEN name_changes.published_through IS NULL THEN 0 ELSE 1 END
            """, [user.text, due.milliseconds])
    }

    /// - Parameter due: of the next part.
    package func update(_ change: NameChange, dueAt due: Timestamp) throws(StoreError) {
        try database.run(
            #"UPDATE name_changes SET published_through = ?, is_stale = ?, due_at = ? WHERE "user" = ?"#,
            [change.publishedThrough?.value, change.isStale, due.milliseconds, change.user.text])
    }

    package func remove(of user: UserID) throws(StoreError) {
        try database.run(#"DELETE FROM name_changes WHERE "user" = ?"#, [user.text])
    }
}
