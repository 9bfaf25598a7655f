import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Writes the outcomes of mails, and wakes their thread for new ones.
final class MailDuty: Duty {
    typealias Done = [RowKey<PendingMail>: MailOutcome]
    static let failure: Logger.Message = "the outcomes of mails could not be written"
    static let sharedWork: SharedWork? = nil

    private let outbox: MailOutbox
    private var pace = Pace()

    init(_ outbox: MailOutbox) { self.outbox = outbox }

    /// Mails are in the outbox.
    func wake(_ time: Timestamp) { outbox.notify() }

    func wait(at moment: Moment) -> Duration? {
        outbox.outcomes.isEmpty ? nil : pace.wait(until: .earliest, now: moment.steady)
    }

    func run(in batch: Batch) throws(StoreError) -> Done {
        let outcomes = outbox.outcomes
        for (key, outcome) in outcomes {
            switch outcome {
            case .finished: try batch.writable().mails.remove(key)
            case .postponed(let dueAt): try batch.writable().mails.postpone(key, to: dueAt)
            }
        }
        return outcomes
    }

    func recordCommitted(_ done: Done, at moment: Moment) { outbox.recordCommitted(done) }

    func recordFailure(at moment: Moment) { pace.rest(for: Self.pauseAfterFailure, from: moment.steady) }
}
