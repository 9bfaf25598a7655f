import ParleyProtocol
import ParleyRules
import ParleyStore

extension Writer {
    /// The most devices whose `last_seen` is written in one transaction.
    private static let activityAtOnce = 128

    /// Writes when some devices were last seen, with whatever else the transaction writes.
    ///
    /// - Returns: those that are on disk when it is committed.
    func storeActivity(_ batch: Batch) throws(StoreError) -> [DeviceAddress] {
        // A device that takes the name of one that has ended in this transaction was never seen.
        let ended = batch.afterCommit.endedDevices
        let due = activity.due(limit: Writer.activityAtOnce).filter { !ended.contains($0.device) }
        if !due.isEmpty { try batch.writable().devices.setLastSeen(due) }
        return due.map(\.device)
    }

    /// Whether a transaction is due although no request asks for one.
    func hasDueWork(now: Timestamp) -> Bool {
        activity.isOverdue(now: now) || duties.isBatchDue(at: moment(now))
    }
}
