import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Removes the counts of limits of which nothing counts any more.
final class LimitRemovalDuty: RemovalDuty {
    static let failure: Logger.Message = "counts of limits that are over could not be removed"
    static let sharedWork: SharedWork? = .limitRemovals
    var schedule = DutySchedule()

    func run(in batch: Batch) throws(StoreError) -> NextPart {
        let count = try batch.writable().limitUses.removeFull(at: batch.sharedTime, limit: Self.atOnce)
        return Self.next(count: count, in: batch)
    }
}
