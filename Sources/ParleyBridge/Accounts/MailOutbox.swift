import ParleyProtocol
import ParleyStore

/// The outcome of a mail.
enum MailOutcome: Hashable, Sendable {
    /// It was sent, or will not be sent again.
    case finished
    /// By the steady time.
    case postponed(to: Timestamp)
}

/// The messages between the thread of mails and the writer. Neither waits.
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

    /// Mails whose outcome the database may not have. To be read before the database.
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
