import GRDB
import ParleyProtocol
import ParleyRules

/// Which board: unique for group, week and type.
package struct BoardKey: Hashable, Sendable {
    package let group: GroupKey
    package let week: ISOWeek
    package let type: LeaderboardType

    package init(_ group: GroupKey, _ week: ISOWeek, _ type: LeaderboardType) {
        self.group = group
        self.week = week
        self.type = type
    }
}

/// A board as the gateway knows it.
package struct BoardState: Hashable, Sendable {
    package let key: BoardKey
    package let period: WeekPeriod
    package var version: Int
    /// The version that was last published, or need not be.
    package var publishedVersion: Int
    /// When the first of its streaks is over if no workout follows; `nil` when the week has ended.
    package var lapsesAt: Timestamp?
    package var standings: Standings

    package var isUnpublished: Bool { version > publishedVersion }
}

/// A member of a group, as its boards see them.
package struct BoardMember: Hashable, Sendable {
    package let user: UserID
    package let joinedAt: Timestamp
    /// Whether they are shown on boards.
    package let sharesWorkouts: Bool
}

/// A group that a user is in, as their workouts see it.
package struct TrainingPlace: Hashable, Sendable {
    package let group: GroupKey
    /// The IANA name of the zone in which its weeks begin.
    package let timeZone: String
    package let joinedAt: Timestamp
}

