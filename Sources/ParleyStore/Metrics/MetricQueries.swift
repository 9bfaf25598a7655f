import ParleyProtocol

package struct MetricQueries {
    let database: Database

    package func day(_ day: CivilDay, of user: UserID) throws(StoreError) -> DayMetrics? {
        try database.first(
            """
            SELECT time_zone, version, steps, calories, exercise_minutes, implausible FROM metrics
            WHERE "user" = ? AND day = ?
            """, [user.text, day.daysSinceEpoch]
        ) { row in
            DayMetrics(
                day: day, timeZone: row[0], version: row[1],
                values: MetricValues(steps: row[2], calories: row[3], exerciseMinutes: row[4]),
                implausible: Metric.allCases.filter { row.integer(5) & $0.columnMark != 0 }.map(Named.known))
        }
    }

    /// The sum over a range of days, each up to the cap.
    package func sum(
        of metric: Metric, of user: UserID, from first: CivilDay, through last: CivilDay, cap: Int
    ) throws(StoreError) -> Int {
        let column = metric.rawValue
        return try database.row(
            """
            SELECT sum(CASE WHEN \(column) > ?1 THEN ?1 ELSE \(column) END) FROM metrics
            WHERE "user" = ?2 AND day BETWEEN ?3 AND ?4
            """, [cap, user.text, first.daysSinceEpoch, last.daysSinceEpoch])?[0] ?? 0
    }
}

package struct MetricWrites {
    let database: Database

    /// Replaces the day.
    package func save(_ metrics: DayMetrics, of user: UserID, at now: Timestamp) throws(StoreError) {
        let marks = metrics.implausible.reduce(0) { $0 | ($1.value?.columnMark ?? 0) }
        try database.run(
            """
            INSERT INTO metrics ("user", day, time_zone, version, steps, calories, exercise_minutes, implausible, reported_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT ("user", day) DO UPDATE SET time_zone = excluded.time_zone, version = excluded.version,
                steps = excluded.steps, calories = excluded.calories, exercise_minutes = excluded.exercise_minutes,
                implausible = excluded.implausible, reported_at = excluded.reported_at
            """,
            [
                user.text, metrics.day.daysSinceEpoch, metrics.timeZone, metrics.version, metrics.values.steps,
                metrics.values.calories, metrics.values.exerciseMinutes, marks, now.milliseconds,
            ])
    }
}

extension Metric {
    /// Its bit in the column `implausible`, which never gets another meaning.
    fileprivate var columnMark: Int {
        switch self {
        case .steps: 1
        case .calories: 2
        case .exerciseMinutes: 4
        }
    }
}
