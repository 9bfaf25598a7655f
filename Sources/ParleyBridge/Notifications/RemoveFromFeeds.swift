import Logging
import ParleyProtocol
import ParleyStore

extension Writer {
    /// The most rows that are removed from the feeds in one transaction, which holds up the batch behind it.
    private static let removedAtOnce = 256

    /// Removes what has been in the feeds for its time, if that is due.
    func removeFromFeeds(now: Timestamp) {
        let now = steady(now)
        guard feedRemoval.isDue(now: now) else { return }
        do throws(StoreError) {
            let (counts, nexts) = try store.write { transaction in
                (
                    [
                        try transaction.notifications.removeExpired(at: now, limit: Writer.removedAtOnce),
                        try transaction.activities.removeExpired(at: now, limit: Writer.removedAtOnce),
                    ],
                    [
                        try transaction.facts.notifications.nextRemoval(),
                        try transaction.facts.activities.nextRemoval(),
                    ]
                )
            }
            feedRemoval.recordRemoval(
                next: nexts.compactMap { $0 }.min(), isComplete: counts.allSatisfy { $0 < Writer.removedAtOnce },
                now: now)
        } catch {
            report.add("what has been in the feeds for its time could not be removed", error)
            feedRemoval.recordFailure(now: now)
        }
    }
}
