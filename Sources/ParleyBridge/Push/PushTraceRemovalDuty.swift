import Logging
import ParleyProtocol
import ParleyStore

/// Removes what became of notifications long ago.
final class PushTraceRemovalDuty: RemovalDuty {
    static let failure: Logger.Message = "what became of notifications could not be removed"
    var schedule = DutySchedule()

    func run(in batch: Batch) throws(StoreError) -> NextPart {
        let count = try batch.writable().pushTraces.removeExpired(at: batch.steady, limit: Self.atOnce)
        return Self.next(count: count, in: batch)
    }
}
