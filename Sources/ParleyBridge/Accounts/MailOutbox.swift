import ParleyProtocol
import ParleyStore

/// What the writer is to write of a mail.
enum MailChange: Hashable, Sendable {
    /// It is to be sent: whoever shares the database is to leave it alone.
    ///
    /// - Parameter dueAt: as it was read, by the steady time.
    case claimed(dueAt: Timestamp)
    /// It was sent, or will not be sent again.
    case finished
    /// By the steady time.
    case postponed(to: Timestamp)
}

/// The messages between the thread of mails and the writer. Neither waits.
final class MailOutbox: Sendable {
    private struct State {
        /// Not yet in the database.
        var changes: [RowKey<PendingMail>: MailChange] = [:]
        /// Claims that were committed or refused; whether they are this gateway's.
        var claims: [RowKey<PendingMail>: Bool] = [:]
        var isClosed = false
    }

    private let state = Monitor(State())
    private let wakeWriter: @Sendable () -> Void
    private let wakeMails: @Sendable () -> Void

    init(wakeWriter: @escaping @Sendable () -> Void = {}, wakeMails: @escaping @Sendable () -> Void = {}) {
        (self.wakeWriter, self.wakeMails) = (wakeWriter, wakeMails)
    }

    // MARK: The thread of mails

    /// Mails whose change the database may not have. To be read before the database.
    var recorded: Set<RowKey<PendingMail>> { state.withLock { Set($0.changes.keys) } }

    func record(_ change: MailChange, of key: RowKey<PendingMail>) {
        state.withLock { $0.changes[key] = change }
        wakeWriter()
    }

    /// The mails whose claim is decided since the last call, and whether they are this gateway's to send.
    func drainClaims() -> [RowKey<PendingMail>: Bool] {
        state.withLock { state in
            defer { state.claims = [:] }
            return state.claims
        }
    }

    func close() {
        state.withLock { $0.isClosed = true }
        wakeMails()
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    // MARK: The writer

    /// Mails were committed.
    func notify() { wakeMails() }

    var changes: [RowKey<PendingMail>: MailChange] { state.withLock { $0.changes } }

    /// - Parameter claims: the decided ones.
    func recordCommitted(_ written: [RowKey<PendingMail>: MailChange], claims: [RowKey<PendingMail>: Bool]) {
        state.withLock { state in
            for (key, change) in written where state.changes[key] == change { state.changes[key] = nil }
            state.claims.merge(claims) { $1 }
        }
        if !claims.isEmpty { wakeMails() }
    }
}
