import ParleyProtocol
import ParleyRules

package struct StoredActivity: Sendable {
    package let key: ActivityKey
    package let item: ActivityItem
    /// Of the request; `nil` for an item that the gateway created.
    package let digest: [UInt8]?
}

/// The activity of users.
package struct ActivityQueries {
    let database: Database

    /// The most reactions shown of an item: the viewer's own, then the earliest.
    package static let reactionsShown = 500

    private static let columns =
        #"a.key, a.id, a."user", a.type, a.title, a.description, a.metadata, a.created_at, a.digest"#

    /// Items of workouts are shown to others only while their owner shares workouts.
    private static let isShared =
        #"(a.type NOT IN ('streak_milestone', 'challenge_won') OR u.share_workout_data = 1)"#

    /// The item, if it is the viewer's own or a friend's who shares it.
    package func visibleItem(_ id: ActivityID, to viewer: UserID) throws(StoreError) -> StoredActivity? {
        try database.first(
            """
            SELECT \(ActivityQueries.columns) FROM activities a JOIN users u ON u.id = a."user"
            WHERE a.id = ?1 AND (a."user" = ?2 OR \(ActivityQueries.isShared)
                AND EXISTS (SELECT 1 FROM follows WHERE follower = ?2 AND followed = a."user")
                AND EXISTS (SELECT 1 FROM follows WHERE follower = a."user" AND followed = ?2))
            """, [id.blob, viewer.text]
        ) { try stored($0, seenBy: viewer) }
    }

    /// The item of any user, with the reactions that `viewer` sees.
    package func item(_ id: ActivityID, seenBy viewer: UserID) throws(StoreError) -> StoredActivity? {
        try database.first("SELECT \(ActivityQueries.columns) FROM activities a WHERE a.id = ?", [id.blob]) {
            try stored($0, seenBy: viewer)
        }
    }

    /// Items before `key`, the newest first, until `body` returns `false`: the viewer's own and their friends', or
    /// those of `owner`, whom the viewer may see.
    package func read(
        of owner: UserID?, seenBy viewer: UserID, before key: ActivityKey?, _ body: (StoredActivity) throws -> Bool
    ) throws {
        var newest = try owner.map { try self.newest(of: $0, before: key) } ?? newestOfFriends(of: viewer, before: key)
        while let next = newest.popLast() {
            if let item = try item(at: next.key, seenBy: viewer), try !body(item) { return }
            guard let following = try self.newest(of: next.user, before: next.key).first else { continue }
            let index = newest.partitioningIndex { following.key < $0.key }
            newest.insert(following, at: index)
        }
    }

    private struct Newest {
        let user: UserID
        let key: ActivityKey
    }

    private func newest(of user: UserID, before key: ActivityKey?) throws(StoreError) -> [Newest] {
        try database.list(
            #"SELECT max(a.key) FROM activities a WHERE a."user" = ? AND a.key < ?"#, [user.text, key?.value ?? .max]
        ) { row in row.isNull(0) ? nil : Newest(user: user, key: row.key(0)) }.compactMap { $0 }
    }

    /// The newest item of each friend and of the user, the newest last.
    private func newestOfFriends(of user: UserID, before key: ActivityKey?) throws(StoreError) -> [Newest] {
        let friends = try database.list(
            """
            SELECT one.followed, (SELECT max(a.key) FROM activities a WHERE a."user" = one.followed AND a.key < ?1)
            FROM follows one
            JOIN follows other ON other.follower = one.followed AND other.followed = one.follower
            WHERE one.follower = ?2
            """, [key?.value ?? .max, user.text]
        ) { row in row.isNull(1) ? nil : Newest(user: try row.level(0), key: row.key(1)) }
        return (try newest(of: user, before: key) + friends.compactMap { $0 }).sorted { $0.key < $1.key }
    }

    /// - Returns: `nil` for an item that its owner does not share.
    private func item(at key: ActivityKey, seenBy viewer: UserID) throws(StoreError) -> StoredActivity? {
        try database.first(
            """
            SELECT \(ActivityQueries.columns) FROM activities a JOIN users u ON u.id = a."user"
            WHERE a.key = ? AND (a."user" = ? OR \(ActivityQueries.isShared))
            """, [key.value, viewer.text]
        ) { try stored($0, seenBy: viewer) }
    }

    private func stored(_ row: Row, seenBy viewer: UserID) throws(StoreError) -> StoredActivity {
        let key: ActivityKey = row.key(0)
        return StoredActivity(
            key: key,
            item: ActivityItem(
                id: try row.uuid(1), user: try row.level(2), type: Named(row[3]), title: row[4], description: row[5],
                metadata: row.bytes(6) ?? [], timestamp: row.time(7), reactions: try reactions(to: key, seenBy: viewer)),
            digest: row.bytes(8))
    }

    /// The viewer's own and those of their friends.
    private func reactions(to key: ActivityKey, seenBy viewer: UserID) throws(StoreError) -> [UserID: String] {
        let reactions: [(UserID, String)] = try database.list(
            """
            SELECT r."user", r.emoji FROM activity_reactions r WHERE r.activity = ?1 AND (r."user" = ?2
                OR EXISTS (SELECT 1 FROM follows WHERE follower = ?2 AND followed = r."user")
                    AND EXISTS (SELECT 1 FROM follows WHERE follower = r."user" AND followed = ?2))
            ORDER BY CASE WHEN r."user" = ?2 THEN 0 ELSE 1 END, r.created_at, r."user" LIMIT ?3
            """, [key.value, viewer.text, ActivityQueries.reactionsShown]
        ) { (try $0.level(0), $0[1]) }
        return Dictionary(uniqueKeysWithValues: reactions)
    }

    /// By the steady time.
    package func nextRemoval() throws(StoreError) -> Timestamp? {
        try database.row("SELECT min(disappears_at) FROM activities")?.optionalTime(0)
    }
}

extension Array {
    /// The first index for whose element the condition holds; it holds for all behind it.
    fileprivate func partitioningIndex(where isBehind: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
