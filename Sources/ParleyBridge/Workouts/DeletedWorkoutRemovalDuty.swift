import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Removes the rows of deleted workouts that are too old to be logged again.
///
/// Their times are times of day, which may be wrong: so they must be old by the steady time, too.
final class DeletedWorkoutRemovalDuty: RemovalDuty {
    static let failure: Logger.Message = "deleted workouts could not be removed"
    static let sharedWork: SharedWork? = .workoutRemovals
    var schedule = DutySchedule()

    func run(in batch: Batch) throws(StoreError) -> NextPart {
        let time = min(batch.now, batch.steady).advanced(by: .zero - WorkoutRule.deletionIsKept)
        let count = try batch.writable().workouts.removeDeleted(before: time, limit: Self.atOnce)
        return Self.next(count: count, in: batch)
    }
}
