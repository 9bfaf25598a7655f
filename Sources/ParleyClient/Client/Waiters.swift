import ParleyProtocol

/// Tasks that wait for something of a client to become so.
///
/// Each has a bell, which is rung when it is worth looking again.
struct Waiters {
    /// What is waited for.
    enum Subject: Hashable {
        /// The client has all that there is.
        case ready
        /// A conversation has all that is known of it.
        case settled(ConversationID)
        /// Everything that could be taken up was.
        case delivered
        /// A message is sent, or is not going to be.
        case outcome(MessageID)
        /// The keys of a user that somebody else is fetching already.
        case keys(UserID)
        /// Another device has handed over the account key.
        case link
    }

    private var bells: [Subject: [Bell]] = [:]

    mutating func add(_ bell: Bell, for subject: Subject) { bells[subject, default: []].append(bell) }

    mutating func remove(_ bell: Bell, for subject: Subject) {
        bells[subject]?.removeAll { $0 === bell }
        if bells[subject]?.isEmpty == true { bells[subject] = nil }
    }

    func wake(_ subject: Subject) {
        for bell in bells[subject] ?? [] { bell.ring() }
    }

    func wakeAll() {
        for bell in bells.values.joined() { bell.ring() }
    }
}
