import ParleyProtocol
import ParleyStore

extension Removal {
    /// Removes what has been in the feeds for its time, if that is due.
    func fromFeeds(now: Timestamp) {
        let steady = writer.steady(now)
        removePart(of: "what has been in the feeds for its time", \.feedRemoval, now: now) {
            transaction throws(StoreError) in
            let counts = [
                try transaction.notifications.removeExpired(at: steady, limit: Removal.atOnce),
                try transaction.activities.removeExpired(at: steady, limit: Removal.atOnce),
            ]
            let nexts = [
                try transaction.facts.notifications.nextRemoval(), try transaction.facts.activities.nextRemoval(),
            ]
            return Rest(isComplete: counts.allSatisfy { $0 < Removal.atOnce }, next: nexts.compactMap { $0 }.min())
        }
    }
}
