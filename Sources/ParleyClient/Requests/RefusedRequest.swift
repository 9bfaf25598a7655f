import ParleyProtocol

/// A queued request that the gateway refused.
public enum RefusedRequest: Hashable, Sendable, CustomStringConvertible {
    /// The workout is not logged.
    case workout(WorkoutID)
    /// The workout is not deleted: it still counts.
    case workoutDeletion(WorkoutID)
    /// This version of the day's report.
    case day(CivilDay, version: Int)

    public var description: String {
        switch self {
        case .workout(let id): "workout \(id)"
        case .workoutDeletion(let id): "taking back of workout \(id)"
        case .day(let day, version: _): "report of \(day)"
        }
    }
}
