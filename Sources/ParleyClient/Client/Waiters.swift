import ParleyProtocol

/// Tasks that wait for something of a client to become so.
///
/// Each has a signal, which is sent when it is worth looking again.
struct Waiters {
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

    mutating func add(_ signal: WakeSignal, for subject: Subject) { signals[subject, default: []].append(signal) }

    mutating func remove(_ signal: WakeSignal, for subject: Subject) {
        signals[subject]?.removeAll { $0 === signal }
        if signals[subject]?.isEmpty == true { signals[subject] = nil }
    }

    func wake(_ subject: Subject) {
        for signal in signals[subject] ?? [] { signal.signal() }
    }

    func wakeAll() {
        for signal in signals.values.joined() { signal.signal() }
    }
}
