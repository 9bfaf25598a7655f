/// The time limits of a passage: of each phase, and without progress in writing. Moments are counted from any fixed
/// one.
package struct PassageTimes: Hashable, Sendable {
    private let limits: Limits
    private var phase: Phase
    private var lastTraffic: Duration
    private var client = Backlog()
    private var broker = Backlog()

    package struct Limits: Hashable, Sendable {
        /// From the upgrade to the end of the CONNECT.
        package var connect = Duration.seconds(5)
        /// From then on to the CONNACK, the connection to the broker included.
        package var answer = Duration.seconds(10)
        /// The longest time without progress in writing to one side.
        package var stall = Duration.seconds(30)
        /// The longest silence of both sides. The broker disconnects a device after one and a half times its keep
        /// alive, 15 minutes at most (`max_keepalive`), but accepts MQTT 3.1.1 devices without one.
        package var silence = Duration.seconds(16 * 60)

        package init() {}
    }

    private enum Phase: Hashable {
        case connecting(since: Duration)
        case awaitingAnswer(since: Duration)
        case signedIn
    }

    /// The unwritten bytes of one side, and the time since which they have not become fewer.
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

    /// When to call ``overdue(now:waitingForClient:waitingForBroker:)`` next: once a second before the CONNACK, and
    /// then often enough to notice a side without progress.
    var interval: Duration {
        switch phase {
        case .connecting, .awaitingAnswer: min(.seconds(1), limits.connect)
        case .signedIn: limits.stall / 6
        }
    }

    /// - Parameters: the unwritten bytes of each side.
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
