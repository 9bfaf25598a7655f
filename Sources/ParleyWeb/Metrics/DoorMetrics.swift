import Metrics

/// The door's metrics. The program bootstraps them with ``MetricsRegistry``; in tests they are discarded.
struct DoorMetrics: Sendable {
    static let shared = DoorMetrics()

    /// By status.
    private let responses: [Int: Counter]
    /// For requests to the gateway, from their headers to the end of the response.
    let requestTime = Timer(label: "parley_web_request_seconds")
    let sessions = Meter(label: "parley_web_sessions")
    let webSockets = Meter(label: "parley_web_websockets")
    let events = Counter(label: "parley_web_events")
    /// WebSockets closed because they read too slowly.
    let slowReaders = Counter(label: "parley_web_slow_readers")
    /// Connections to the broker that could not be made or have broken.
    let lostConnections = Counter(label: "parley_web_lost_connections")

    private init() {
        let statuses = [200, 201, 202, 204, 400, 401, 403, 404, 405, 409, 413, 415, 426, 429, 500, 503]
        responses = Dictionary(
            uniqueKeysWithValues: statuses.map {
                ($0, Counter(label: "parley_web_responses", dimensions: [("status", String($0))]))
            })
    }

    func countResponse(_ status: Int) { responses[status]?.increment() }
}
