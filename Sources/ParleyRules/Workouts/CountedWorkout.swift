import ParleyProtocol

/// A workout as boards count it.
package struct CountedWorkout: Hashable, Comparable, Sendable {
    package let id: WorkoutID
    package let completedAt: Timestamp
    /// In its time zone.
    package let day: CivilDay
    /// The name of its time zone.
    package let zone: String

    package init(id: WorkoutID, completedAt: Timestamp, day: CivilDay, zone: String) {
        (self.id, self.completedAt, self.day, self.zone) = (id, completedAt, day, zone)
    }

    package static func < (left: CountedWorkout, right: CountedWorkout) -> Bool {
        (left.completedAt, left.id) < (right.completedAt, right.id)
    }
}
