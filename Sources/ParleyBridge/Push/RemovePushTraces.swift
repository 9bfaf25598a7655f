import ParleyProtocol
import ParleyStore

extension Removal {
    /// Removes what became of notifications long ago, if that is due.
    func ofPushTraces(now: Timestamp) {
        let steady = writer.steady(now)
        removeOldPart(of: "what became of notifications", \.pushTraceRemoval, now: now) {
            transaction throws(StoreError) in
            try transaction.pushTraces.removeExpired(at: steady, limit: Removal.atOnce)
        }
    }
}
