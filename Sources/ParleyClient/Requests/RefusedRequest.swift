import ParleyProtocol

/// What was kept here to be told to the gateway, and was refused.
public enum RefusedRequest: Hashable, Sendable {
    /// The workout is not logged.
    case workout(WorkoutID)
    /// The workout is not taken back: it counts as before.
    case workoutDeletion(WorkoutID)
    /// What was reported of a day, with this version.
    case day(CivilDay, version: Int)
}

extension RefusedRequest: CustomStringConvertible {
    public var description: String {
        switch self {
        case .workout(let id): "workout \(id)"
        case .workoutDeletion(let id): "taking back of workout \(id)"
        case .day(let day, version: _): "report of \(day)"
        }
    }
}
