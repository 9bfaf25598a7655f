import ParleyProtocol

/// A rate: so many at once, and so many an hour from then on.
public struct Rate: Hashable, Sendable {
    public let burst: Int
    public let perHour: Int

    /// What is out of bounds is held at the bound: at least one, and no more than microseconds can count.
    public init(burst: Int, perHour: Int) {
        self.burst = min(max(1, burst), 1_000_000_000)
        self.perHour = min(max(1, perHour), Int(Rate.hour))
    }

    public init(burst: Int, perSecond: Int) {
        let (perHour, overflow) = perSecond.multipliedReportingOverflow(by: 3600)
        self.init(burst: burst, perHour: overflow ? Int.max : perHour)
    }

    /// In microseconds.
    private static let hour: Int64 = 3_600_000_000

    /// Between two tokens, in microseconds.
    var interval: Int64 { Rate.hour / Int64(perHour) }
}

/// A token bucket, counted in microseconds so that no share of a token is lost.
struct TokenBucket: Sendable {
    /// When the bucket would be full, in microseconds. Taking a token moves it on; time catches up.
    private var fullAt: Int64

    init(now: Int64) { fullAt = now }

    /// Takes one token, or says in how many microseconds there will be one.
    mutating func take(_ rate: Rate, now: Int64) -> Int64? {
        let interval = rate.interval
        let capacity = interval * Int64(rate.burst)
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
    private let leastPurge: Int
    private var purgeAt: Int

    /// - Parameter purgeAt: with so many buckets the full ones are forgotten for the first time.
    public init(_ rate: Rate, purgeAt: Int = 4096) {
        self.rate = rate
        leastPurge = purgeAt
        self.purgeAt = purgeAt
    }

    /// Takes one token.
    ///
    /// - Returns: `nil` if there was one; else in how many milliseconds there will be.
    public mutating func take(_ key: Key, now: Timestamp) -> Int? {
        let now = min(max(now, .earliest), .latest).milliseconds * 1000
        if buckets.count >= purgeAt {
            buckets = buckets.filter { !$0.value.isFull(now: now) }
            purgeAt = max(leastPurge, buckets.count * 2)
        }
        guard let wait = buckets[key, default: TokenBucket(now: now)].take(rate, now: now) else { return nil }
        return Int((wait + 999) / 1000)
    }
}
