import ParleyProtocol

/// A rate: so many at once, and so many an hour from then on.
public struct Rate: Hashable, Sendable {
    public let burst: Int
    public let perHour: Int

    public init(burst: Int, perHour: Int) {
        self.burst = burst
        self.perHour = perHour
    }

    public init(burst: Int, perSecond: Int) {
        self.init(burst: burst, perHour: perSecond.multipliedReportingOverflow(by: 3600).partialValue)
    }
}

/// A token bucket, counted in thousandths of a millisecond so that no share of a token is lost.
struct TokenBucket: Sendable {
    /// When the bucket would be full, in microseconds. Taking a token moves it on; time catches up.
    private var fullAt: Int64

    init(now: Int64) { fullAt = now }

    /// Takes one token, or says in how many microseconds there will be one.
    mutating func take(_ rate: Rate, now: Int64) -> Int64? {
        let interval = 3_600_000_000 / Int64(max(1, rate.perHour))
        let capacity = interval * Int64(max(1, rate.burst))
        // A clock that steps back must not lock anybody out for longer than an empty bucket does.
        fullAt = min(max(fullAt, now), now + capacity)
        guard fullAt + interval <= now + capacity else { return fullAt + interval - now - capacity }
        fullAt += interval
        return nil
    }

    func isFull(now: Int64) -> Bool { fullAt <= now }
}

/// Token buckets by key, of one rate. Full buckets are forgotten, so that it holds only who was active lately.
public struct RateLimiter<Key: Hashable & Sendable>: Sendable {
    private var buckets: [Key: TokenBucket] = [:]
    private let rate: Rate
    private var purgeAt: Int

    public init(_ rate: Rate, purgeAt: Int = 4096) {
        self.rate = rate
        self.purgeAt = purgeAt
    }

    /// Takes one token.
    ///
    /// - Returns: `nil` if there was one; else in how many milliseconds there will be.
    public mutating func take(_ key: Key, now: Timestamp) -> Int? {
        let (now, overflow) = now.milliseconds.multipliedReportingOverflow(by: 1000)
        guard !overflow else { return nil }
        if buckets.count >= purgeAt {
            buckets = buckets.filter { !$0.value.isFull(now: now) }
            purgeAt = max(4096, buckets.count * 2)
        }
        guard let wait = buckets[key, default: TokenBucket(now: now)].take(rate, now: now) else { return nil }
        return Int((wait + 999) / 1000)
    }
}
