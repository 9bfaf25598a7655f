import ParleyProtocol
import ParleyRules

/// A group's current week.
package struct BoardWeek: Hashable, Sendable {
    package let group: GroupKey
    package let id: GroupID
    /// The IANA name of the zone in which the group's weeks begin.
    package let timeZone: String
    package var period: WeekPeriod
    /// Whether a workout after its end is logged already, which counts when the next week begins.
    package var isAhead: Bool

    package init(group: GroupKey, id: GroupID, timeZone: String, period: WeekPeriod, isAhead: Bool = false) {
        (self.group, self.id, self.timeZone, self.period) = (group, id, timeZone, period)
        self.isAhead = isAhead
    }
}

package struct EndedWeek: Hashable, Sendable {
    package let group: GroupKey
    package let id: GroupID
    package let week: ISOWeek
    package let endedAt: Timestamp
}

/// The current week of each group, and when boards next need work.
package struct BoardWeekQueries {
    let database: Database

    private static let select = """
        SELECT w.of_group, g.id, g.time_zone, w.week, w.starts_at, w.ends_at, w.is_ahead FROM board_weeks w
        JOIN groups g ON g.key = w.of_group
        """

    package func week(of group: GroupKey) throws(StoreError) -> BoardWeek? {
        try weeks("\(BoardWeekQueries.select) WHERE w.of_group = ?", [group]).first
    }

    /// Weeks that are over, or have not begun because the clock was set back.
    package func due(at now: Timestamp, limit: Int) throws(StoreError) -> [BoardWeek] {
        let over = try weeks(
            "\(BoardWeekQueries.select) WHERE w.ends_at <= ? ORDER BY w.ends_at, w.of_group LIMIT ?",
            [now, limit])
        guard over.count < limit else { return over }
        return over
            + (try weeks(
                "\(BoardWeekQueries.select) WHERE w.starts_at > ? ORDER BY w.starts_at, w.of_group LIMIT ?",
                [now, limit - over.count]))
    }

    /// All weeks by their groups' keys, after one.
    package func weeks(after group: GroupKey?, limit: Int) throws(StoreError) -> [BoardWeek] {
        try weeks(
            "\(BoardWeekQueries.select) WHERE w.of_group > ? ORDER BY w.of_group LIMIT ?",
            [group ?? GroupKey(value: .min), limit])
    }

    private func weeks(_ sql: String, _ arguments: Arguments) throws(StoreError) -> [BoardWeek] {
        try database.list(sql, arguments) { row in
            BoardWeek(
                group: row.key(0), id: try row.uuid(1), timeZone: row.text(2),
                period: WeekPeriod(week: row.week(3), startsAt: row.time(4), endsAt: row.time(5)),
                isAhead: row.isTrue(6))
        }
    }

    package func nextEnd() throws(StoreError) -> Timestamp? {
        try database.row("SELECT ends_at FROM board_weeks ORDER BY ends_at LIMIT 1")?.time(0)
    }

    /// When the next streak expires.
    package func nextLapse() throws(StoreError) -> Timestamp? {
        try database.row("SELECT lapses_at FROM boards WHERE lapses_at IS NOT NULL ORDER BY lapses_at LIMIT 1")?.time(0)
    }

    /// By the steady time.
    package func nextRemoval() throws(StoreError) -> Timestamp? {
        try database.row("SELECT removed_at FROM boards ORDER BY removed_at LIMIT 1")?.time(0)
    }

    /// Groups with an expired streak.
    package func lapsed(at now: Timestamp, limit: Int) throws(StoreError) -> [GroupKey] {
        try database.list(
            """
            SELECT of_group FROM boards WHERE lapses_at IS NOT NULL AND lapses_at <= ? ORDER BY lapses_at, of_group LIMIT ?
            """, [now.milliseconds, limit]
        ) { $0.key(0) }
    }

    package func unpublished() throws(StoreError) -> [GroupKey] {
        try database.list(
            "SELECT DISTINCT of_group FROM boards WHERE version > published_version ORDER BY of_group"
        ) { $0.key(0) }
    }

    /// Ended weeks whose notifications are pending.
    package func ended(limit: Int) throws(StoreError) -> [EndedWeek] {
        try database.list(
            """
            SELECT e.of_group, g.id, e.week, e.ended_at FROM ended_weeks e JOIN groups g ON g.key = e.of_group
            ORDER BY e.of_group, e.week LIMIT ?
            """, [limit]
        ) { row in EndedWeek(group: row.key(0), id: try row.uuid(1), week: row.week(2), endedAt: row.time(3)) }
    }

    /// The clock's offset in milliseconds when all boards were last brought up to it.
    package func clockOffset() throws(StoreError) -> Int64? {
        try database.row("SELECT boards_steps FROM publishing WHERE id = ?", [database.stream.row])?[0]
    }
}

package struct BoardWeekWrites {
    let database: Database

    /// Sets a group's current week.
    package func put(_ week: BoardWeek) throws(StoreError) {
        let period = week.period
        try database.run(
            """
            INSERT INTO board_weeks (of_group, week, starts_at, ends_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (of_group) DO UPDATE SET week = excluded.week, starts_at = excluded.starts_at,
                ends_at = excluded.ends_at, is_ahead = 0
            """, [week.group, period.week, period.startsAt, period.endsAt])
    }

    /// A workout after the current week is logged.
    package func markAhead(_ group: GroupKey) throws(StoreError) {
        try database.run("UPDATE board_weeks SET is_ahead = 1 WHERE of_group = ?", [group.value])
    }

    /// Makes the notifications of an ended week pending.
    package func putEnded(_ week: BoardWeek) throws(StoreError) {
        try database.run(
            """
            INSERT INTO ended_weeks (of_group, week, ended_at) VALUES (?, ?, ?)
            ON CONFLICT (of_group, week) DO UPDATE SET ended_at = excluded.ended_at
            """, [week.group, week.period.week, week.period.endsAt])
    }

    package func removeEnded(_ week: ISOWeek, of group: GroupKey) throws(StoreError) {
        try database.run("DELETE FROM ended_weeks WHERE of_group = ? AND week = ?", [group.value, week.column])
    }

    package func setClockOffset(_ offset: Int64) throws(StoreError) {
        try database.run("UPDATE publishing SET boards_steps = ? WHERE id = ?", [offset, database.stream.row])
    }
}
