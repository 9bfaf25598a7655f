import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Removes what is left of deleted workouts, where they are so old that nobody can bring them again.
///
/// Workouts have times of day, which may be false: so they are old when the steady time says so, too.
final class DeletedWorkoutRemovalDuty: RemovalDuty {
    static let failure: Logger.Message = "deleted workouts could not be removed"
    var schedule = DutySchedule()

    func run(in batch: Batch) throws(StoreError) -> NextPart {
        let time = min(batch.now, batch.steady).advanced(by: .zero - WorkoutRule.deletionIsKept)
        let count = try batch.writable().workouts.removeDeleted(before: time, limit: Self.atOnce)
        return Self.next(count: count, in: batch)
    }
}
