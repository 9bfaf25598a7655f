import ParleyProtocol

/// The sender's state, behind its lock.
struct SenderQueue {
    typealias Instant = ContinuousClock.Instant

    /// Deliveries to send and outcomes to report, at once.
    struct Work {
        var deliveries: [PushDelivery] = []
        var outcomes: [PushOutcome] = []
    }

    private var table: ServiceTable
    private var work = Work()
    private var outstanding: [PushProvider: Int] = [:]
    private(set) var hasStopped = false
    private let limits: PushLimits

    init(limits: PushLimits) {
        self.limits = limits
        table = ServiceTable(limits: limits)
    }

    func room(for provider: PushProvider) -> Int {
        hasStopped ? 0 : max(0, limits.perProvider - outstanding[provider, default: 0])
    }

    mutating func submit(_ deliveries: [PushDelivery], at now: Instant) {
        for delivery in deliveries {
            outstanding[delivery.target.provider, default: 0] += 1
            guard !hasStopped else {
                postpone(delivery, .zero)
                continue
            }
            switch table.admit(delivery, at: now) {
            case .send: work.deliveries.append(delivery)
            case .wait: break
            case .notTried(let after): postpone(delivery, after)
            }
        }
    }

    mutating func next() -> Work {
        defer { work = Work() }
        return work
    }

    /// An attempt has ended; its outcome is the caller's to report.
    ///
    /// - Parameter took: how long it was under way.
    mutating func finish(
        _ delivery: PushDelivery, _ health: ServiceHealth, took: Duration, at now: Instant, jitter: Double
    ) {
        outstanding[delivery.target.provider, default: 0] -= 1
        let released = table.finish(delivery, health, took: took, at: now, jitter: jitter)
        for next in released.send {
            if hasStopped { postpone(next, .zero) } else { work.deliveries.append(next) }
        }
        for next in released.notTried { postpone(next.delivery, next.after) }
    }

    /// Begins no further delivery.
    mutating func stop() {
        hasStopped = true
        for delivery in work.deliveries + table.removeWaiting() { postpone(delivery, .zero) }
        work.deliveries = []
    }

    private mutating func postpone(_ delivery: PushDelivery, _ after: Duration) {
        outstanding[delivery.target.provider, default: 0] -= 1
        work.outcomes.append(delivery.outcome(.notTried(after: after)))
    }
}

extension PushDelivery {
    func outcome(_ answer: PushAnswer) -> PushOutcome {
        PushOutcome(id: notification.id, registration: registration, answer: answer)
    }
}
