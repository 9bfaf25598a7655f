// Boards as the contract's words have them, found slowly: by the calendar's own names of days and weeks, one day after
// the other, without anything that the gateway computes with.

/// A workout that was told and not taken back.
package struct OracleWorkout: Hashable {
    package let id: String
    /// Milliseconds since 1970.
    package let completedAt: Int64
    package let zone: String

    package init(id: String, completedAt: Int64, zone: String) {
        self.id = id
        self.completedAt = completedAt
        self.zone = zone
    }
}

package struct OracleMember {
    package let name: String
    package let joinedAt: Int64
    package var workouts: [OracleWorkout]

    package init(name: String, joinedAt: Int64, workouts: [OracleWorkout]) {
        self.name = name
        self.joinedAt = joinedAt
        self.workouts = workouts
    }
}

/// A line of a board.
package struct OracleLine: Hashable, CustomStringConvertible {
    package let name: String
    package let value: Int
    package let rank: Int
    package let reachedAt: Int64

    package var description: String { "\(rank). \(name) \(value) at \(reachedAt)" }
}

package final class BoardOracle {
    private let calendar: OracleCalendar
    private let zone: String
    private let cap: Int

    /// - Parameters:
    ///   - zone: the group's.
    ///   - cap: how many workouts of a day count at most.
    ///   - calendar: of this oracle alone, from now on.
    package init(zone: String, cap: Int, calendar: OracleCalendar) {
        calendar.clear()
        self.calendar = calendar
        self.zone = zone
        self.cap = cap
    }

    /// The name of the week that an instant is in, where the group is.
    package func week(of time: Int64) -> String { calendar.week(time, zone) }

    /// When the week of that name begins, and the one after it.
    package func bounds(ofWeekAt time: Int64) -> (start: Int64, end: Int64) {
        (calendar.firstInstant(ofWeekAt: time, zone), calendar.endOfWeek(at: time, zone))
    }

    /// Check-ins: distinct workouts in the week; of one day, no more than the cap.
    package func checkIns(_ members: [OracleMember], week: String, now: Int64) -> [OracleLine] {
        ranked(members) { member in
            var days: [String: Int] = [:]
            var counted: [OracleWorkout] = []
            for workout in inOrder(member.workouts)
            where workout.completedAt <= now + 300_000 && self.week(of: workout.completedAt) == week {
                let day = calendar.day(workout.completedAt, workout.zone)
                days[day, default: 0] += 1
                if days[day, default: 0] <= cap { counted.append(workout) }
            }
            return counted.last.map { (counted.count, $0.completedAt) }
        }
    }

    /// Streak: consecutive civil days with a workout up to today or yesterday; at the end of the week, once it has
    /// ended.
    package func streaks(_ members: [OracleMember], weekEnd: Int64, now: Int64) -> [OracleLine] {
        ranked(members) { member in
            let done = inOrder(member.workouts).filter { $0.completedAt < weekEnd && $0.completedAt <= now + 300_000 }
            guard let latest = done.last else { return nil }
            let today = calendar.day(min(now, weekEnd - 1), latest.zone)
            let days = Set(done.map { calendar.day($0.completedAt, $0.zone) })
            guard let last = days.max(), last >= calendar.dayBefore(today) else { return nil }
            var (count, day) = (0, last)
            while days.contains(day) {
                count += 1
                day = calendar.dayBefore(day)
            }
            let reached = done.first { calendar.day($0.completedAt, $0.zone) == last }
            return reached.map { (count, $0.completedAt) }
        }
    }

    private func inOrder(_ workouts: [OracleWorkout]) -> [OracleWorkout] {
        workouts.sorted { $0.completedAt != $1.completedAt ? $0.completedAt < $1.completedAt : $0.id < $1.id }
    }

    /// Competition ranking: as many are before somebody as have more.
    private func ranked(
        _ members: [OracleMember], _ value: (OracleMember) -> (value: Int, reachedAt: Int64)?
    ) -> [OracleLine] {
        let scores = members.compactMap { member in value(member).map { (member, $0.value, $0.reachedAt) } }
        let ordered = scores.sorted { left, right in
            if left.1 != right.1 { return left.1 > right.1 }
            if left.2 != right.2 { return left.2 < right.2 }
            if left.0.joinedAt != right.0.joinedAt { return left.0.joinedAt < right.0.joinedAt }
            return left.0.name < right.0.name
        }
        return ordered.map { member, value, reachedAt in
            OracleLine(
                name: member.name, value: value, rank: 1 + scores.filter { $0.1 > value }.count, reachedAt: reachedAt)
        }
    }
}

/// The ranks that each name had on one board, as the board changed.
package struct OracleRanks {
    private var ranks: [String: [Int]] = [:]

    package init() {}

    /// Whoever is not on the board any more has had no rank when they come again.
    package mutating func append(_ lines: [OracleLine]) {
        let names = Set(lines.map(\.name))
        ranks = ranks.filter { names.contains($0.key) }
        for line in lines { ranks[line.name, default: []].append(line.rank) }
    }

    /// The rank before the last change.
    package func previous(_ name: String) -> Int? {
        guard let all = ranks[name], let now = all.last else { return nil }
        return all.last { $0 != now }
    }
}
