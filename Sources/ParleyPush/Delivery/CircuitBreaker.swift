/// Stops sending to a service that fails: after some failures in a row nothing is sent for a while, then one delivery
/// as a probe, and all others once that succeeds.
struct CircuitBreaker: Hashable, Sendable {
    typealias Instant = ContinuousClock.Instant

    /// How many failures in a row open it.
    static let tolerated = 5
    /// How long it opens the first time, doubled each further time up to the longest.
    static let shortest: Duration = .seconds(5)
    static let longest: Duration = .seconds(300)
    /// How long others wait while a probe is under way.
    static let whileProbing: Duration = .seconds(2)

    enum State: Hashable, Sendable {
        /// Everything is sent. To `open` by failures, or when the service asks for a pause.
        case closed(failures: Int)
        /// Nothing is sent. To `probing` by the first delivery after its end.
        case open(until: Instant, times: Int)
        /// One delivery is under way. To `closed` by a success, to `open` by a failure.
        case probing(times: Int)
    }

    enum Admission: Hashable, Sendable {
        case send
        case notNow(after: Duration)
    }

    private(set) var state: State = .closed(failures: 0)

    mutating func admit(at now: Instant) -> Admission {
        switch state {
        case .closed: return .send
        case .open(let until, let times):
            guard now >= until else { return .notNow(after: now.duration(to: until)) }
            state = .probing(times: times)
            return .send
        case .probing: return .notNow(after: CircuitBreaker.whileProbing)
        }
    }

    /// How long nothing is sent from now on; `nil` where a delivery may be.
    func pause(at now: Instant) -> Duration? {
        switch state {
        case .closed: nil
        case .open(let until, _): now < until ? now.duration(to: until) : nil
        case .probing: CircuitBreaker.whileProbing
        }
    }

    /// - Parameter jitter: 0 to 1, which chooses the pause in the upper half of its range.
    mutating func record(_ health: ServiceHealth, at now: Instant, jitter: Double) {
        switch (health, state) {
        case (.throttled(let pause), .closed), (.throttled(let pause), .probing):
            state = .open(until: now + min(pause, CircuitBreaker.longest), times: times)
        case (.throttled(let pause), .open(let until, let times)):
            state = .open(until: max(until, now + min(pause, CircuitBreaker.longest)), times: times)
        case (.works, .closed), (.works, .probing): state = .closed(failures: 0)
        case (.unknown, .closed): break
        // The probe has shown nothing: another follows.
        case (.unknown, .probing(let times)): state = .open(until: now, times: times)
        case (.fails, .closed(let failures)) where failures + 1 < CircuitBreaker.tolerated:
            state = .closed(failures: failures + 1)
        case (.fails, .closed), (.fails, .probing):
            let pause = CircuitBreaker.pause(times: times)
            state = .open(until: now + pause * (0.5 + 0.5 * min(max(jitter, 0), 1)), times: times + 1)
        // Of a delivery from before it opened.
        case (.works, .open), (.fails, .open), (.unknown, .open): break
        }
    }

    private var times: Int {
        switch state {
        case .closed: 0
        case .open(_, let times), .probing(let times): times
        }
    }

    static func pause(times: Int) -> Duration { min(shortest * (1 << min(max(times, 0), 16)), longest) }
}

/// What an attempt has shown of a service.
enum ServiceHealth: Hashable, Sendable {
    /// It has answered, whatever it says of this notification.
    case works
    /// It was not reached, or reports a failure of its own.
    case fails
    /// It asks for a pause.
    case throttled(for: Duration)
    /// The service was not reached through no fault of its own.
    case unknown
}
