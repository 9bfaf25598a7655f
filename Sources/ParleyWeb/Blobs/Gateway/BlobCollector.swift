import Logging
import Metrics
import NIOCore
import ParleyProtocol
import Platform

/// Removes the files of blobs that are gone, and compares now and then all files with the gateway's blobs.
struct BlobCollector: Sendable {
    let store: any BlobStore
    let authority: any BlobAuthority
    let configuration: BlobConfiguration
    let logger: Logger

    /// More are left to the next round.
    private static let mostParts = 50

    /// A comparison of all files, a page a round.
    struct Comparison: Sendable {
        /// `nil` before the first page.
        var last: BlobID?
        var isUnderWay = false
        var nextAt = NIODeadline.now()
        /// Since when blobs are unknown.
        var unknownSince: [BlobID: Timestamp] = [:]
    }

    /// Until the task is cancelled.
    func run() async {
        var comparison = Comparison()
        var hasFailed = false
        while !Task.isCancelled {
            do {
                try await collect(&comparison)
                hasFailed = false
            } catch {
                DoorMetrics.shared.failedCollections.increment()
                // Once for an outage.
                if !hasFailed { logFailure(error) }
                hasFailed = true
            }
            try? await Task.sleep(for: .nanoseconds(configuration.collection.nanoseconds))
        }
    }

    private func logFailure(_ error: any Error) {
        let reason =
            switch error {
            case let error as BlobRefusal: "status \(error.response.status)"
            default: "\(error)"
            }
        logger.warning("blobs that are gone cannot be removed now", metadata: ["reason": "\(reason)"])
    }

    /// One round.
    func collect(_ comparison: inout Comparison, now: Timestamp = BlobCollector.now) async throws {
        // First, so that a comparison that fails keeps nothing that is gone.
        var gone = try await authority.collect(CollectBlobs()).gone
        for _ in 0..<BlobCollector.mostParts where !gone.isEmpty {
            try await remove(gone)
            // Only now: a door that ends in between removes them again.
            gone = try await authority.collect(CollectBlobs(removed: gone)).gone
        }
        let page = try await nextPage(&comparison, now)
        guard !page.isEmpty else { return }
        let unknown = Set(try await authority.collect(CollectBlobs(known: page)).unknown)
        for id in page { try await judge(id, isUnknown: unknown.contains(id), &comparison, now) }
    }

    /// The next files, if a comparison is due.
    private func nextPage(_ comparison: inout Comparison, _ now: Timestamp) async throws -> [BlobID] {
        if !comparison.isUnderWay {
            guard NIODeadline.now() >= comparison.nextAt else { return [] }
            let limit = now.advanced(byMilliseconds: -(configuration.abandonedFor.nanoseconds / 1_000_000))
            _ = try await store.removeUploads(unchangedSince: limit)
            comparison.unknownSince = try await store.unknownSince()
            (comparison.isUnderWay, comparison.last) = (true, nil)
        }
        let page = try await store.ids(after: comparison.last, most: Limits.collectedBlobs)
        comparison.last = page.last
        if page.count < Limits.collectedBlobs {
            comparison.isUnderWay = false
            comparison.nextAt = .now() + configuration.comparison
        }
        return page
    }

    /// Removes a file only after it has been unknown for days: it may be the database that is missing something.
    private func judge(
        _ id: BlobID, isUnknown: Bool, _ comparison: inout Comparison, _ now: Timestamp
    ) async throws {
        guard isUnknown else {
            guard comparison.unknownSince.removeValue(forKey: id) != nil else { return }
            return try await store.markUnknown(id, false)
        }
        guard let since = comparison.unknownSince[id] else {
            comparison.unknownSince[id] = now
            return try await store.markUnknown(id, true)
        }
        guard now.milliseconds - since.milliseconds >= configuration.unknownFor.nanoseconds / 1_000_000 else { return }
        try await remove([id])
        try await store.markUnknown(id, false)
        comparison.unknownSince[id] = nil
    }

    private func remove(_ ids: [BlobID]) async throws {
        try await store.remove(ids)
        DoorMetrics.shared.removedBlobs.increment(by: Int64(ids.count))
    }

    static var now: Timestamp { Timestamp(milliseconds: SystemClock.timeOfDay.milliseconds) }
}
