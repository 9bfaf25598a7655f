import ParleyProtocol

/// The uses of limits by queries, which have no transaction that could store them: the writer does, soon after.
package struct UnstoredUses: Sendable {
    private struct Entry {
        /// As it was last stored, in microseconds. A query's snapshot may be older.
        var fullAt: Int64
        var count = 0
    }

    private var entries: [LimitKey: Entry] = [:]
    private var keys: Set<LimitKey> = []
    private var purgeAt = UnstoredUses.leastPurge

    private static let leastPurge = 4096

    package init() {}

    /// Whether there is anything to store.
    package var isEmpty: Bool { keys.isEmpty }

    /// In how many milliseconds there is room for one more use; `nil` if there is now.
    ///
    /// - Parameter stored: as the query's snapshot has it, in microseconds; `nil` where there is none.
    package func wait(for key: LimitKey, stored: Int64?, _ rate: Rate, now: Timestamp) -> Int? {
        let (now, entry) = (now.microseconds, entries[key])
        let bucket = TokenBucket(stored: [stored, entry?.fullAt].compactMap { $0 }.max(), rate, now: now)
        return bucket.wait(for: 1, besides: entry?.count ?? 0, rate, now: now).map { Int(($0 + 999) / 1000) }
    }

    /// Counts a use for which there is room.
    package mutating func add(_ key: LimitKey, now: Timestamp) {
        purge(now: now)
        entries[key, default: Entry(fullAt: now.microseconds)].count += 1
        keys.insert(key)
    }

    package func count(of key: LimitKey) -> Int { entries[key]?.count ?? 0 }

    /// Some of the keys of which there are uses to store.
    package func next(limit: Int) -> [LimitKey] { Array(keys.prefix(limit)) }

    /// A count was stored, with so many of these uses.
    package mutating func recordStored(_ key: LimitKey, _ count: LimitUses.Count, now: Timestamp) {
        purge(now: now)
        var entry = entries[key] ?? Entry(fullAt: count.bucket.fullAt)
        entry.fullAt = max(entry.fullAt, count.bucket.fullAt)
        entry.count = max(0, entry.count - count.ofQueries)
        entries[key] = entry
        if entry.count == 0 { keys.remove(key) }
    }

    /// Forgets the counts of full buckets whenever the number has doubled since the last time: constant cost for each.
    private mutating func purge(now: Timestamp) {
        guard entries.count >= purgeAt else { return }
        entries = entries.filter { $0.value.count > 0 || $0.value.fullAt > now.microseconds }
        purgeAt = max(UnstoredUses.leastPurge, entries.count * 2)
    }
}
