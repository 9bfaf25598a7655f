import ParleyProtocol

/// Which workouts are taken.
package enum WorkoutRule {
    /// How far a device's clock may be ahead.
    package static let clockTolerance: Duration = .seconds(300)
    /// How old a workout may be that is told.
    package static let oldest: Duration = .days(400)

    /// How old the workout is of which nothing is kept any more when it was deleted. A late repeat is refused for its
    /// age from `oldest` on; the rest is for a clock that is set back a little.
    package static let deletionIsKept: Duration = oldest + .days(7)

    /// How many workouts of one day are stored for a user. Fewer count.
    package static let mostOfDay = 100

    /// - Throws: `bad_request` for a time that a workout cannot have been done at, or that is of no interest any more.
    package static func check(completedAt: Timestamp, now: Timestamp) throws(Rejection) {
        guard completedAt <= now.advanced(by: clockTolerance) else {
            throw Rejection(.badRequest, "completed_at: in the future")
        }
        guard completedAt >= now.advanced(by: .zero - oldest) else {
            throw Rejection(.badRequest, "completed_at: more than 400 days ago")
        }
    }

    /// - Parameters:
    ///   - weeks: the week of the workout in each zone where the user's weeks begin.
    ///   - countOfDay: how many workouts of its day the user has; no more than `mostOfDay` need be counted.
    ///   - grace: how long after its end a week takes workouts.
    /// - Throws: `week_closed` where it counts nowhere any more; `bad_request` for one too many of a day.
    package static func check(
        in weeks: some Sequence<WeekPeriod>, countOfDay: Int, grace: Duration, now: Timestamp
    ) throws(Rejection) {
        guard weeks.contains(where: { !$0.isFinal(at: now, grace: grace) }) else { throw .weekClosed }
        guard countOfDay < mostOfDay else {
            throw Rejection(.badRequest, "completed_at: more than \(mostOfDay) workouts of one day")
        }
    }

    package static let refusalOfOperators = Rejection(.forbidden, "An operator logs no workouts.")
}
