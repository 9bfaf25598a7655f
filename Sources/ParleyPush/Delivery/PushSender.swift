import Logging
import ParleyProtocol
import Synchronization

/// Sends notifications to push services, many at once, and reports exactly one outcome for each delivery.
///
/// Beyond an attempt it remembers the state of each service alone: retries are the caller's.
package final class PushSender: Sendable {
    private let services: PushServices
    private let queue: Mutex<SenderQueue>
    private let report: @Sendable (PushOutcome) -> Void
    private let logger: Logger
    private let wakeUps: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation

    /// - Parameter report: is given each outcome, on any thread; it must not block.
    package convenience init(
        _ configuration: PushConfiguration, logger: Logger, report: @escaping @Sendable (PushOutcome) -> Void
    ) throws(PushConfigurationError) {
        try self.init(configuration, logger: logger, lookup: HostLookup.addresses, report: report)
    }

    /// - Parameter lookup: the addresses of a host; it may block.
    init(
        _ configuration: PushConfiguration, logger: Logger, lookup: @escaping HostLookups.Lookup,
        report: @escaping @Sendable (PushOutcome) -> Void
    ) throws(PushConfigurationError) {
        services = try PushServices(configuration, lookup: lookup)
        queue = Mutex(SenderQueue(limits: configuration.limits))
        self.report = report
        self.logger = logger
        (wakeUps, wakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// How many more deliveries to a provider it takes. Each outcome makes room for one.
    package func room(for provider: PushProvider) -> Int { queue.withLock { $0.room(for: provider) } }

    /// Takes deliveries, no more than there is room for, and returns at once.
    package func submit(_ deliveries: [PushDelivery]) {
        guard !deliveries.isEmpty else { return }
        let hasStopped = queue.withLock { queue in
            queue.submit(deliveries, at: .now)
            return queue.hasStopped
        }
        if hasStopped { reportOutcomes() } else { wakeUp.yield() }
    }

    /// Begins no further delivery; `run` returns when those under way have an outcome.
    package func stop() { wakeUp.finish() }

    /// Sends until `stop`, or until its task is cancelled, which gives up what is under way. It runs once.
    ///
    /// - Throws: where there can be no connections at all.
    package func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                // Without connections nothing can be sent.
                defer { stop() }
                try await services.run()
            }
            await send()
            services.stop()
            try await group.waitForAll()
        }
    }

    private func send() async {
        await withDiscardingTaskGroup { group in
            for await _ in wakeUps {
                let work = queue.withLock { $0.next() }
                for outcome in work.outcomes { report(outcome) }
                for delivery in work.deliveries { group.addTask { await self.attempt(delivery) } }
            }
            queue.withLock { $0.stop() }
            reportOutcomes()
        }
        reportOutcomes()
    }

    private func attempt(_ delivery: PushDelivery) async {
        let begin = ContinuousClock.now
        let result =
            Task.isCancelled ? ServiceAnswer(.notTried(after: .zero), .unknown) : await services.send(delivery)
        queue.withLock {
            $0.finish(delivery, result.health, took: .now - begin, at: .now, jitter: Double.random(in: 0..<1))
        }
        log(delivery, result.answer)
        report(delivery.outcome(result.answer))
        wakeUp.yield()
    }

    private func reportOutcomes() {
        for outcome in queue.withLock({ $0.next().outcomes }) { report(outcome) }
    }

    private func log(_ delivery: PushDelivery, _ answer: PushAnswer) {
        logger.debug(
            "A push service has answered.",
            metadata: [
                "notification": "\(delivery.notification.id)", "provider": "\(delivery.target.provider.rawValue)",
                "answer": "\(answer.summary)",
            ])
    }
}

extension PushAnswer {
    /// For logs: nothing of content.
    fileprivate var summary: String {
        switch self {
        case .accepted(let status): "accepted (\(status))"
        case .ended(let status, _): "ended (\(status))"
        case .refused(let problem): "refused: \(problem.description)"
        case .later(let problem, _): "later: \(problem.description)"
        case .notTried: "not tried"
        }
    }
}
