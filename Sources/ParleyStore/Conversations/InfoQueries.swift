import GRDB
import ParleyProtocol

// What is known of the `info` that the broker retains of conversations (protocol §2).

/// A user whose display name has changed, and how far `info` of their groups has been published with it.
package struct NameChange: Hashable, Sendable {
    package let user: UserID
    /// The last group of which it was published, in the order of their keys; `nil` before the first.
    package var publishedThrough: ConversationKey?
    /// Whether the name has changed again since the first was published.
    package var isStale: Bool
}

/// The groups whose `info` the broker retains.
package struct InfoQueries {
    let database: Database

    /// The groups in which a user is, by their keys: at most `limit` after one.
    package func groupConversations(
        of user: UserID, after key: ConversationKey?, limit: Int
    ) throws(StoreError) -> [ConversationKey] {
        // The signs keep the engine from scanning the members of all conversations to get the order.
        try database.list(
            """
            SELECT m.conversation FROM members m JOIN conversations c ON c.key = m.conversation
            WHERE m.user = ? AND +m.conversation > ? AND c.type = 'group' ORDER BY +m.conversation LIMIT ?
            """, [user.text, key?.value ?? Int64.min, limit]
        ) { $0.key(0) }
    }

    /// Groups in which somebody is, by their keys: at most `limit` after one.
    package func groupConversations(after key: ConversationKey?, limit: Int) throws(StoreError) -> [ConversationKey] {
        try database.list(
            """
            SELECT key FROM conversations WHERE type = 'group' AND key > ?
                AND EXISTS (SELECT 1 FROM members WHERE conversation = key) ORDER BY key LIMIT ?
            """, [key?.value ?? Int64.min, limit]
        ) { $0.key(0) }
    }
}

/// Users whose display name has changed, as long as `info` of their groups has to be published with it.
package struct NameChangeQueries {
    let database: Database

    /// When the next name is to be published, by the steady time.
    package func next() throws(StoreError) -> Timestamp? {
        try database.row("SELECT due_at FROM name_changes ORDER BY due_at LIMIT 1")?.time(0)
    }

    /// The user who has waited longest of those whose name is to be published by now.
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

/// Writes whose display name has changed, and how far that is published.
package struct NameChangeWrites {
    let database: Database

    /// Marks that a user has another display name. It is published from `due` on, or after the one before it.
    package func mark(of user: UserID, dueAt due: Timestamp) throws(StoreError) {
        try database.run(
            """
            INSERT INTO name_changes ("user", published_through, is_stale, due_at) VALUES (?, NULL, 0, ?)
            ON CONFLICT ("user") DO UPDATE
            SET is_stale = CASE WHEN name_changes.published_through IS NULL THEN 0 ELSE 1 END
            """, [user.text, due.milliseconds])
    }

    /// Writes how far a user's name has been published.
    ///
    /// - Parameter due: when there is more to do.
    package func update(_ change: NameChange, dueAt due: Timestamp) throws(StoreError) {
        try database.run(
            #"UPDATE name_changes SET published_through = ?, is_stale = ?, due_at = ? WHERE "user" = ?"#,
            [change.publishedThrough?.value, change.isStale, due.milliseconds, change.user.text])
    }

    package func remove(of user: UserID) throws(StoreError) {
        try database.run(#"DELETE FROM name_changes WHERE "user" = ?"#, [user.text])
    }
}
