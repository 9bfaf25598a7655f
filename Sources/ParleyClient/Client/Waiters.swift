import ParleyProtocol

/// Tasks that wait for something of a client to become so.
///
/// Each has a signal, which is sent when it is worth looking again.
final class Waiters {
    /// What is waited for.
    enum Subject: Hashable {
        /// The client has all that there is.
        case ready
        /// A conversation has all that is known of it.
        case settled(ConversationID)
        /// Everything that could be delivered was.
        case delivered
        /// A message is sent, or is not going to be.
        case outcome(MessageID)
        /// The keys of a user that somebody else is fetching already.
        case keys(UserID)
        /// Another device has handed over the account key.
        case link
        /// A receipt was taken, or was not.
        case receipts
    }

    private var signals: [Subject: [WakeSignal]] = [:]
    private let progress: ConnectionProgress
    /// The client has ended: whoever waits is let go.
    private var isClosed = false

    /// - Parameter progress: says why there is no connection, to those who have waited in vain.
    init(_ progress: ConnectionProgress) { self.progress = progress }

    /// Waits until `condition` gives something.
    nonisolated(nonsending) func wait<Value>(
        for subject: Subject, until deadline: ContinuousClock.Instant? = nil,
        _ condition: () throws(ClientError) -> Value?
    ) async throws(ClientError) -> Value {
        let signal = WakeSignal()
        signals[subject, default: []].append(signal)
        defer {
            signals[subject]?.removeAll { $0 === signal }
            if signals[subject]?.isEmpty == true { signals[subject] = nil }
        }
        while true {
            if let value = try condition() { return value }
            guard !isClosed, !Task.isCancelled else { throw .cancelled }
            if let deadline, deadline <= .now { throw .timedOut(cause: progress.cause) }
            await signal.wait(until: deadline)
        }
    }

    func wake(_ subject: Subject) {
        for signal in signals[subject] ?? [] { signal.signal() }
    }

    func wakeAll() {
        for signal in signals.values.joined() { signal.signal() }
    }

    /// The client ends: nobody waits any more.
    func close() {
        isClosed = true
        wakeAll()
    }
}
