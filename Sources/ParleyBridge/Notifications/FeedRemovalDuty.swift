import Logging
import ParleyProtocol
import ParleyStore

/// Removes expired items of the feeds of notifications and activity.
final class FeedRemovalDuty: RemovalDuty {
    static let failure: Logger.Message = "what has been in the feeds for its time could not be removed"
    static let sharedWork: SharedWork? = .feedRemovals
    var schedule = DutySchedule()

    func run(in batch: Batch) throws(StoreError) -> NextPart {
        let transaction = try batch.writable()
        let counts = [
            try transaction.notifications.removeExpired(at: batch.steady, limit: Self.atOnce),
            try transaction.activities.removeExpired(at: batch.steady, limit: Self.atOnce),
        ]
        let nexts = [
            try transaction.facts.notifications.nextRemoval(), try transaction.facts.activities.nextRemoval(),
        ]
        return Self.next(isComplete: counts.allSatisfy { $0 < Self.atOnce }, dueAt: nexts.compactMap { $0 }.min())
    }
}
