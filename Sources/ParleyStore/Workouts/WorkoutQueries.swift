import ParleyProtocol
import ParleyRules

package struct StoredWorkout: Sendable {
    package let id: WorkoutID
    package let user: UserID
    package let completedAt: Timestamp
    /// Of the request, 16 bytes.
    package let digest: [UInt8]
    /// To the request.
    package let reply: WorkoutReply
    package let isDeleted: Bool
    /// In its time zone; `nil` for a deleted one.
    package let day: CivilDay?
}

package struct WorkoutQueries {
    let database: Database

    /// The workout of any user, also a deleted one.
    package func workout(_ id: WorkoutID) throws(StoreError) -> StoredWorkout? {
        let live = try database.first(
            #"SELECT "user", completed_at, request_digest, week, check_ins, streak_days, day FROM workouts WHERE id = ?"#,
            [id.blob]
        ) { try StoredWorkout(id, $0, isDeleted: false) }
        if let live { return live }
        return try database.first(
            """
            SELECT "user", completed_at, request_digest, week, check_ins, streak_days FROM deleted_workouts WHERE id = ?
            """, [id.blob]
        ) { try StoredWorkout(id, $0, isDeleted: true) }
    }

    /// A user's workouts of a day and of all later ones.
    package func workouts(of user: UserID, from day: CivilDay) throws(StoreError) -> [CountedWorkout] {
        try database.list(
            #"SELECT id, completed_at, day, time_zone FROM workouts WHERE "user" = ? AND day >= ?"#,
            [user.text, day]
        ) { CountedWorkout(id: try $0.uuid(0), completedAt: $0.time(1), day: $0.day(2), zone: $0.text(3)) }
    }

    /// Counted up to `limit`.
    package func count(of user: UserID, on day: CivilDay, atMost limit: Int) throws(StoreError) -> Int {
        try database.first(
            #"SELECT count(*) FROM (SELECT 1 FROM workouts WHERE "user" = ? AND day = ? LIMIT ?) AS found"#,
            [user.text, day, limit]
        ) { $0.integer(0) } ?? 0
    }

    /// How many workouts count in a range of days.
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

    /// The longest run within a range of days.
    package func longestRun(
        of user: UserID, from first: CivilDay, through last: CivilDay
    ) throws(StoreError) -> Int {
        try database.list(
            #"SELECT first_day, last_day FROM workout_runs WHERE "user" = ? AND first_day <= ? AND last_day >= ?"#,
            [user.text, last.daysSinceEpoch, first.daysSinceEpoch]
        ) { DayRun(first: max($0.day(0), first), last: min($0.day(1), last)).days }.max() ?? 0
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
        try database.first(sql, [user.text, day]) { DayRun(first: $0.day(0), last: $0.day(1)) }
    }
}

extension StoredWorkout {
    /// - Parameter row: without the day of a deleted one.
    fileprivate init(_ id: WorkoutID, _ row: Row, isDeleted: Bool) throws(StoreError) {
        self.init(
            id: id, user: try row.level(0), completedAt: row.time(1), digest: row.bytes(2) ?? [],
            reply: WorkoutReply(
                id: id, week: row.week(3), checkIns: row.integer(4), streakDays: row.integer(5)),
            isDeleted: isDeleted, day: isDeleted ? nil : row.day(6))
    }
}

package struct WorkoutWrites {
    let database: Database

    /// - Parameters:
    ///   - digest: of the request, 16 bytes.
    ///   - reply: to the request.
    package func insert(
        _ workout: CountedWorkout, of user: UserID, kind: String?, minutes: Int?, digest: [UInt8], reply: WorkoutReply
    ) throws(StoreError) {
        try database.run(
            """
            INSERT INTO workouts ("user", day, id, completed_at, time_zone, kind, minutes, request_digest, week,
                check_ins, streak_days)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                user.text, workout.day, workout.id.blob, workout.completedAt, workout.zone,
                kind, minutes, digest, reply.week, reply.checkIns,
                reply.streakDays,
            ])
    }

    /// Keeps what recognizes a repeat.
    package func delete(_ workout: StoredWorkout) throws(StoreError) {
        try database.run(
            """
            INSERT INTO deleted_workouts (id, "user", completed_at, request_digest, week, check_ins, streak_days)
            SELECT id, "user", completed_at, request_digest, week, check_ins, streak_days FROM workouts WHERE id = ?
            """, [workout.id.blob])
        try database.run("DELETE FROM workouts WHERE id = ?", [workout.id.blob])
    }

    /// Forgets deleted workouts before a time, the oldest first.
    ///
    /// - Returns: how many.
    package func removeDeleted(before time: Timestamp, limit: Int) throws(StoreError) -> Int {
        try database.change(
            "DELETE FROM deleted_workouts WHERE id IN (\(WorkoutWrites.oldDeleted))", [time.milliseconds, limit])
    }

    static let oldDeleted = "SELECT id FROM deleted_workouts WHERE completed_at < ? ORDER BY completed_at LIMIT ?"

    package func apply(_ change: DayRunChange, to user: UserID) throws(StoreError) {
        // Most often a run gets one more day.
        if let old = change.removed.first, let new = change.added.first, old.first == new.first,
            change.removed.count == 1, change.added.count == 1
        {
            return try database.run(
                #"UPDATE workout_runs SET last_day = ? WHERE "user" = ? AND first_day = ?"#,
                [new.last, user.text, new.first])
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
