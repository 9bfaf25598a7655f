import ParleyProtocol
import ParleyRules

package struct ActivityWrites {
    let database: Database

    /// Where an item comes from.
    package enum Origin: Sendable {
        /// By a request with this digest.
        case posted(digest: [UInt8])
        /// By the gateway, once for this key.
        case made(for: String)
    }

    /// Adds an item, and removes the user's oldest items beyond the most.
    ///
    /// - Parameter disappearsAt: by the steady time.
    /// - Returns: `false` where the gateway has made one for the same key.
    package func insert(_ item: ActivityItem, _ origin: Origin, disappearsAt: Timestamp) throws(StoreError) -> Bool {
        let (digest, purpose): ([UInt8]?, String?) =
            switch origin {
            case .posted(let digest): (digest, nil)
            case .made(let purpose): (nil, purpose)
            }
        let added = try database.change(
            """
            INSERT INTO activities (key, id, "user", type, title, description, metadata, created_at, disappears_at, digest,
                made_for)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT ("user", made_for) DO NOTHING
            """,
            [
                try nextKey(at: item.timestamp), item.id.blob, item.user.text, item.type.name, item.title,
                item.description, item.metadata, item.timestamp.milliseconds, disappearsAt.milliseconds, digest,
                purpose,
            ])
        guard added > 0 else { return false }
        try database.run(
            """
            DELETE FROM activities WHERE key IN (
                SELECT key FROM activities WHERE "user" = ? ORDER BY key DESC LIMIT 64 OFFSET ?)
            """, [item.user.text, ActivityFeed.most])
        return true
    }

    /// Ordered by time, so that a key in a cursor does not reveal how many items others have.
    private func nextKey(at time: Timestamp) throws(StoreError) -> Int64 {
        let last: ActivityKey? = try database.row("SELECT max(key) FROM activities")?.key(0)
        return max((last?.value ?? 0) + 1, time.milliseconds * 1024)
    }

    /// Replaces the user's reaction.
    package func react(_ user: UserID, _ emoji: Emoji, to key: ActivityKey, at now: Timestamp) throws(StoreError) {
        try database.run(
            """
            INSERT INTO activity_reactions (activity, "user", emoji, created_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (activity, "user") DO UPDATE SET emoji = excluded.emoji
            """, [key.value, user.text, emoji.text, now.milliseconds])
    }

    package func unreact(_ user: UserID, to key: ActivityKey) throws(StoreError) {
        try database.run(#"DELETE FROM activity_reactions WHERE activity = ? AND "user" = ?"#, [key.value, user.text])
    }

    /// Removes expired items, the oldest first.
    ///
    /// - Parameter now: the steady time.
    /// - Returns: how many.
    package func removeExpired(at now: Timestamp, limit: Int) throws(StoreError) -> Int {
        try database.change(
            """
            DELETE FROM activities WHERE key IN (
                SELECT key FROM activities WHERE disappears_at <= ? ORDER BY disappears_at LIMIT ?)
            """, [now.milliseconds, limit])
    }
}
