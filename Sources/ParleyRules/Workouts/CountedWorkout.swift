import ParleyProtocol

/// What counts of a workout.
package struct CountedWorkout: Hashable, Comparable, Sendable {
    package let id: WorkoutID
    package let completedAt: Timestamp
    /// The day that it was where it was done.
    package let day: CivilDay
    /// The name of the zone where it was done.
    package let zone: String

    package init(id: WorkoutID, completedAt: Timestamp, day: CivilDay, zone: String) {
        (self.id, self.completedAt, self.day, self.zone) = (id, completedAt, day, zone)
    }

    /// In the order in which they were done.
    package static func < (left: CountedWorkout, right: CountedWorkout) -> Bool {
        (left.completedAt, left.id) < (right.completedAt, right.id)
    }
}
