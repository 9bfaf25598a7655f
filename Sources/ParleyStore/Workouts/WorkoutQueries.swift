import Foundation
import GRDB
import ParleyProtocol
import ParleyRules

/// A workout that was logged, and what was replied.
package struct StoredWorkout: Sendable {
    package let id: WorkoutID
    package let user: UserID
    package let completedAt: Timestamp
    /// What the request was, 16 bytes.
    package let digest: [UInt8]
    /// The reply that the request got.
    package let reply: WorkoutReply
    package let isDeleted: Bool
    /// The day that it was where it was done; of one that was deleted it is not known any more.
    package let day: CivilDay?
}

/// Workouts, and the days in a row that have one.
package struct WorkoutQueries {
    let database: Database

    /// The workout that has this id, whoever logged it, also if it was deleted.
    package func workout(_ id: WorkoutID) throws(StoreError) -> StoredWorkout? {
        let live = try HotStatement(
            #"SELECT "user", completed_at, request_digest, week, check_ins, streak_days, day FROM workouts WHERE id = ?"#,
            database)
        try live.bind(id.value.bytes, at: 1)
        defer { live.reset() }
        if try live.hasRow() { return try StoredWorkout(id, live, isDeleted: false) }
        let deleted = try HotStatement(
            """
            SELECT "user", completed_at, request_digest, week, check_ins, streak_days FROM deleted_workouts WHERE id = ?
            """, database)
        try deleted.bind(id.value.bytes, at: 1)
        defer { deleted.reset() }
        return try deleted.hasRow() ? StoredWorkout(id, deleted, isDeleted: true) : nil
    }

    /// A user's workouts of a day and of all later ones.
    package func workouts(of user: UserID, from day: CivilDay) throws(StoreError) -> [CountedWorkout] {
        let statement = try HotStatement(
            #"SELECT id, completed_at, day, time_zone FROM workouts WHERE "user" = ? AND day >= ?"#, database)
        try statement.bind(user.text, at: 1)
        try statement.bind(day.daysSinceEpoch, at: 2)
        defer { statement.reset() }
        var workouts: [CountedWorkout] = []
        while try statement.hasRow() {
            workouts.append(
                CountedWorkout(
                    id: try statement.uuid(0), completedAt: statement.time(1),
                    day: CivilDay(daysSinceEpoch: statement.integer(2)), zone: statement.text(3)))
        }
        return workouts
    }

    /// How many workouts of one day a user has; counted no further than `limit`.
    package func count(of user: UserID, on day: CivilDay, atMost limit: Int) throws(StoreError) -> Int {
        let statement = try HotStatement(
            #"SELECT count(*) FROM (SELECT 1 FROM workouts WHERE "user" = ? AND day = ? LIMIT ?) AS found"#, database)
        try statement.bind(user.text, at: 1)
        try statement.bind(day.daysSinceEpoch, at: 2)
        try statement.bind(limit, at: 3)
        defer { statement.reset() }
        return try statement.hasRow() ? statement.integer(0) : 0
    }

    /// How many workouts a user has on some days, of one day no more than a number.
    package func count(
        of user: UserID, from first: CivilDay, through last: CivilDay, perDay cap: Int
    ) throws(StoreError) -> Int {
        try database.row(
            """
            SELECT sum(CASE WHEN number > ?1 THEN ?1 ELSE number END) FROM (
                SELECT count(*) AS number FROM workouts WHERE "user" = ?2 AND day BETWEEN ?3 AND ?4 GROUP BY day
            ) AS days
            """, [cap, user.text, first.daysSinceEpoch, last.daysSinceEpoch])?[0] ?? 0
    }

    /// The most days in a row on which a user has workouts, within some days.
    package func longestRun(
        of user: UserID, from first: CivilDay, through last: CivilDay
    ) throws(StoreError) -> Int {
        let rows = try database.rows(
            #"SELECT first_day, last_day FROM workout_runs WHERE "user" = ? AND first_day <= ? AND last_day >= ?"#,
            [user.text, last.daysSinceEpoch, first.daysSinceEpoch])
        var longest = 0
        while let row = try rows.next() {
            let (begins, ends) = (max(row.integer(0), first.daysSinceEpoch), min(row.integer(1), last.daysSinceEpoch))
            longest = max(longest, ends - begins + 1)
        }
        return longest
    }

    /// The last run of a user that begins on a day or before.
    package func run(of user: UserID, beginningBy day: CivilDay) throws(StoreError) -> DayRun? {
        try run(
            """
            SELECT first_day, last_day FROM workout_runs WHERE "user" = ? AND first_day <= ?
            ORDER BY first_day DESC LIMIT 1
            """, user, day)
    }

    /// The run of a user that begins on a day.
    package func run(of user: UserID, beginningOn day: CivilDay) throws(StoreError) -> DayRun? {
        try run(#"SELECT first_day, last_day FROM workout_runs WHERE "user" = ? AND first_day = ?"#, user, day)
    }

    private func run(_ sql: String, _ user: UserID, _ day: CivilDay) throws(StoreError) -> DayRun? {
        let statement = try HotStatement(sql, database)
        try statement.bind(user.text, at: 1)
        try statement.bind(day.daysSinceEpoch, at: 2)
        defer { statement.reset() }
        guard try statement.hasRow() else { return nil }
        return DayRun(
            first: CivilDay(daysSinceEpoch: statement.integer(0)), last: CivilDay(daysSinceEpoch: statement.integer(1)))
    }
}

extension StoredWorkout {
    /// From user, completed_at, request_digest, week, check_ins, streak_days and, of one that was not deleted, day.
    fileprivate init(_ id: WorkoutID, _ row: HotStatement, isDeleted: Bool) throws(StoreError) {
        self.init(
            id: id, user: try row.level(0), completedAt: row.time(1), digest: row.bytes(2) ?? [],
            reply: WorkoutReply(
                id: id, week: ISOWeek(of: CivilDay(daysSinceEpoch: row.integer(3))), checkIns: row.integer(4),
                streakDays: row.integer(5)),
            isDeleted: isDeleted, day: isDeleted ? nil : CivilDay(daysSinceEpoch: row.integer(6)))
    }
}

/// Writes workouts, and the days in a row that have one.
package struct WorkoutWrites {
    let database: Database

    /// - Parameters:
    ///   - digest: what the request was that has made it, 16 bytes.
    ///   - reply: what it gets.
    package func insert(
        _ workout: CountedWorkout, of user: UserID, kind: String?, minutes: Int?, digest: [UInt8], reply: WorkoutReply
    ) throws(StoreError) {
        let values: [BoundValue] = [
            .text(user.text), .integer(workout.day.daysSinceEpoch), .id(workout.id), .time(workout.completedAt),
            .text(workout.zone), .optionalText(kind), .integer(minutes), .blob(digest),
            .integer(reply.week.monday.daysSinceEpoch), .integer(reply.checkIns), .integer(reply.streakDays),
        ]
        try database.run([values], row: "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)") { rows in
            """
            INSERT INTO workouts ("user", day, id, completed_at, time_zone, kind, minutes, request_digest, week,
                check_ins, streak_days)
            VALUES \(rows)
            """
        }
    }

    /// Leaves of a workout what tells a repeat.
    package func delete(_ workout: StoredWorkout) throws(StoreError) {
        try database.run(
            """
            INSERT INTO deleted_workouts (id, "user", completed_at, request_digest, week, check_ins, streak_days)
            SELECT id, "user", completed_at, request_digest, week, check_ins, streak_days FROM workouts WHERE id = ?
            """, [workout.id.blob])
        try database.run("DELETE FROM workouts WHERE id = ?", [workout.id.blob])
    }

    /// Removes what is left of deleted workouts that were done before then, the oldest first, and no more than `limit`.
    ///
    /// - Returns: how many.
    package func removeDeleted(before time: Timestamp, limit: Int) throws(StoreError) -> Int {
        try database.run(
            "DELETE FROM deleted_workouts WHERE id IN (\(WorkoutWrites.oldDeleted))", [time.milliseconds, limit])
        return database.changesCount
    }

    static let oldDeleted = "SELECT id FROM deleted_workouts WHERE completed_at < ? ORDER BY completed_at LIMIT ?"

    package func apply(_ change: DayRunChange, to user: UserID) throws(StoreError) {
        // Most often a run goes on by a day.
        if let old = change.removed.first, let new = change.added.first, old.first == new.first,
            change.removed.count == 1, change.added.count == 1
        {
            let statement = try HotStatement(
                #"UPDATE workout_runs SET last_day = ? WHERE "user" = ? AND first_day = ?"#, database)
            try statement.bind(new.last.daysSinceEpoch, at: 1)
            try statement.bind(user.text, at: 2)
            try statement.bind(new.first.daysSinceEpoch, at: 3)
            return try statement.run()
        }
        for run in change.removed {
            try database.run(
                #"DELETE FROM workout_runs WHERE "user" = ? AND first_day = ?"#, [user.text, run.first.daysSinceEpoch])
        }
        for run in change.added {
            try database.run(
                #"INSERT INTO workout_runs ("user", first_day, last_day) VALUES (?, ?, ?)"#,
                [user.text, run.first.daysSinceEpoch, run.last.daysSinceEpoch])
        }
    }
}
