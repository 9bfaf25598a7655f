import ParleyProtocol
import ParleyStore

/// A duty to remove rows that have been there for their time.
protocol RemovalDuty: ScheduledDuty {}

extension RemovalDuty {
    /// The most rows of one kind that are removed in one transaction, which holds up the batch behind it.
    static var atOnce: Int { 256 }
    /// Between two removals: so much longer at most something stays.
    static var pause: Duration { .seconds(10) }
    static var pauseAfterFailure: Duration { pause }

    /// - Parameters:
    ///   - isComplete: whether nothing that was due is left; else the next part waits for a moment only.
    ///   - dueAt: when the first of what is left is due; `nil` if there is nothing.
    static func next(isComplete: Bool, dueAt: Timestamp?) -> NextPart {
        NextPart(dueAt: dueAt, pause: isComplete ? pause : .milliseconds(100))
    }

    /// The same of what is kept for months: it is looked for once an hour, so that nobody has to say when it is due.
    ///
    /// - Parameter count: how many rows were removed.
    static func next(count: Int, in batch: Batch) -> NextPart {
        let isComplete = count < atOnce
        return next(
            isComplete: isComplete, dueAt: isComplete ? batch.steady.advanced(by: .seconds(3600)) : batch.steady)
    }
}
