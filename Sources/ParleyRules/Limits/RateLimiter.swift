import ParleyProtocol

/// A burst, and a rate after it.
package struct Rate: Hashable, Sendable {
    package let burst: Int
    package let perHour: Int

    /// Clamps both: at least one, and no more than microseconds can count.
    package init(burst: Int, perHour: Int) {
        self.burst = min(max(1, burst), 1_000_000_000)
        self.perHour = min(max(1, perHour), Int(Rate.hour))
    }

    package init(burst: Int, perSecond: Int) {
        let (perHour, overflow) = perSecond.multipliedReportingOverflow(by: 3600)
        self.init(burst: burst, perHour: overflow ? Int.max : perHour)
    }

    /// In microseconds.
    private static let hour: Int64 = 3_600_000_000

    /// Between two tokens, in microseconds.
    var interval: Int64 { Rate.hour / Int64(perHour) }
}

/// Token buckets by key, of one rate. Full buckets are forgotten, so that only recently active keys are held.
package struct RateLimiter<Key: Hashable & Sendable>: Sendable {
    private var buckets: [Key: TokenBucket] = [:]
    /// A change holds for what is consumed from then on.
    package var rate: Rate
    private let leastPurge: Int
    private var purgeAt: Int
    /// The time of the buckets, in microseconds.
    private var time: Int64 = 0
    private var lastNow: Timestamp?

    /// - Parameter purgeAt: the number of buckets at which full ones are first forgotten.
    package init(_ rate: Rate, purgeAt: Int = 4096) {
        self.rate = rate
        leastPurge = purgeAt
        self.purgeAt = purgeAt
    }

    package var count: Int { buckets.count }

    /// Consumes all tokens or none.
    ///
    /// - Parameter count: more than the burst count as the burst.
    /// - Returns: `nil` if they were consumed; else in how many milliseconds they are available.
    package mutating func consume(_ key: Key, _ count: Int = 1, now: Timestamp) -> Int? {
        guard count > 0 else { return nil }
        let now = advance(to: now)
        purge(now: now)
        guard let wait = buckets[key, default: TokenBucket(now: now)].consume(count, rate, now: now) else { return nil }
        return Int((wait + 999) / 1000)
    }

    /// Consumes promised tokens, even if they are not available, at the time of the last call with a clock.
    package mutating func charge(_ key: Key, _ count: Int) {
        guard count > 0 else { return }
        purge(now: time)
        buckets[key, default: TokenBucket(now: time)].charge(count, rate, now: time)
    }

    /// - Returns: `nil` if tokens are available beside promised ones; else in how many milliseconds. Consumes none.
    package mutating func wait(for key: Key, _ count: Int, besides promised: Int, now: Timestamp) -> Int? {
        guard count > 0 else { return nil }
        let now = advance(to: now)
        let bucket = buckets[key] ?? TokenBucket(now: now)
        return bucket.wait(for: count, besides: promised, rate, now: now).map { Int(($0 + 999) / 1000) }
    }

    /// Fills a bucket.
    mutating func refill(_ key: Key) { buckets[key] = nil }

    /// Empties a bucket, until it takes so long to fill; one that is emptier stays so.
    ///
    /// - Parameters:
    ///   - time: in microseconds.
    ///   - most: counts instead of a longer time, in times that an empty bucket takes to be full.
    mutating func drain(_ key: Key, to time: Int64, most: Int64, now: Timestamp) {
        let now = advance(to: now)
        purge(now: now)
        let (bound, overflow) = rate.capacity.multipliedReportingOverflow(by: most)
        let longest = overflow ? rate.capacity : bound
        buckets[key, default: TokenBucket(now: now)].drain(to: min(max(0, time), longest), now: now)
    }

    /// Forgets the full buckets whenever the number has doubled since the last time: constant cost for each bucket.
    private mutating func purge(now: Int64) {
        guard buckets.count >= purgeAt else { return }
        buckets = buckets.filter { !$0.value.isFull(now: now) }
        purgeAt = max(leastPurge, buckets.count * 2)
    }

    /// No time passes while the clock runs back.
    private mutating func advance(to now: Timestamp) -> Int64 {
        let now = min(max(now, .earliest), .latest)
        if let lastNow { time += max(0, now.milliseconds - lastNow.milliseconds) * 1000 }
        lastNow = now
        guard time > RateLimiter.longestTime else { return time }
        // After a clock that was set forward many thousands of years.
        (buckets, time) = ([:], 0)
        return time
    }

    /// Leaves room to add a bucket's capacity.
    private static var longestTime: Int64 { 4_000_000_000_000_000_000 }
}
