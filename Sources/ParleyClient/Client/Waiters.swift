import ParleyProtocol

/// Tasks that wait for a condition of the client. Each has a signal, sent when the condition may have changed.
final class Waiters {
    enum Subject: Hashable {
        /// Nothing is known to be missing.
        case ready
        /// Nothing is known to be missing of a conversation.
        case settled(ConversationID)
        /// No record waits to be delivered.
        case delivered
        /// A message was sent or has failed.
        case outcome(MessageID)
        /// The keys of a user that another task is fetching.
        case keys(UserID)
        case link
        /// A file that another task is fetching.
        case file(Fetches.Key)
        /// A receipt was acknowledged or has failed.
        case receipts
    }

    private var signals: [Subject: [WakeSignal]] = [:]
    private let progress: ConnectionProgress
    private var isClosed = false

    /// - Parameter progress: gives the cause of a timeout.
    init(_ progress: ConnectionProgress) { self.progress = progress }

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

    /// Ends all waits with ``ClientError/cancelled``.
    func close() {
        isClosed = true
        wakeAll()
    }
}
