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

extension Snapshot {
    /// The run of the broker that was last given everything that is to be retained on `info`.
    package func infoBroker() throws(StoreError) -> UInt64? {
        let row = try database.row("SELECT info_broker FROM publishing")
        return (row?[0] as Int64?).map(UInt64.init(bitPattern:))
    }

    /// When there is next something to be published of names, by the steady time.
    package func nextNameChange() throws(StoreError) -> Timestamp? {
        try database.row("SELECT due_at FROM name_changes ORDER BY due_at LIMIT 1")?.time(0)
    }

    /// The user who has waited longest of those whose name is to be published by now.
    package func dueNameChange(at steady: Timestamp) throws(StoreError) -> NameChange? {
        let row = try database.row(
            """
            SELECT "user", published_through, is_stale FROM name_changes WHERE due_at <= ?
            ORDER BY due_at, "user" LIMIT 1
            """, [steady.milliseconds])
        return try row.map { row throws(StoreError) in
            NameChange(
                user: try row.level(0), publishedThrough: (row[1] as Int64?).map(ConversationKey.init(value:)),
                isStale: row[2])
        }
    }

    /// The groups in which a user is, by their keys: at most `limit` after one.
    package func groups(
        of user: UserID, after key: ConversationKey?, limit: Int
    ) throws(StoreError) -> [ConversationKey] {
        // The signs keep the engine from walking all members of everything for the sake of the order.
        let rows = try database.rows(
            """
            SELECT m.conversation FROM members m JOIN conversations c ON c.key = m.conversation
            WHERE m.user = ? AND +m.conversation > ? AND c.type = 'group' ORDER BY +m.conversation LIMIT ?
            """, [user.text, key?.value ?? Int64.min, limit])
        var keys: [ConversationKey] = []
        while let row = try rows.next() { keys.append(ConversationKey(value: row[0])) }
        return keys
    }
}

extension WriteTransaction {
    /// This run of the broker has been given everything that is to be retained on `info`.
    package func noteInfoBroker(_ broker: UInt64) throws(StoreError) {
        try database.run("UPDATE publishing SET info_broker = ?", [Int64(bitPattern: broker)])
    }

    /// A user has another display name: to be published from then on, or when that of before has been published.
    package func noteNameChange(of user: UserID, dueAt due: Timestamp) throws(StoreError) {
        try database.run(
            """
            INSERT INTO name_changes ("user", published_through, is_stale, due_at) VALUES (?, NULL, 0, ?)
            ON CONFLICT ("user") DO UPDATE
            SET is_stale = CASE WHEN name_changes.published_through IS NULL THEN 0 ELSE 1 END
            """, [user.text, due.milliseconds])
    }

    /// Notes how far a user's name has been published.
    ///
    /// - Parameter due: when there is more to do.
    package func setNameChange(_ change: NameChange, dueAt due: Timestamp) throws(StoreError) {
        try database.run(
            #"UPDATE name_changes SET published_through = ?, is_stale = ?, due_at = ? WHERE "user" = ?"#,
            [change.publishedThrough?.value, change.isStale, due.milliseconds, change.user.text])
    }

    package func removeNameChange(of user: UserID) throws(StoreError) {
        try database.run(#"DELETE FROM name_changes WHERE "user" = ?"#, [user.text])
    }
}
