import GRDB
import ParleyProtocol
import ParleyRules

/// The week that runs for a group, as far as the gateway has come.
package struct BoardWeek: Hashable, Sendable {
    package let group: GroupKey
    package let id: GroupID
    /// The IANA name of the zone in which the group's weeks begin.
    package let timeZone: String
    package var period: WeekPeriod
    /// Whether something was done after it that was logged before its end. It is counted when the next week begins.
    package var isAhead: Bool

    package init(group: GroupKey, id: GroupID, timeZone: String, period: WeekPeriod, isAhead: Bool = false) {
        (self.group, self.id, self.timeZone, self.period) = (group, id, timeZone, period)
        self.isAhead = isAhead
    }
}

/// A week of a group that has ended.
package struct EndedWeek: Hashable, Sendable {
    package let group: GroupKey
    package let id: GroupID
    package let week: ISOWeek
    package let endedAt: Timestamp
}

/// Which week runs for each group, and when something about boards is next to be done.
package struct BoardWeekQueries {
    let database: Database

    private static let select = """
        SELECT w.of_group, g.id, g.time_zone, w.week, w.starts_at, w.ends_at, w.is_ahead FROM board_weeks w
        JOIN groups g ON g.key = w.of_group
        """

    package func week(of group: GroupKey) throws(StoreError) -> BoardWeek? {
        try weeks("\(BoardWeekQueries.select) WHERE w.of_group = ?", [.key(group)]).first
    }

    /// Groups whose week is over, or has not begun because the clock was set back.
    package func due(at now: Timestamp, limit: Int) throws(StoreError) -> [BoardWeek] {
        let over = try weeks(
            "\(BoardWeekQueries.select) WHERE w.ends_at <= ? ORDER BY w.ends_at, w.of_group LIMIT ?",
            [.time(now), .integer(limit)])
        guard over.count < limit else { return over }
        return over
            + (try weeks(
                "\(BoardWeekQueries.select) WHERE w.starts_at > ? ORDER BY w.starts_at, w.of_group LIMIT ?",
                [.time(now), .integer(limit - over.count)]))
    }

    /// All groups in the order of their keys, after one.
    package func weeks(after group: GroupKey?, limit: Int) throws(StoreError) -> [BoardWeek] {
        try weeks(
            "\(BoardWeekQueries.select) WHERE w.of_group > ? ORDER BY w.of_group LIMIT ?",
            [.key(group ?? GroupKey(value: .min)), .integer(limit)])
    }

    private func weeks(_ sql: String, _ values: [BoundValue]) throws(StoreError) -> [BoardWeek] {
        try database.hotList(sql, values) { row in
            BoardWeek(
                group: row.key(0), id: try row.uuid(1), timeZone: row.text(2),
                period: WeekPeriod(week: row.week(3), startsAt: row.time(4), endsAt: row.time(5)),
                isAhead: row.isTrue(6))
        }
    }

    /// When the next week of a group ends.
    package func nextEnd() throws(StoreError) -> Timestamp? {
        try database.row("SELECT ends_at FROM board_weeks ORDER BY ends_at LIMIT 1")?.time(0)
    }

    /// When the next streak is over, if no workout follows.
    package func nextLapse() throws(StoreError) -> Timestamp? {
        try database.row("SELECT lapses_at FROM boards WHERE lapses_at IS NOT NULL ORDER BY lapses_at LIMIT 1")?.time(0)
    }

    /// When the next board is removed, by the steady time.
    package func nextRemoval() throws(StoreError) -> Timestamp? {
        try database.row("SELECT removed_at FROM boards ORDER BY removed_at LIMIT 1")?.time(0)
    }

    /// Groups with a streak that is over by now.
    package func lapsed(at now: Timestamp, limit: Int) throws(StoreError) -> [GroupKey] {
        try database.list(
            """
            SELECT of_group FROM boards WHERE lapses_at IS NOT NULL AND lapses_at <= ? ORDER BY lapses_at, of_group LIMIT ?
            """, [now.milliseconds, limit]
        ) { $0.key(0) }
    }

    /// Groups with boards that have changed since they were published.
    package func unpublished() throws(StoreError) -> [GroupKey] {
        try database.list(
            "SELECT DISTINCT of_group FROM boards WHERE version > published_version ORDER BY of_group"
        ) { $0.key(0) }
    }

    /// Weeks that have ended, of which the members are yet to be notified.
    package func ended(limit: Int) throws(StoreError) -> [EndedWeek] {
        try database.list(
            """
            SELECT e.of_group, g.id, e.week, e.ended_at FROM ended_weeks e JOIN groups g ON g.key = e.of_group
            ORDER BY e.of_group, e.week LIMIT ?
            """, [limit]
        ) { row in EndedWeek(group: row.key(0), id: try row.uuid(1), week: row.week(2), endedAt: row.time(3)) }
    }

    /// How far the time of day was ahead of the steady time when all boards were last brought up to it, in
    /// milliseconds.
    package func clockOffset() throws(StoreError) -> Int64? {
        try database.row("SELECT boards_steps FROM publishing")?[0]
    }
}

/// Writes which week runs for each group, and what was done for all of them.
package struct BoardWeekWrites {
    let database: Database

    /// The week that runs from now on, in which nothing was done ahead of it.
    package func put(_ week: BoardWeek) throws(StoreError) {
        let period = week.period
        try database.hotRun(
            """
            INSERT INTO board_weeks (of_group, week, starts_at, ends_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (of_group) DO UPDATE SET week = excluded.week, starts_at = excluded.starts_at,
                ends_at = excluded.ends_at, is_ahead = 0
            """, [.key(week.group), .week(period.week), .time(period.startsAt), .time(period.endsAt)])
    }

    /// Something was done after the week that runs.
    package func markAhead(_ group: GroupKey) throws(StoreError) {
        try database.run("UPDATE board_weeks SET is_ahead = 1 WHERE of_group = ?", [group.value])
    }

    /// Adds a week that has ended to those of which members are to be notified.
    package func putEnded(_ week: BoardWeek) throws(StoreError) {
        try database.hotRun(
            """
            INSERT INTO ended_weeks (of_group, week, ended_at) VALUES (?, ?, ?)
            ON CONFLICT (of_group, week) DO UPDATE SET ended_at = excluded.ended_at
            """, [.key(week.group), .week(week.period.week), .time(week.period.endsAt)])
    }

    /// Removes a week of which the members are notified.
    package func removeEnded(_ week: ISOWeek, of group: GroupKey) throws(StoreError) {
        try database.run("DELETE FROM ended_weeks WHERE of_group = ? AND week = ?", [group.value, week.column])
    }

    package func setClockOffset(_ offset: Int64) throws(StoreError) {
        try database.run("UPDATE publishing SET boards_steps = ?", [offset])
    }
}
