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

    let uploads = Meter(label: "parley_web_blob_uploads")
    let downloads = Meter(label: "parley_web_blob_downloads")
    let receivedBytes = Counter(label: "parley_web_blob_received_bytes")
    let sentBytes = Counter(label: "parley_web_blob_sent_bytes")
    /// Uploads that became complete blobs.
    let completeBlobs = Counter(label: "parley_web_blobs_completed")
    let removedBlobs = Counter(label: "parley_web_blobs_removed")
    /// Rounds of the collector that failed.
    let failedCollections = Counter(label: "parley_web_blob_collections_failed")

    private init() {
        let statuses = [
            200, 201, 202, 204, 206, 304, 400, 401, 403, 404, 405, 409, 412, 413, 415, 416, 422, 423, 426, 429, 500,
            503,
            507,
        ]
        responses = Dictionary(
            uniqueKeysWithValues: statuses.map {
                ($0, Counter(label: "parley_web_responses", dimensions: [("status", String($0))]))
            })
    }

    func countResponse(_ status: Int) { responses[status]?.increment() }
}
