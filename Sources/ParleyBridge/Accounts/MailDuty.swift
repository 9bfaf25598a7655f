import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Claims mails for their thread, writes their outcomes, and wakes the thread for new ones.
final class MailDuty: Duty {
    static let failure: Logger.Message = "the outcomes of mails could not be written"
    static let sharedWork: SharedWork? = nil

    private let outbox: MailOutbox
    private var pace = Pace()

    struct Done {
        var changes: [RowKey<PendingMail>: MailChange] = [:]
        var claims: [RowKey<PendingMail>: Bool] = [:]
    }

    /// For how long a mail is claimed: it is sent, or has failed, within half of it.
    static let claimTime = Duration.seconds(60)

    init(_ outbox: MailOutbox) { self.outbox = outbox }

    /// Mails are in the outbox.
    func wake(_ time: Timestamp) { outbox.notify() }

    func wait(at moment: Moment) -> Duration? {
        outbox.changes.isEmpty ? nil : pace.wait(until: .earliest, now: moment.steady)
    }

    func run(in batch: Batch) throws(StoreError) -> Done {
        var done = Done(changes: outbox.changes)
        let mails = try batch.writable().mails
        for (key, change) in done.changes {
            switch change {
            case .claimed(let dueAt):
                let end = batch.steady.advanced(by: MailDuty.claimTime)
                done.claims[key] = try mails.claim(key, dueAt: dueAt, until: end)
            case .finished: try mails.remove(key)
            case .postponed(let dueAt): try mails.postpone(key, to: dueAt)
            }
        }
        return done
    }

    func recordCommitted(_ done: Done, at moment: Moment) {
        outbox.recordCommitted(done.changes, claims: done.claims)
    }

    func recordFailure(at moment: Moment) { pace.rest(for: Self.pauseAfterFailure, from: moment.steady) }
}
