import ParleyProtocol

/// Watches over the intake by a request of the gateway to itself: what the broker has acknowledged on the `out`
/// connection must come back on the intake's.
///
/// A broker can stop sending on a connection that looks healthy: Mosquitto 2.0.11 does when a client's send slots were
/// used up by messages that it dropped, and only a new connection ends that. Whatever else comes over the intake shows
/// as much as the request itself, so that an intake which is far behind is left to work, and a busy one is asked
/// nothing.
///
/// A value: the publishing loop sends the request and records its acknowledgement, the intake records what it receives.
struct SelfRequest: Sendable {
    private enum State {
        /// The intake has received something lately. To `sent` when the time has come.
        case idle(dueAt: ContinuousClock.Instant)
        /// The broker has not acknowledged it: the other connection may be slow. To `owed` by the acknowledgement, to
        /// `idle` by anything received.
        case sent
        /// The broker has it and must deliver it. To `idle` by anything received, or when it is overdue.
        case owed(since: ContinuousClock.Instant)
    }

    /// No device may publish to it, and no operation has a name of this form.
    static let topic = Topic.prefix + "up/~self"

    private let interval: Duration
    private var state: State

    /// - Parameter interval: so long nothing is received before a request is sent.
    init(interval: Duration, now: ContinuousClock.Instant) {
        self.interval = interval
        state = .idle(dueAt: now + interval)
    }

    /// So long the broker may owe a request, while nothing at all comes.
    var patience: Duration { interval * 3 }

    /// Whether a request is to be sent now. The caller sends it.
    mutating func begin(now: ContinuousClock.Instant) -> Bool {
        guard case .idle(let dueAt) = state, now >= dueAt else { return false }
        state = .sent
        return true
    }

    /// The broker has the request.
    mutating func recordAcknowledgement(now: ContinuousClock.Instant) {
        if case .sent = state { state = .owed(since: now) }
    }

    /// The connection that the request is sent by is gone: what was not acknowledged may never have arrived.
    mutating func recordSenderLoss(now: ContinuousClock.Instant) {
        if case .sent = state { state = .idle(dueAt: now) }
    }

    /// Something has come over the intake, the request or another message; or it was connected anew.
    mutating func recordReception(now: ContinuousClock.Instant) { state = .idle(dueAt: now + interval) }

    /// The intake does not read, for want of room: the time until it reads again does not count.
    mutating func recordPause(now: ContinuousClock.Instant) {
        if case .owed = state { state = .owed(since: now) }
    }

    /// Whether the broker owes the request for too long. To be asked when there is nothing to read.
    func isOverdue(now: ContinuousClock.Instant) -> Bool {
        switch state {
        case .idle, .sent: false
        case .owed(let since): now - since >= patience
        }
    }
}
