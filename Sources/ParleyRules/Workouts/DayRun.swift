import ParleyProtocol

/// A longest row of days with a workout each.
package struct DayRun: Hashable, Sendable {
    package var first: CivilDay
    package var last: CivilDay

    package init(first: CivilDay, last: CivilDay) { (self.first, self.last) = (first, last) }

    package func contains(_ day: CivilDay) -> Bool { first <= day && day <= last }

    package var days: Int { first.days(to: last) + 1 }
}

/// A change of a user's runs.
package struct DayRunChange: Hashable, Sendable {
    package let removed: [DayRun]
    package let added: [DayRun]

    /// A day gets its first workout.
    ///
    /// - Parameters:
    ///   - before: the run with the day before, or with this one.
    ///   - after: the run from the day after.
    package init(adding day: CivilDay, before: DayRun?, after: DayRun?) {
        if let before, before.contains(day) {
            (removed, added) = ([], [])
            return
        }
        let joined = [
            before.flatMap { $0.last == day.advanced(byDays: -1) ? $0 : nil },
            after.flatMap { $0.first == day.advanced(byDays: 1) ? $0 : nil },
        ]
        removed = joined.compactMap { $0 }
        added = [DayRun(first: joined[0]?.first ?? day, last: joined[1]?.last ?? day)]
    }

    /// A day loses its last workout.
    ///
    /// - Parameter run: with the day.
    package init(removing day: CivilDay, from run: DayRun?) {
        guard let run, run.contains(day) else {
            (removed, added) = ([], [])
            return
        }
        removed = [run]
        added = [
            DayRun(first: run.first, last: day.advanced(byDays: -1)),
            DayRun(first: day.advanced(byDays: 1), last: run.last),
        ].filter { $0.first <= $0.last }
    }
}
