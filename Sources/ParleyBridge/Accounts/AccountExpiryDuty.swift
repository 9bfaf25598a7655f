import Logging
import ParleyProtocol
import ParleyStore

/// Removes expired codes, requests and mails.
final class AccountExpiryDuty: RemovalDuty {
    static let failure: Logger.Message = "expired codes could not be removed"
    static let sharedWork: SharedWork? = .accountExpiry
    var schedule = DutySchedule()

    func run(in batch: Batch) throws(StoreError) -> NextPart {
        let removed = try batch.writable().accountRequests.removeExpired(steady: batch.steady, limit: Self.atOnce)
        return Self.next(isComplete: removed.isComplete, dueAt: removed.isComplete ? removed.nextAt : batch.steady)
    }
}
