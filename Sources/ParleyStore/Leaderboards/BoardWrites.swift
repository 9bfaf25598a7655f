import ParleyProtocol
import ParleyRules

package struct BoardWrites {
    let database: Database

    /// Creates an empty board.
    ///
    /// - Parameter removal: when it is removed, by the steady time.
    package func insert(_ key: BoardKey, _ period: WeekPeriod, removal: Timestamp) throws(StoreError) -> BoardState {
        try database.run(
            """
            INSERT INTO boards (of_group, week, type, starts_at, ends_at, removed_at, version, published_version)
            VALUES (?, ?, ?, ?, ?, ?, 1, 0)
            """, key.arguments + [period.startsAt, period.endsAt, removal])
        return BoardState(
            key: key, period: period, version: 1, publishedVersion: 0, lapsesAt: nil, standings: Standings())
    }

    /// Postpones the removal of a board, by the steady time.
    package func keep(_ key: BoardKey, until removal: Timestamp) throws(StoreError) {
        try database.run(
            "UPDATE boards SET removed_at = ?4 WHERE of_group = ?1 AND week = ?2 AND type = ?3 AND removed_at < ?4",
            key.arguments + [removal.milliseconds])
    }

    package func update(_ old: BoardState, to new: BoardState) throws(StoreError) {
        try removeLines(of: old, missingIn: new)
        let changed = new.standings.lines.filter { old.standings[$0.user] != $0 }
        try database.run(
            changed.map { line in
                new.key.arguments.values + [
                    .text(line.user.text), .integer(line.score.value), .time(line.score.reachedAt),
                    .time(line.joinedAt), .integer(line.rank), .integer(line.previousRank), .time(line.score.lapsesAt),
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
        try database.run(
            """
            UPDATE boards SET version = ?, published_version = ?, lapses_at = ?
            WHERE of_group = ? AND week = ? AND type = ?
            """, [new.version, new.publishedVersion, new.lapsesAt] + new.key.arguments)
    }

    private func removeLines(of old: BoardState, missingIn new: BoardState) throws(StoreError) {
        for line in old.standings.lines where new.standings[line.user] == nil {
            try database.run(
                #"DELETE FROM board_entries WHERE of_group = ? AND week = ? AND type = ? AND "user" = ?"#,
                old.key.arguments + [line.user.text])
        }
    }

    /// Removes expired boards, the oldest first.
    ///
    /// - Returns: how many.
    package func removeExpired(at steady: Timestamp, limit: Int) throws(StoreError) -> Int {
        let keys = try database.list(
            "SELECT of_group, week, type FROM boards WHERE removed_at <= ? ORDER BY removed_at LIMIT ?",
            [steady.milliseconds, limit]
        ) { row in BoardKey(row.key(0), row.week(1), try row.choice(2)) }
        for key in keys {
            for table in ["board_entries", "boards"] {
                try database.run("DELETE FROM \(table) WHERE of_group = ? AND week = ? AND type = ?", key.arguments)
            }
        }
        return keys.count
    }

    /// Removes all boards of a group and its weeks.
    package func removeAll(of group: GroupKey) throws(StoreError) {
        for table in ["board_entries", "boards", "board_weeks", "ended_weeks"] {
            try database.run("DELETE FROM \(table) WHERE of_group = ?", [group.value])
        }
    }
}
