import ParleyProtocol
import ParleyRules
import ParleyStore

extension Removal {
    /// Removes what is left of deleted workouts, where they are so old that nobody can bring them again, if it is time to
    /// look for them.
    ///
    /// Workouts have times of day, which may be false: so they are old when the steady time says so, too.
    func ofDeletedWorkouts(now: Timestamp) {
        let time = min(now, writer.steady(now)).advanced(by: .zero - WorkoutRule.deletionIsKept)
        removeOldPart(of: "deleted workouts", \.deletedWorkoutRemoval, now: now) { transaction throws(StoreError) in
            try transaction.workouts.removeDeleted(before: time, limit: Removal.atOnce)
        }
    }
}
