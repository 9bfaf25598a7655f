import GRDB
import ParleyProtocol
import ParleyRules

/// Writes boards of groups, and who stands on them.
package struct BoardWrites {
    let database: Database

    /// Makes a board on which nobody stands. There is only one of each group, week and type.
    ///
    /// - Parameter removal: when it is to be removed, by the steady time.
    package func insert(_ key: BoardKey, _ period: WeekPeriod, removal: Timestamp) throws(StoreError) -> BoardState {
        let values: [BoundValue] = [
            .integer(Int(key.group.value)), .integer(key.week.monday.daysSinceEpoch), .text(key.type.rawValue),
            .time(period.startsAt), .time(period.endsAt), .time(removal),
        ]
        try database.run([values], row: "(?, ?, ?, ?, ?, 1, 0, ?)") { rows in
            """
            INSERT INTO boards (of_group, week, type, starts_at, ends_at, version, published_version, removed_at)
            VALUES \(rows)
            """
        }
        return BoardState(
            key: key, period: period, version: 1, publishedVersion: 0, lapsesAt: nil, standings: Standings())
    }

    /// Removes a board no sooner than then, by the steady time.
    package func keep(_ key: BoardKey, until removal: Timestamp) throws(StoreError) {
        try database.run(
            "UPDATE boards SET removed_at = ? WHERE of_group = ? AND week = ? AND type = ? AND removed_at < ?",
            [
                removal.milliseconds, key.group.value, key.week.monday.daysSinceEpoch, key.type.rawValue,
                removal.milliseconds,
            ])
    }

    /// Writes what has changed of a board.
    package func update(_ old: BoardState, to new: BoardState) throws(StoreError) {
        try removeLines(of: old, missingIn: new)
        let changed = new.standings.lines.filter { old.standings[$0.user] != $0 }
        try database.run(
            changed.map { line in
                key(new.key) + [
                    .text(line.user.text), .integer(line.score.value), .time(line.score.reachedAt),
                    .time(line.joinedAt),
                    .integer(line.rank), .integer(line.previousRank), .time(line.score.lapsesAt),
                ]
            }, row: "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        ) { rows in
            """
            INSERT INTO board_entries (of_group, week, type, "user", value, reached_at, joined_at, rank, previous_rank,
                lapses_at)
            VALUES \(rows)
            ON CONFLICT (of_group, week, type, "user") DO UPDATE SET value = excluded.value,
                reached_at = excluded.reached_at, joined_at = excluded.joined_at, rank = excluded.rank,
                previous_rank = excluded.previous_rank, lapses_at = excluded.lapses_at
            """
        }
        guard
            (old.version, old.publishedVersion, old.lapsesAt?.milliseconds)
                != (new.version, new.publishedVersion, new.lapsesAt?.milliseconds)
        else { return }
        let statement = try HotStatement(
            """
            UPDATE boards SET version = ?, published_version = ?, lapses_at = ?
            WHERE of_group = ? AND week = ? AND type = ?
            """, database)
        let values: [BoundValue] =
            [.integer(new.version), .integer(new.publishedVersion), .time(new.lapsesAt)] + key(new.key)
        for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index + 1)) }
        try statement.run()
    }

    private func removeLines(of old: BoardState, missingIn new: BoardState) throws(StoreError) {
        for line in old.standings.lines where new.standings[line.user] == nil {
            try database.run(
                #"DELETE FROM board_entries WHERE of_group = ? AND week = ? AND type = ? AND "user" = ?"#,
                [
                    old.key.group.value, old.key.week.monday.daysSinceEpoch, old.key.type.rawValue, line.user.text,
                ])
        }
    }

    private func key(_ key: BoardKey) -> [BoundValue] {
        [.integer(Int(key.group.value)), .integer(key.week.monday.daysSinceEpoch), .text(key.type.rawValue)]
    }

    /// Removes boards whose time has come, the oldest first.
    ///
    /// - Returns: how many.
    package func removeExpired(at steady: Timestamp, limit: Int) throws(StoreError) -> Int {
        var keys: [BoardKey] = []
        let rows = try database.rows(
            "SELECT of_group, week, type FROM boards WHERE removed_at <= ? ORDER BY removed_at LIMIT ?",
            [steady.milliseconds, limit])
        while let row = try rows.next() {
            keys.append(
                BoardKey(
                    GroupKey(value: row[0]), ISOWeek(of: CivilDay(daysSinceEpoch: row.integer(1))), try row.choice(2)))
        }
        for key in keys { try remove(key) }
        return keys.count
    }

    private func remove(_ key: BoardKey) throws(StoreError) {
        let arguments: StatementArguments = [
            key.group.value, key.week.monday.daysSinceEpoch, key.type.rawValue,
        ]
        try database.run("DELETE FROM board_entries WHERE of_group = ? AND week = ? AND type = ?", arguments)
        try database.run("DELETE FROM boards WHERE of_group = ? AND week = ? AND type = ?", arguments)
    }

    /// Removes all boards of a group, and forgets which week it is in.
    package func removeAll(of group: GroupKey) throws(StoreError) {
        try database.run("DELETE FROM board_entries WHERE of_group = ?", [group.value])
        try database.run("DELETE FROM boards WHERE of_group = ?", [group.value])
        try database.run("DELETE FROM board_weeks WHERE of_group = ?", [group.value])
        try database.run("DELETE FROM ended_weeks WHERE of_group = ?", [group.value])
    }
}
