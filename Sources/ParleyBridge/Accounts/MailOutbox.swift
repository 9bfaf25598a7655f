import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore
import Platform

/// What became of a mail.
enum MailOutcome: Hashable, Sendable {
    /// It was handed over, or never will be.
    case finished
    /// By the steady time.
    case postponed(to: Timestamp)
}

/// What the thread of mails and the writer have for each other. Neither waits.
final class MailOutbox: Sendable {
    private struct State {
        /// Not yet in the database.
        var outcomes: [RowKey<PendingMail>: MailOutcome] = [:]
        var isClosed = false
    }

    private let state = Monitor(State())
    private let wakeWriter: @Sendable () -> Void
    private let wakeMails: @Sendable () -> Void

    init(wakeWriter: @escaping @Sendable () -> Void = {}, wakeMails: @escaping @Sendable () -> Void = {}) {
        (self.wakeWriter, self.wakeMails) = (wakeWriter, wakeMails)
    }

    // MARK: The thread of mails

    /// Mails whose outcome the database may not have. To be asked before it is read.
    var recorded: Set<RowKey<PendingMail>> { state.withLock { Set($0.outcomes.keys) } }

    func record(_ outcome: MailOutcome, of key: RowKey<PendingMail>) {
        state.withLock { $0.outcomes[key] = outcome }
        wakeWriter()
    }

    func close() {
        state.withLock { $0.isClosed = true }
        wakeMails()
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    // MARK: The writer

    /// Mails were committed.
    func notify() { wakeMails() }

    var outcomes: [RowKey<PendingMail>: MailOutcome] { state.withLock { $0.outcomes } }

    func recordCommitted(_ written: [RowKey<PendingMail>: MailOutcome]) {
        state.withLock { state in
            for (key, outcome) in written where state.outcomes[key] == outcome { state.outcomes[key] = nil }
        }
    }
}

/// Writes what became of mails, and tells their thread of new ones.
final class MailDuty: Duty {
    typealias Done = [RowKey<PendingMail>: MailOutcome]
    static let failure: Logger.Message = "what became of mails could not be written"

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
