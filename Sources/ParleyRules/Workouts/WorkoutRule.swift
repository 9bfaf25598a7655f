import ParleyProtocol

/// Decides which workouts are accepted.
package enum WorkoutRule {
    /// How far a device's clock may be ahead.
    package static let clockTolerance: Duration = .seconds(300)
    package static let oldest: Duration = .days(400)

    /// The age up to which a deleted workout is remembered. From `oldest` on a repeat is refused for its age; the rest
    /// allows for a clock that is set back.
    package static let deletionIsKept: Duration = oldest + .days(7)

    /// Workouts of one day that are stored for a user; fewer count.
    package static let mostOfDay = 100

    /// - Throws: `bad_request` for a time in the future or too long ago.
    package static func check(completedAt: Timestamp, now: Timestamp) throws(Rejection) {
        guard completedAt <= now.advanced(by: clockTolerance) else {
            throw Rejection(.badRequest, "completed_at: in the future")
        }
        guard completedAt >= now.advanced(by: .zero - oldest) else {
            throw Rejection(.badRequest, "completed_at: more than 400 days ago")
        }
    }

    /// - Parameters:
    ///   - weeks: the week of the workout in each of the user's zones.
    ///   - countOfDay: the user's workouts of its day, counted up to `mostOfDay`.
    ///   - grace: how long after its end a week accepts workouts.
    /// - Throws: `week_closed` where all these weeks are final; `bad_request` for one too many of a day.
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
