import Metrics

/// The door's metrics, named without what the format adds: `_total` to counters. The program bootstraps them with
/// ``MetricsRegistry``; in tests they are discarded.
package struct DoorMetrics: Sendable {
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

    /// By label.
    package static let meanings = [
        "parley_web_responses": "Responses, by status.",
        "parley_web_request_seconds": "Requests to the gateway, from their headers to the end of the response.",
        "parley_web_sessions": "Tokens that are in use.",
        "parley_web_websockets": "WebSockets for events that are open.",
        "parley_web_events": "Events that were sent to WebSockets.",
        "parley_web_slow_readers": "WebSockets that were closed because they read too slowly.",
        "parley_web_lost_connections": "Connections to the broker that could not be made or have broken.",
        "parley_web_blob_uploads": "Uploads of blobs under way.",
        "parley_web_blob_downloads": "Downloads of blobs under way.",
        "parley_web_blob_received_bytes": "Bytes of blobs that were received.",
        "parley_web_blob_sent_bytes": "Bytes of blobs that were sent.",
        "parley_web_blobs_completed": "Uploads that became complete blobs.",
        "parley_web_blobs_removed": "Blobs that were removed.",
        "parley_web_blob_collections_failed": "Rounds of the collector of blobs that failed.",
    ]

    func countResponse(_ status: Int) { responses[status]?.increment() }
}
