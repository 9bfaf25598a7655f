import Logging
import ParleyProtocol
import ParleyStore

/// Removes expired ciphertext from the store's rows; its files are cleaned of it soon after.
final class ExpiryDuty: ScheduledDuty {
    static let failure: Logger.Message = "what has disappeared could not be removed"
    static let sharedWork: SharedWork? = .expiry
    var schedule = DutySchedule()

    /// The most records that lose their ciphertext in one transaction, which holds up the batch behind it: a few
    /// megabytes to overwrite where each is as large as can be.
    private static let atOnce = 64
    /// Between two removals: so long at most is ciphertext kept beyond its time, and no stream of disappearing messages
    /// makes a transaction for each.
    static let pause = Duration.milliseconds(250)
    static var pauseAfterFailure: Duration { pause }

    func run(in batch: Batch) throws(StoreError) -> NextPart {
        let transaction = try batch.writable()
        if batch.environment.push.mayDisplayAny { try clearDisplayed(batch, transaction) }
        let count = try transaction.records.removeExpired(at: batch.steady, limit: Self.atOnce)
        if count > 0 { batch.afterCommit.hasRemovedCiphertext = true }
        return NextPart(
            dueAt: try transaction.facts.records.nextExpiry(), pause: count < Self.atOnce ? Self.pause : .zero)
    }

    /// Clears the displayed notifications of the messages that are about to be removed.
    private func clearDisplayed(_ batch: Batch, _ transaction: WriteTransaction) throws(StoreError) {
        let displayed = try transaction.facts.records.displayedExpiries(
            at: batch.steady, limit: Self.atOnce, batch.environment.push.mayDisplay)
        try batch.clearDisplayed(displayed)
    }
}
