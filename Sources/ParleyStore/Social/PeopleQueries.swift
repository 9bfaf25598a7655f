import ParleyProtocol

package struct PersonListing: Hashable, Sendable {
    package let user: UserID
    package let displayName: String
    package let photoURL: String?
    package let since: Timestamp
}

/// The cursor of a list from the newest to the oldest: later entries are older, or as old with a lesser id.
package struct ListPosition: Hashable, Sendable {
    package let time: Timestamp
    package let user: UserID

    package init(time: Timestamp, user: UserID) { (self.time, self.user) = (time, user) }
}

// A blocked user may still follow the blocker, and is hidden from the blocker alone.

/// Lists of people: followers, following, blocked.
package struct PeopleQueries {
    let database: Database

    /// A page of a list as `viewer` sees it, the newest first.
    package func page(
        _ list: PeopleList, of owner: UserID, seenBy viewer: UserID, after position: ListPosition?, limit: Int
    ) throws(StoreError) -> [PersonListing] {
        let source =
            switch list {
            case .followers:
                """
                SELECT f.follower AS "user", f.created_at AS at FROM follows f WHERE f.followed = ?1
                AND NOT (?1 = ?2 AND EXISTS (SELECT 1 FROM blocks WHERE blocker = ?1 AND blocked = f.follower))
                """
            case .following:
                """
                SELECT f.followed AS "user", f.created_at AS at FROM follows f WHERE f.follower = ?1
                AND NOT (f.followed = ?2 AND EXISTS (SELECT 1 FROM blocks WHERE blocker = ?2 AND blocked = ?1))
                """
            case .blocked:
                #"SELECT f.blocked AS "user", f.created_at AS at FROM blocks f WHERE f.blocker = ?1 AND ?2 = ?1"#
            }
        let column =
            switch list {
            case .followers: "f.follower"
            case .following: "f.followed"
            case .blocked: "f.blocked"
            }
        return try database.list(
            """
            SELECT l.user, u.display_name, u.photo_url, l.at FROM (
                \(source) AND (f.created_at, \(column)) < (?3, ?4)
                ORDER BY f.created_at DESC, \(column) DESC LIMIT ?5
            ) l JOIN users u ON u.id = l.user ORDER BY l.at DESC, l.user DESC
            """,
            [
                owner.text, viewer.text, position?.time.milliseconds ?? Int64.max, position?.user.text ?? "", limit,
            ]
        ) { PersonListing(user: try $0.level(0), displayName: $0[1], photoURL: $0[2], since: $0.time(3)) }
    }

    /// The lengths of the lists as `viewer` sees them, counted by an index, less the few entries hidden by blocks.
    package func followCounts(of owner: UserID, seenBy viewer: UserID) throws(StoreError) -> FollowCounts {
        let row = try database.row(
            """
            SELECT
                (SELECT count(*) FROM follows WHERE followed = ?1)
                - (SELECT count(*) FROM blocks b WHERE b.blocker = ?1 AND ?1 = ?2
                    AND EXISTS (SELECT 1 FROM follows WHERE follower = b.blocked AND followed = ?1)),
                (SELECT count(*) FROM follows WHERE follower = ?1)
                - (SELECT count(*) FROM blocks b WHERE b.blocker = ?2 AND b.blocked = ?1
                    AND EXISTS (SELECT 1 FROM follows WHERE follower = ?1 AND followed = ?2))
            """, [owner.text, viewer.text])
        return FollowCounts(followers: row?[0] ?? 0, following: row?[1] ?? 0)
    }
}
