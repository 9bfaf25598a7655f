import ParleyProtocol

/// What has failures and limits of its own: a provider, or for endpoints that devices name an origin.
enum PushService: Hashable, Sendable {
    case provider(PushProvider)
    case origin(String)

    init(_ target: PushTarget) { self = target.endpoint.map { .origin($0.origin) } ?? .provider(target.provider) }
}

/// What is under way to each service, what waits for it, and whether it is asked at all.
struct ServiceTable {
    typealias Instant = ContinuousClock.Instant

    enum Admission: Hashable {
        case send
        /// Until something else to the same service has ended.
        case wait
        case notTried(after: Duration)
    }

    /// One that waited in vain.
    struct Postponed: Hashable {
        let delivery: PushDelivery
        let after: Duration
    }

    /// What the end of one has made possible for others.
    struct Released: Hashable {
        var send: [PushDelivery] = []
        var notTried: [Postponed] = []
    }

    private struct Service {
        var breaker = CircuitBreaker()
        var underWay = 0
        var waiting: [PushDelivery] = []
        /// Whether the last that was heard of it was bad, or came late: then only so many wait for it as leave room for
        /// others.
        var isDoubtful = false

        var isIdle: Bool { underWay == 0 && waiting.isEmpty }
    }

    /// A service that takes longer for an answer holds a place for others so long, and is doubtful as one that fails.
    static let slow: Duration = .seconds(2)
    /// What is asked of those for which a service has no room.
    static let whileFull: Duration = .seconds(1)

    private let limits: PushLimits
    private var services: RecentlyUsed<PushService, Service>

    init(limits: PushLimits) {
        self.limits = limits
        services = RecentlyUsed(limit: limits.origins)
    }

    var count: Int { services.count }

    /// Whether a delivery is sent now.
    mutating func admit(_ delivery: PushDelivery, at now: Instant) -> Admission {
        let key = PushService(delivery.target)
        var service = services[key] ?? Service()
        defer {
            services[key] = service
            _ = services.trim { $0.isIdle }
        }
        guard service.underWay < limit(of: key) else {
            if let pause = service.breaker.pause(at: now) { return .notTried(after: pause) }
            guard service.waiting.count < room(of: key, service) else {
                return .notTried(after: ServiceTable.whileFull)
            }
            service.waiting.append(delivery)
            return .wait
        }
        switch service.breaker.admit(at: now) {
        case .notNow(let after): return .notTried(after: after)
        case .send:
            service.underWay += 1
            return .send
        }
    }

    /// Takes note of the end of a delivery, and says what is to be done with those that waited for it.
    mutating func finish(
        _ delivery: PushDelivery, _ health: ServiceHealth, took: Duration = .zero, at now: Instant, jitter: Double
    ) -> Released {
        let key = PushService(delivery.target)
        var released = Released()
        guard var service = services[key] else { return released }
        service.underWay = max(0, service.underWay - 1)
        service.breaker.record(health, at: now, jitter: jitter)
        switch health {
        case .works: service.isDoubtful = took >= ServiceTable.slow
        case .fails, .throttled: service.isDoubtful = true
        // A name that nobody looks up holds a place for others as long as a service that is slow.
        case .unknown: if took >= ServiceTable.slow { service.isDoubtful = true }
        }
        while service.underWay < limit(of: key), let next = service.waiting.first {
            service.waiting.removeFirst()
            switch service.breaker.admit(at: now) {
            case .notNow(let after): released.notTried.append(Postponed(delivery: next, after: after))
            case .send:
                service.underWay += 1
                released.send.append(next)
            }
        }
        services[key] = service
        return released
    }

    /// Takes out all that waits.
    mutating func removeWaiting() -> [PushDelivery] {
        services.keys.flatMap { key in
            guard var service = services[key] else { return [PushDelivery]() }
            let waiting = service.waiting
            service.waiting = []
            services[key] = service
            return waiting
        }
    }

    private func limit(of service: PushService) -> Int {
        switch service {
        case .provider: limits.perProvider
        case .origin: limits.perOrigin
        }
    }

    /// How many may wait for it.
    private func room(of key: PushService, _ service: Service) -> Int {
        switch key {
        case .provider: limits.perProvider
        case .origin: service.isDoubtful ? limits.perOrigin : limits.perProvider
        }
    }
}