/// Boards of groups, and who stands on them.
package struct BoardQueries {
    let database: Database

    // MARK: Boards

    package func board(_ key: BoardKey) throws(StoreError) -> BoardState? {
        try boards(
            "WHERE of_group = ? AND week = ? AND type = ?",
            [
                .integer(Int(key.group.value)), .integer(key.week.monday.daysSinceEpoch), .text(key.type.rawValue),
            ]
        ).first
    }

    /// The boards of a group that take workouts: those of weeks that end after a time, the earliest first.
    package func boards(of group: GroupKey, endingAfter time: Timestamp) throws(StoreError) -> [BoardState] {
        try boards(
            "WHERE of_group = ? AND ends_at > ? ORDER BY week, type", [.integer(Int(group.value)), .time(time)])
    }

    /// The boards of a group on which a streak is over by then if no workout has followed.
    package func boards(of group: GroupKey, lapsedBy time: Timestamp) throws(StoreError) -> [BoardState] {
        try boards(
            "WHERE of_group = ? AND lapses_at <= ? ORDER BY week, type", [.integer(Int(group.value)), .time(time)])
    }

    /// The boards of a group on which a user stands.
    package func boards(of group: GroupKey, showing user: UserID) throws(StoreError) -> [BoardState] {
        try boards(
            """
            WHERE of_group = ? AND (week, type) IN (
                SELECT week, type FROM board_entries WHERE "user" = ? AND board_entries.of_group = boards.of_group)
            ORDER BY week, type
            """, [.integer(Int(group.value)), .text(user.text)])
    }

    /// Boards of a group that have changed since they were published.
    package func unpublished(of group: GroupKey) throws(StoreError) -> [BoardState] {
        try boards(
            "WHERE of_group = ? AND version > published_version ORDER BY week, type", [.integer(Int(group.value))])
    }

    private func boards(_ condition: String, _ values: [BoundValue]) throws(StoreError) -> [BoardState] {
        let statement = try HotStatement(
            """
            SELECT of_group, week, type, starts_at, ends_at, version, published_version, lapses_at FROM boards \(condition)
            """, database)
        for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index + 1)) }
        var found: [BoardState] = []
        do {
            defer { statement.reset() }
            while try statement.hasRow() { found.append(try BoardState(statement)) }
        }
        for index in found.indices { found[index].standings = try standings(of: found[index].key) }
        return found
    }

    private func standings(of board: BoardKey) throws(StoreError) -> Standings {
        let statement = try HotStatement(
            """
            SELECT "user", value, reached_at, joined_at, rank, previous_rank, lapses_at FROM board_entries
            WHERE of_group = ? AND week = ? AND type = ?
            """, database)
        try statement.bind(Int(board.group.value), at: 1)
        try statement.bind(board.week.monday.daysSinceEpoch, at: 2)
        try statement.bind(board.type.rawValue, at: 3)
        defer { statement.reset() }
        var lines: [Standing] = []
        while try statement.hasRow() {
            lines.append(
                Standing(
                    user: try statement.level(0),
                    score: BoardScore(
                        value: statement.integer(1), reachedAt: statement.time(2), lapsesAt: statement.optionalTime(6)),
                    joinedAt: statement.time(3), rank: statement.integer(4),
                    previousRank: statement.isNull(5) ? nil : statement.integer(5)))
        }
        return Standings(lines)
    }

    /// The names and pictures of those who stand on a board.
    package func people(on board: BoardKey) throws(StoreError) -> [UserID: (displayName: String, photoURL: String?)] {
        let statement = try HotStatement(
            """
            SELECT u.id, u.display_name, u.photo_url FROM board_entries e JOIN users u ON u.id = e."user"
            WHERE e.of_group = ? AND e.week = ? AND e.type = ?
            """, database)
        try statement.bind(Int(board.group.value), at: 1)
        try statement.bind(board.week.monday.daysSinceEpoch, at: 2)
        try statement.bind(board.type.rawValue, at: 3)
        defer { statement.reset() }
        var people: [UserID: (displayName: String, photoURL: String?)] = [:]
        while try statement.hasRow() {
            people[try statement.level(0)] = (statement.text(1), statement.optionalText(2))
        }
        return people
    }

    // MARK: People

    /// The groups of a person in the order in which they were made, and whether boards show them; `nil` for nobody, and
    /// for operators.
    package func places(of user: UserID) throws(StoreError) -> (places: [TrainingPlace], isShown: Bool)? {
        let statement = try HotStatement(
            """
            SELECT u.share_workout_data, g.key, g.time_zone, m.joined_at FROM users u
            LEFT JOIN members m ON m."user" = u.id LEFT JOIN groups g ON g.conversation = m.conversation
            WHERE u.id = ? AND u.role = 'member' ORDER BY g.key
            """, database)
        try statement.bind(user.text, at: 1)
        defer { statement.reset() }
        var (places, isShown): ([TrainingPlace], Bool?) = ([], nil)
        while try statement.hasRow() {
            isShown = statement.isTrue(0)
            // Their other conversations are no group's.
            guard !statement.isNull(1) else { continue }
            places.append(
                TrainingPlace(
                    group: GroupKey(value: Int64(statement.integer(1))), timeZone: statement.text(2),
                    joinedAt: statement.time(3)))
        }
        return isShown.map { (places, $0) }
    }

    /// The members of a group.
    package func members(of group: GroupKey) throws(StoreError) -> [BoardMember] {
        let statement = try HotStatement(
            """
            SELECT m."user", m.joined_at, u.share_workout_data FROM groups g
            JOIN members m ON m.conversation = g.conversation JOIN users u ON u.id = m."user"
            WHERE g.key = ? ORDER BY m."user"
            """, database)
        try statement.bind(Int(group.value), at: 1)
        defer { statement.reset() }
        var members: [BoardMember] = []
        while try statement.hasRow() {
            members.append(
                BoardMember(
                    user: try statement.level(0), joinedAt: statement.time(1), sharesWorkouts: statement.isTrue(2)))
        }
        return members
    }

    package func isMember(_ user: UserID, of group: GroupKey) throws(StoreError) -> Bool {
        let statement = try HotStatement(
            """
            SELECT 1 FROM groups g JOIN members m ON m.conversation = g.conversation WHERE g.key = ? AND m."user" = ?
            """, database)
        try statement.bind(Int(group.value), at: 1)
        try statement.bind(user.text, at: 2)
        defer { statement.reset() }
        return try statement.hasRow()
    }

    /// The groups on boards of which a user stands, the groups that they have left among them.
    package func groups(showing user: UserID) throws(StoreError) -> [GroupKey] {
        let rows = try database.rows(
            #"SELECT DISTINCT of_group FROM board_entries WHERE "user" = ? ORDER BY of_group"#, [user.text])
        var keys: [GroupKey] = []
        while let row = try rows.next() { keys.append(GroupKey(value: row[0])) }
        return keys
    }
}

extension BoardState {
    /// From of_group, week, type, starts_at, ends_at, version, published_version, lapses_at; without the standings.
    fileprivate init(_ row: HotStatement) throws(StoreError) {
        let week = ISOWeek(of: CivilDay(daysSinceEpoch: row.integer(1)))
        self.init(
            key: BoardKey(GroupKey(value: Int64(row.integer(0))), week, try row.choice(2)),
            period: WeekPeriod(week: week, startsAt: row.time(3), endsAt: row.time(4)), version: row.integer(5),
            publishedVersion: row.integer(6), lapsesAt: row.optionalTime(7), standings: Standings())
    }
}
