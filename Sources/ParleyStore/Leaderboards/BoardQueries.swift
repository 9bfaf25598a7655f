import ParleyProtocol
import ParleyRules

/// Names a board.
package struct BoardKey: Hashable, Sendable {
    package let group: GroupKey
    package let week: ISOWeek
    package let type: LeaderboardType

    package init(_ group: GroupKey, _ week: ISOWeek, _ type: LeaderboardType) {
        (self.group, self.week, self.type) = (group, week, type)
    }

    /// As of_group, week and type.
    var arguments: Arguments { [group, week, type.rawValue] }
}

package struct BoardState: Hashable, Sendable {
    package let key: BoardKey
    package let period: WeekPeriod
    package var version: Int
    /// The last version that was published or need not be.
    package var publishedVersion: Int
    /// When its first streak expires if no workout follows; `nil` after the week.
    package var lapsesAt: Timestamp?
    package var standings: Standings

    package var isUnpublished: Bool { version > publishedVersion }
}

/// A member of a group, as its boards see them.
package struct BoardMember: Hashable, Sendable {
    package let user: UserID
    package let joinedAt: Timestamp
    /// Whether boards show them.
    package let sharesWorkouts: Bool
}

/// A user's membership in a group, as their workouts see it.
package struct GroupMembership: Hashable, Sendable {
    package let group: GroupKey
    /// The IANA name of the zone in which its weeks begin.
    package let timeZone: String
    package let joinedAt: Timestamp
}

/// Boards and their entries.
package struct BoardQueries {
    let database: Database

    // MARK: Boards

    package func board(_ key: BoardKey) throws(StoreError) -> BoardState? {
        try boards("WHERE of_group = ? AND week = ? AND type = ?", key.arguments).first
    }

    /// The boards of a group whose weeks end after a time, the earliest first.
    package func boards(of group: GroupKey, endingAfter time: Timestamp) throws(StoreError) -> [BoardState] {
        try boards("WHERE of_group = ? AND ends_at > ? ORDER BY week, type", [group, time])
    }

    /// The boards of a group with a streak that expires by a time.
    package func boards(of group: GroupKey, lapsedBy time: Timestamp) throws(StoreError) -> [BoardState] {
        try boards("WHERE of_group = ? AND lapses_at <= ? ORDER BY week, type", [group, time])
    }

    /// The boards of a group that show a user.
    package func boards(of group: GroupKey, showing user: UserID) throws(StoreError) -> [BoardState] {
        try boards(
            """
            WHERE of_group = ? AND (week, type) IN (
                SELECT week, type FROM board_entries WHERE "user" = ? AND board_entries.of_group = boards.of_group)
            ORDER BY week, type
            """, [group, user.text])
    }

    package func unpublished(of group: GroupKey) throws(StoreError) -> [BoardState] {
        try boards("WHERE of_group = ? AND version > published_version ORDER BY week, type", [group])
    }

    private func boards(_ condition: String, _ arguments: Arguments) throws(StoreError) -> [BoardState] {
        var found = try database.list(
            """
            SELECT of_group, week, type, starts_at, ends_at, version, published_version, lapses_at FROM boards \(condition)
            """, arguments, BoardState.init)
        for index in found.indices { found[index].standings = try standings(of: found[index].key) }
        return found
    }

    private func standings(of board: BoardKey) throws(StoreError) -> Standings {
        let lines = try database.list(
            """
            SELECT "user", value, reached_at, joined_at, rank, previous_rank, lapses_at FROM board_entries
            WHERE of_group = ? AND week = ? AND type = ?
            """, board.arguments
        ) { row in
            Standing(
                user: try row.level(0),
                score: BoardScore(value: row.integer(1), reachedAt: row.time(2), lapsesAt: row.optionalTime(6)),
                joinedAt: row.time(3), rank: row.integer(4), previousRank: row.optionalInteger(5))
        }
        return Standings(lines)
    }

    /// The names and pictures of the users on a board.
    package func people(on board: BoardKey) throws(StoreError) -> [UserID: (displayName: String, photoURL: String?)] {
        let people = try database.list(
            """
            SELECT u.id, u.display_name, u.photo_url FROM board_entries e JOIN users u ON u.id = e."user"
            WHERE e.of_group = ? AND e.week = ? AND e.type = ?
            """, board.arguments
        ) { row in (try row.level(0) as UserID, (displayName: row.text(1), photoURL: row.optionalText(2))) }
        return Dictionary(uniqueKeysWithValues: people)
    }

    // MARK: People

    /// A user's memberships in the order of the groups' creation, and whether boards show the user; `nil` for unknown
    /// users and operators.
    package func memberships(of user: UserID) throws(StoreError) -> (memberships: [GroupMembership], isShown: Bool)? {
        let rows = try database.list(
            """
            SELECT u.share_workout_data, g.key, g.time_zone, m.joined_at FROM users u
            LEFT JOIN members m ON m."user" = u.id LEFT JOIN groups g ON g.conversation = m.conversation
            WHERE u.id = ? AND u.role = 'member' ORDER BY g.key
            """, [user.text]
        ) { row in
            // NULL for a conversation that is no training group's.
            (
                isShown: row.isTrue(0),
                membership: row.isNull(1)
                    ? nil : GroupMembership(group: row.key(1), timeZone: row.text(2), joinedAt: row.time(3))
            )
        }
        return rows.last.map { (rows.compactMap(\.membership), $0.isShown) }
    }

    package func members(of group: GroupKey) throws(StoreError) -> [BoardMember] {
        try database.list(
            """
            SELECT m."user", m.joined_at, u.share_workout_data FROM groups g
            JOIN members m ON m.conversation = g.conversation JOIN users u ON u.id = m."user"
            WHERE g.key = ? ORDER BY m."user"
            """, [group]
        ) { BoardMember(user: try $0.level(0), joinedAt: $0.time(1), sharesWorkouts: $0.isTrue(2)) }
    }

    package func isMember(_ user: UserID, of group: GroupKey) throws(StoreError) -> Bool {
        try database.first(
            """
            SELECT 1 FROM groups g JOIN members m ON m.conversation = g.conversation WHERE g.key = ? AND m."user" = ?
            """, [group, user.text]
        ) { _ in true } ?? false
    }

    /// The groups whose boards show a user, also after they have left.
    package func groups(showing user: UserID) throws(StoreError) -> [GroupKey] {
        try database.list(
            #"SELECT DISTINCT of_group FROM board_entries WHERE "user" = ? ORDER BY of_group"#, [user.text]
        ) { $0.key(0) }
    }
}

extension BoardState {
    /// Without the standings.
    fileprivate init(_ row: Row) throws(StoreError) {
        self.init(
            key: BoardKey(row.key(0), row.week(1), try row.choice(2)),
            period: WeekPeriod(week: row.week(1), startsAt: row.time(3), endsAt: row.time(4)), version: row.integer(5),
            publishedVersion: row.integer(6), lapsesAt: row.optionalTime(7), standings: Standings())
    }
}
