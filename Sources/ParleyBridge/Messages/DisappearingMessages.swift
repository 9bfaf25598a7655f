import Logging
import ParleyProtocol
import ParleyStore

// Ciphertext that is deleted or disappears leaves the store's rows first, and its files soon after.

extension Writer {
    /// The most records that lose their ciphertext in one transaction, which holds up the batch behind it: a few
    /// megabytes to overwrite where each is as large as can be.
    private static let removalsAtOnce = 64

    /// Removes some of the ciphertext whose time has come, if there is any.
    ///
    /// - Returns: whether there is more.
    @discardableResult
    func removeExpired(now: Timestamp) -> Bool {
        let steady = steady(now)
        guard expiry.isDue(now: steady) else { return false }
        do throws(StoreError) {
            var changes = PushNoting.Changes()
            let (count, next) = try store.write { transaction in
                if push.mayShowAny { changes.hasNoted = try takeAwayExpired(now: now, transaction) }
                return (
                    try transaction.records.removeExpired(at: steady, limit: Writer.removalsAtOnce),
                    try transaction.facts.records.nextExpiry()
                )
            }
            push.recordCommitted(changes)
            if count > 0 { cleaning.markUnclean() }
            expiry.recordRemoval(next: next, isComplete: count < Writer.removalsAtOnce, now: steady)
            return count == Writer.removalsAtOnce
        } catch {
            report.add("what has disappeared could not be removed", error)
            expiry.recordFailure(now: steady)
            return false
        }
    }

    /// Notes that what devices show of the messages that are about to be removed is to be taken away.
    ///
    /// - Returns: whether anything was noted.
    private func takeAwayExpired(now: Timestamp, _ transaction: WriteTransaction) throws(StoreError) -> Bool {
        let steady = steady(now)
        let shown = try transaction.facts.records.shownExpiries(at: steady, limit: Writer.removalsAtOnce)
        guard !shown.isEmpty else { return false }
        let position = try transaction.facts.outbox.lastPosition()
        try transaction.pushEvents.insert(
            shown.map { one in
                PushEvent(
                    position: position, subject: .removal(one.conversation, seq: one.seq), createdAt: now,
                    steadyAt: steady)
            })
        return true
    }

    /// Removes from the store's files what was removed from its rows, if that is due.
    func cleanFiles(now: ContinuousClock.Instant) {
        guard cleaning.isDue(now: now) else { return }
        do throws(StoreError) {
            try store.checkpoint()
            cleaning.recordCleaning(isDone: true, now: .now)
        } catch {
            // A slow reader is in the way, or the disk is full, which the batches report.
            cleaning.recordCleaning(isDone: false, now: .now)
        }
    }

    /// How long until one of these is due; `nil` while nothing is.
    func disappearanceWait(now: Timestamp) -> Duration? {
        let waits = [expiry.wait(now: steady(now)), cleaning.wait(now: .now)]
        return waits.compactMap { $0 }.min()
    }
}
