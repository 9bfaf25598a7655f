import Metrics

/// What the door counts. It is bootstrapped with ``MetricsRegistry`` by the program; in tests it counts nowhere.
struct DoorMetrics: Sendable {
    static let shared = DoorMetrics()

    /// By their status.
    private let responses: [Int: Counter]
    /// From the headers of a request to the end of its response, of requests to the gateway.
    let requestTime = Timer(label: "parley_web_request_seconds")
    let sessions = Meter(label: "parley_web_sessions")
    let webSockets = Meter(label: "parley_web_websockets")
    let events = Counter(label: "parley_web_events")
    /// WebSockets that took too little of what was sent to them.
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
