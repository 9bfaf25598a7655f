/// How long each phase of a passage may take, and how long a side may take nothing. Moments are counted from any fixed
/// one.
package struct PassageTimes: Hashable, Sendable {
    private let limits: Limits
    private var phase: Phase
    private var lastTraffic: Duration
    private var client = Backlog()
    private var broker = Backlog()

    package struct Limits: Hashable, Sendable {
        /// From the upgrade until the CONNECT is whole.
        package var connect = Duration.seconds(5)
        /// From then on until the broker has answered, connecting to it included.
        package var answer = Duration.seconds(10)
        /// How long a side may take nothing of what waits for it.
        package var stall = Duration.seconds(30)
        /// How long nothing may come from either side. The broker ends a device after one and a half times its keep
        /// alive, 15 minutes at most (`max_keepalive`), but lets devices of MQTT 3.1.1 ask for none.
        package var silence = Duration.seconds(16 * 60)

        package init() {}
    }

    private enum Phase: Hashable {
        case connecting(since: Duration)
        case awaitingAnswer(since: Duration)
        case signedIn
    }

    /// What waits for one side, in bytes, and since when it has not become less.
    private struct Backlog: Hashable {
        private var waiting = 0
        private var since: Duration?

        mutating func update(_ bytes: Int, now: Duration) {
            if bytes == 0 { since = nil } else if since == nil || bytes < waiting { since = now }
            waiting = bytes
        }

        func isStuck(for limit: Duration, now: Duration) -> Bool { since.map { now - $0 >= limit } ?? false }
    }

    enum Overdue: Hashable, Sendable {
        case connect, answer, client, broker, silence
    }

    init(_ limits: Limits, now: Duration) {
        self.limits = limits
        phase = .connecting(since: now)
        lastTraffic = now
    }

    mutating func recordConnect(now: Duration) { phase = .awaitingAnswer(since: now) }

    mutating func recordSignIn() { phase = .signedIn }

    mutating func recordTraffic(now: Duration) { lastTraffic = now }

    /// When ``overdue(now:waitingForClient:waitingForBroker:)`` should be asked next: once a second while a stranger is
    /// there, and later often enough to know for how long a side has taken nothing.
    var interval: Duration {
        switch phase {
        case .connecting, .awaitingAnswer: min(.seconds(1), limits.connect)
        case .signedIn: limits.stall / 6
        }
    }

    /// - Parameters: what waits for each side, in bytes.
    mutating func overdue(now: Duration, waitingForClient: Int, waitingForBroker: Int) -> Overdue? {
        client.update(waitingForClient, now: now)
        broker.update(waitingForBroker, now: now)
        switch phase {
        case .connecting(let since) where now - since >= limits.connect: return .connect
        case .awaitingAnswer(let since) where now - since >= limits.answer: return .answer
        case .connecting, .awaitingAnswer, .signedIn: break
        }
        if client.isStuck(for: limits.stall, now: now) { return .client }
        if broker.isStuck(for: limits.stall, now: now) { return .broker }
        return now - lastTraffic >= limits.silence ? .silence : nil
    }
}
