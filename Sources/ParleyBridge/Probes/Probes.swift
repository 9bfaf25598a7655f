import Prometheus

/// What the gateway says of itself to a supervisor and to Prometheus.
package struct Probes: Sendable {
    private let shared: GatewayState
    private let queue: OutQueue
    private let directory: DataDirectory

    init(shared: GatewayState, queue: OutQueue, directory: DataDirectory) {
        (self.shared, self.queue, self.directory) = (shared, queue, directory)
    }

    /// A loop that has not gone round for so long hangs: each does so every second.
    private static let patience = Duration.seconds(10)

    package func answer(_ path: String) -> ProbeResponse {
        switch path {
        case "/livez": isAlive ? ProbeResponse(.ok, "ok") : ProbeResponse(.unavailable, "a loop does not go round")
        case "/readyz":
            shared.readiness.failures.isEmpty
                ? ProbeResponse(.ok, "ok")
                : ProbeResponse(.unavailable, shared.readiness.failures.joined(separator: "\n"))
        case "/metrics": ProbeResponse(.ok, metrics, contentType: TextFormat.contentType)
        default: ProbeResponse(.notFound)
        }
    }

    /// The start may take longer than a turn of a loop.
    private var isAlive: Bool { !shared.readiness.wasEverReady || shared.turns.areRecent(within: Probes.patience) }

    private var metrics: [UInt8] {
        let source = MetricSource(
            counters: shared.counters, readiness: shared.readiness, queue: queue, levels: shared.levels.withLock { $0 },
            directory: directory)
        var text = TextFormat()
        for family in MetricFamily.all {
            text.family(family.name, family.kind, family.meaning)
            family.write(&text, source)
        }
        return text.utf8
    }
}
