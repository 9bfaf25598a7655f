import Foundation
import ParleyProtocol
import Platform
import Prometheus

/// Where the numbers of a scrape come from. Nothing is held while they are read.
struct MetricSource {
    let counters: Counters
    let readiness: Readiness
    let queue: OutQueue
    /// `nil` before the start and after the end.
    let levels: GatewayLevels?
    let directory: DataDirectory
}

/// The parts whose present amounts are shown.
struct GatewayLevels: Sendable {
    let people: ConnectedPeople
    let readers: ReaderPool
    let startedAt: Timestamp
}

/// A metric by its name: a row of the table in `docs/monitoring.md`. Its labels have values of closed sets alone.
struct MetricFamily: Sendable {
    let name: String
    let kind: MetricKind
    let labels: [String]
    let meaning: String
    /// Writes its samples.
    let write: @Sendable (inout TextFormat, MetricSource) -> Void

    private init(
        _ name: String, _ kind: MetricKind, labels: [String] = [], _ meaning: String,
        write: @escaping @Sendable (inout TextFormat, MetricSource) -> Void
    ) {
        (self.name, self.kind, self.labels, self.meaning, self.write) = (name, kind, labels, meaning, write)
    }

    private static func gauge(
        _ name: String, _ meaning: String, _ value: @escaping @Sendable (MetricSource) -> Int?
    ) -> MetricFamily {
        MetricFamily(name, .gauge, meaning) { text, source in
            if let value = value(source) { text.sample(name, value) }
        }
    }

    private static func histogram(
        _ name: String, _ meaning: String, _ histogram: any KeyPath<Counters, Histogram> & Sendable
    ) -> MetricFamily {
        MetricFamily(name, .histogram, meaning) { text, source in
            text.histogram(name, source.counters[keyPath: histogram])
        }
    }

    static let all = requests + times + pushes + levels + process + Counters.unlabelled.map(MetricFamily.init)

    // MARK: Groups

    private static let requests = [
        MetricFamily(
            "parley_requests_total", .counter, labels: ["operation", "outcome"],
            "Requests by operation, `unknown` for one that there is not, and outcome: `accepted` or `rejected`."
        ) { text, source in
            for (operation, metrics) in source.counters.allOperations {
                text.sample(
                    "parley_requests_total", [("operation", operation), ("outcome", "accepted")],
                    metrics.accepted.current)
                text.sample(
                    "parley_requests_total", [("operation", operation), ("outcome", "rejected")],
                    metrics.rejected.current)
            }
        },
        MetricFamily(
            "parley_refusals_total", .counter, labels: ["code"],
            "Requests that were refused, by the error code of the reply."
        ) { text, source in
            for code in ErrorCode.allCases {
                text.sample(
                    "parley_refusals_total", [("code", code.rawValue)], source.counters.refusals[code]?.current ?? 0)
            }
        },
        MetricFamily(
            "parley_request_seconds", .histogram, labels: ["operation"],
            "From when a request was read to when it was committed or its answer was made, by operation; of those that were asked for."
        ) { text, source in
            for (operation, metrics) in source.counters.allOperations where metrics.time.reading.count > 0 {
                text.histogram("parley_request_seconds", [("operation", operation)], metrics.time)
            }
        },
    ]

    private static let times = [
        histogram("parley_batch_requests", "Requests that were committed together.", \.batchSizes),
        histogram("parley_commit_seconds", "The time of COMMIT, with its sync to the disk.", \.commitTimes),
        histogram(
            "parley_delivery_lag_seconds",
            "From when a batch of events and replies was committed to when the broker had acknowledged the last of it.",
            \.deliveryLags),
    ]

    private static let pushes = [
        MetricFamily(
            "parley_pushes_total", .counter, labels: ["service", "outcome"],
            "Attempts at notifications, by push service and outcome: `accepted`, `postponed`, `refused`, `dropped`, `uncertain`."
        ) { text, source in
            for service in PushProvider.allCases {
                guard let metrics = source.counters.services[service] else { continue }
                for (outcome, _, own) in PushServiceMetrics.outcomes {
                    text.sample(
                        "parley_pushes_total", [("service", service.rawValue), ("outcome", outcome)],
                        metrics[keyPath: own].current)
                }
            }
        },
        MetricFamily(
            "parley_push_lag_seconds", .histogram, labels: ["service"],
            "From what a notification is about to when its push service had accepted it, by service."
        ) { text, source in
            for service in PushProvider.allCases {
                guard let metrics = source.counters.services[service] else { continue }
                text.histogram("parley_push_lag_seconds", [("service", service.rawValue)], metrics.lag)
            }
        },
        MetricFamily(
            "parley_pushes_waiting", .gauge, labels: ["service"],
            "Notifications that wait or are under way, by push service, a few seconds ago; of all cells together."
        ) { text, source in
            for service in PushProvider.allCases {
                text.sample(
                    "parley_pushes_waiting", [("service", service.rawValue)],
                    source.counters.services[service]?.waiting.current ?? 0)
            }
        },
    ]

    private static let levels = [
        MetricFamily("parley_build_info", .gauge, labels: ["version"], "1, with the version.") { text, _ in
            text.sample("parley_build_info", [("version", parleyVersion)], 1)
        },
        gauge("parley_ready", "1 while devices are served, as `/readyz` has it.") { source in
            source.readiness.failures.isEmpty ? 1 : 0
        },
        gauge("parley_outbox_items", "Events and replies that wait for the broker's acknowledgement.") { source in
            source.queue.load.items
        },
        gauge("parley_outbox_bytes", "The bytes of these.") { source in source.queue.load.bytes },
        gauge("parley_intake_held_back", "1 while requests are left unread because of these.") { source in
            source.queue.hasRoom ? 0 : 1
        },
        gauge("parley_reads_waiting", "Reads that wait for a thread.") { source in source.levels?.readers.waiting },
        gauge("parley_connected_users", "Users with a connected device.") { source in source.levels?.people.count },
        gauge("parley_broker_connections", "Connections of all clients to the broker, as it says itself.") { source in
            source.counters.operating.connections
        },
        gauge("parley_data_free_bytes", "Free bytes of the volume of the data directory.") { source in
            let attributes = try? FileManager.default.attributesOfFileSystem(forPath: source.directory.path)
            return (attributes?[.systemFreeSize] as? NSNumber)?.intValue
        },
    ]

    private static let process = [
        MetricFamily("process_cpu_seconds_total", .counter, "Processor time of the gateway.") { text, _ in
            text.sample("process_cpu_seconds_total", Double(SystemClock.processTime.milliseconds) / 1000)
        },
        gauge("process_resident_memory_bytes", "Memory of the gateway.") { _ in ProcessStatus.residentBytes },
        gauge("process_open_fds", "Open file descriptors of the gateway.") { _ in ProcessStatus.openDescriptors },
        gauge("process_start_time_seconds", "When the gateway has started, in seconds since 1970.") { source in
            source.levels.map { Int($0.startedAt.milliseconds / 1000) }
        },
    ]

    private init(_ counter: (name: String, meaning: String, counter: any KeyPath<Counters, Counter> & Sendable)) {
        let name = "parley_\(counter.name.replacing("-", with: "_"))_total"
        let keyPath = counter.counter
        let meaning = counter.meaning.prefix(1).uppercased() + counter.meaning.dropFirst() + "."
        self.init(name, .counter, meaning) { text, source in
            text.sample(name, source.counters[keyPath: keyPath].current)
        }
    }
}
