import ParleyProtocol

/// The unit of failures and limits: a provider, or the origin of an endpoint.
enum PushService: Hashable, Sendable {
    case provider(PushProvider)
    case origin(String)

    init(_ target: PushTarget) { self = target.endpoint.map { .origin($0.origin) } ?? .provider(target.provider) }
}

/// The deliveries under way to each service, those that wait for it, and its breaker.
struct ServiceTable {
    typealias Instant = ContinuousClock.Instant

    enum Admission: Hashable {
        case send
        /// Until another delivery to the service has ended.
        case wait
        case notTried(after: Duration)
    }

    /// A delivery that waited in vain.
    struct Postponed: Hashable {
        let delivery: PushDelivery
        let after: Duration
    }

    /// Waiting deliveries that the end of another has released.
    struct Released: Hashable {
        var send: [PushDelivery] = []
        var notTried: [Postponed] = []
    }

    private struct Service {
        var breaker = CircuitBreaker()
        var underWay = 0
        var waiting: [PushDelivery] = []
        /// Whether its last answer was a failure or slow: then fewer wait for it, so that there is room for other
        /// services.
        var isDoubtful = false

        var isIdle: Bool { underWay == 0 && waiting.isEmpty }
    }

    /// A service that takes longer for an answer is doubtful: it holds places of others for that time.
    static let slow: Duration = .seconds(2)
    /// How long deliveries wait for which a service has no room.
    static let whileFull: Duration = .seconds(1)

    private let limits: PushLimits
    private var services: RecentlyUsed<PushService, Service>

    init(limits: PushLimits) {
        self.limits = limits
        services = RecentlyUsed(limit: limits.origins)
    }

    var count: Int { services.count }

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

    /// Records the end of a delivery, and releases those that waited for it.
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
        // A name that is not resolved holds a place as long as a slow service.
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

    /// How many deliveries may wait for a service.
    private func room(of key: PushService, _ service: Service) -> Int {
        switch key {
        case .provider: limits.perProvider
        case .origin: service.isDoubtful ? limits.perOrigin : limits.perProvider
        }
    }
}
