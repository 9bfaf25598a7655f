import ParleyProtocol
import ParleyStore

/// A duty that removes expired rows.
protocol RemovalDuty: ScheduledDuty {}

extension RemovalDuty {
    /// The most rows of one kind that are removed in one transaction, which holds up the batch behind it.
    static var atOnce: Int { 256 }
    /// Between two removals: rows stay so much longer at most.
    static var pause: Duration { .seconds(10) }
    static var pauseAfterFailure: Duration { pause }

    /// - Parameters:
    ///   - isComplete: whether no due row is left; else the next part follows soon.
    ///   - dueAt: when the next row is due; `nil` if there is none.
    static func next(isComplete: Bool, dueAt: Timestamp?) -> NextPart {
        NextPart(dueAt: dueAt, pause: isComplete ? pause : .milliseconds(100))
    }

    /// The same for rows that are kept for months: they are looked for once an hour.
    ///
    /// - Parameter count: of the removed rows.
    static func next(count: Int, in batch: Batch) -> NextPart {
        let isComplete = count < atOnce
        return next(
            isComplete: isComplete, dueAt: isComplete ? batch.steady.advanced(by: .seconds(3600)) : batch.steady)
    }
}
