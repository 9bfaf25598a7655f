import ParleyProtocol

package struct BoardScore: Hashable, Sendable {
    package let value: Int
    /// The time of the workout that made it.
    package let reachedAt: Timestamp
    /// When a streak expires if no workout follows; `nil` for check-ins.
    package let lapsesAt: Timestamp?

    package init(value: Int, reachedAt: Timestamp, lapsesAt: Timestamp? = nil) {
        (self.value, self.reachedAt, self.lapsesAt) = (value, reachedAt, lapsesAt)
    }

    /// Whether a board shows the same.
    package func looksLike(_ other: BoardScore) -> Bool { value == other.value && reachedAt == other.reachedAt }
}

/// A week's boards at an instant.
package struct BoardView: Hashable, Sendable {
    package let period: WeekPeriod
    package let now: Timestamp

    package init(_ period: WeekPeriod, now: Timestamp) { (self.period, self.now) = (period, now) }

    /// Now, but not after the week's last instant.
    package var instant: Timestamp { min(now, period.endsAt.advanced(byMilliseconds: -1)) }

    /// The first day whose workouts are needed. Workouts of earlier days were done before the week and the instant, and
    /// more than a day before yesterday, in any time zone.
    package var recentFrom: CivilDay { CivilDay(min(period.startsAt, instant)).advanced(byDays: -3) }

    /// Whether a workout was done by then, with tolerance for a device's clock.
    package func includes(_ time: Timestamp) -> Bool {
        time < period.endsAt && time <= now.advanced(by: WorkoutRule.clockTolerance)
    }
}

/// The workouts of one user that a week's boards depend on.
package struct WorkoutHistory: Sendable {
    private let view: BoardView
    /// Done by then, in order.
    private let recent: [CountedWorkout]
    /// The run with the day before the first of `recent`.
    private let earlier: DayRun?

    /// - Parameters:
    ///   - recent: all workouts of ``BoardView/recentFrom`` and later days, in any order; others are left out.
    ///   - earlier: the run of all the user's days with the day before that one.
    package init(_ view: BoardView, recent: [CountedWorkout], earlier: DayRun?) {
        self.view = view
        let first = view.recentFrom
        self.recent = recent.filter { $0.day >= first && view.includes($0.completedAt) }.sorted()
        self.earlier = earlier.flatMap { $0.contains(first.advanced(byDays: -1)) ? $0 : nil }
    }

    /// Workouts in the week, of each day no more than the cap; `nil` for none.
    package func checkIns(perDay cap: Int) -> BoardScore? {
        var counts: [CivilDay: Int] = [:]
        var score: BoardScore?
        for workout in recent where view.period.contains(workout.completedAt) {
            let count = counts[workout.day, default: 0] + 1
            guard count <= cap else { continue }
            counts[workout.day] = count
            score = BoardScore(value: (score?.value ?? 0) + 1, reachedAt: workout.completedAt)
        }
        return score
    }

    /// The days in a row with a workout, up to today or yesterday in the zone of the last workout; `nil` for none.
    ///
    /// - Parameter zone: by name; UTC stands in for an unknown one.
    package func streak(_ zone: (String) -> CivilZone?) -> BoardScore? {
        guard let latest = recent.last, let lastDay = recent.map(\.day).max() else { return nil }
        let zone = zone(latest.zone) ?? .utc
        guard lastDay >= zone.day(at: view.instant).advanced(byDays: -1) else { return nil }
        let days = Set(recent.map(\.day))
        var first = lastDay
        while days.contains(first.advanced(byDays: -1)) { first = first.advanced(byDays: -1) }
        if first == view.recentFrom, let earlier { first = earlier.first }
        guard let reached = recent.first(where: { $0.day == lastDay }) else { return nil }
        return BoardScore(
            value: first.days(to: lastDay) + 1, reachedAt: reached.completedAt,
            lapsesAt: zone.beginning(of: lastDay.advanced(byDays: 2)))
    }
}
