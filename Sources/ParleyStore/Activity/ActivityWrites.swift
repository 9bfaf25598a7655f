import Foundation
import GRDB
import ParleyProtocol
import ParleyRules

/// Writes what people have achieved, and reactions to it.
package struct ActivityWrites {
    let database: Database

    /// Where an item comes from.
    package enum Origin: Sendable {
        /// From a request with this digest.
        case posted(digest: [UInt8])
        /// From the gateway, which makes one for this.
        case made(for: String)
    }

    /// Adds an item, and removes what its user has no room for any more.
    ///
    /// - Parameter disappearsAt: when it is to be removed, by the steady time.
    /// - Returns: whether it was added; `false` where the gateway has made one for the same.
    package func insert(_ item: ActivityItem, _ origin: Origin, disappearsAt: Timestamp) throws(StoreError) -> Bool {
        let (digest, purpose): (Data?, String?) =
            switch origin {
            case .posted(let digest): (Data(digest), nil)
            case .made(let purpose): (nil, purpose)
            }
        try database.run(
            """
            INSERT INTO activities (key, id, "user", type, title, description, metadata, created_at, disappears_at, digest,
                made_for)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT ("user", made_for) DO NOTHING
            """,
            [
                try nextKey(at: item.timestamp), item.id.blob, item.user.text, item.type.name, item.title,
                item.description, Data(item.metadata), item.timestamp.milliseconds, disappearsAt.milliseconds, digest,
                purpose,
            ])
        guard database.changesCount > 0 else { return false }
        try database.run(
            """
            DELETE FROM activities WHERE key IN (
                SELECT key FROM activities WHERE "user" = ? ORDER BY key DESC LIMIT 64 OFFSET ?)
            """, [item.user.text, ActivityFeed.most])
        return true
    }

    /// The order is that of the time, so that the place of an item, which a cursor holds, says nothing of how much
    /// others have achieved.
    private func nextKey(at time: Timestamp) throws(StoreError) -> Int64 {
        let last: ActivityKey? = try database.row("SELECT max(key) FROM activities")?.key(0)
        return max((last?.value ?? 0) + 1, time.milliseconds * 1024)
    }

    /// Puts a reaction in the place of the user's earlier one.
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

    /// Removes items whose time has come, the oldest first, and no more than `limit`.
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
