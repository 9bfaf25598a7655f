import ParleyProtocol

/// The uses of limits in a transaction: each count as it was read, and as it is to be written.
package struct LimitUses: Sendable {
    package struct Count: Sendable {
        /// As it was read, in microseconds; `nil` where there was none.
        package let stored: Int64?
        /// As it is to be written.
        package fileprivate(set) var bucket: TokenBucket
        /// Uses by queries that were not stored yet; see `UnstoredUses`.
        package let ofQueries: Int
        fileprivate var isUsed: Bool
    }

    private var counts: [LimitKey: Count] = [:]

    package init() {}

    package func isKnown(_ key: LimitKey) -> Bool { counts[key] != nil }

    /// A count was read.
    ///
    /// - Parameters:
    ///   - stored: in microseconds; `nil` where there is none.
    ///   - ofQueries: uses by queries that are stored with those of the transaction.
    package mutating func load(_ key: LimitKey, stored: Int64?, ofQueries: Int, _ rate: Rate, now: Timestamp) {
        let now = now.microseconds
        var bucket = TokenBucket(stored: stored, rate, now: now)
        if ofQueries > 0 { bucket.charge(ofQueries, rate, now: now) }
        counts[key] = Count(stored: stored, bucket: bucket, ofQueries: ofQueries, isUsed: ofQueries > 0)
    }

    /// In how many milliseconds there is room for so many uses; `nil` if there is now. The count must be known.
    package func wait(for key: LimitKey, _ count: Int, _ rate: Rate, now: Timestamp) -> Int? {
        counts[key]?.bucket.wait(for: count, besides: 0, rate, now: now.microseconds).map { Int(($0 + 999) / 1000) }
    }

    /// Counts uses for which there is room.
    package mutating func add(_ count: Int, to key: LimitKey, _ rate: Rate, now: Timestamp) {
        guard count > 0 else { return }
        counts[key]?.bucket.charge(count, rate, now: now.microseconds)
        counts[key]?.isUsed = true
    }

    /// The counts to be written, in an order that all gateways keep: none waits for another that waits for it.
    package var changed: [(key: LimitKey, count: Count)] {
        guard !counts.isEmpty else { return [] }
        return counts.filter(\.value.isUsed).map { (key: $0.key, count: $0.value) }.sorted { one, other in
            (one.key.user.text, one.key.use.rawValue) < (other.key.user.text, other.key.use.rawValue)
        }
    }
}
