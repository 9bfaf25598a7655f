import ParleyProtocol

/// A token bucket as one number, in microseconds so that no share of a token is lost: the "theoretical arrival time" of
/// the generic cell rate algorithm (ITU-T I.371, annex A).
package struct TokenBucket: Hashable, Sendable {
    /// When the bucket will be full, in microseconds. Consuming a token moves it on.
    package private(set) var fullAt: Int64

    package init(now: Int64) { fullAt = now }

    /// A bucket as it was stored. None is emptier than twice its tokens: a clock that was set back since then makes
    /// nobody wait for longer.
    ///
    /// - Parameters:
    ///   - fullAt: `nil` for a full one.
    ///   - now: in microseconds since 1970.
    package init(stored fullAt: Int64?, _ rate: Rate, now: Int64) {
        self.fullAt = min(max(fullAt ?? now, now), now + 2 * rate.capacity)
    }

    /// - Returns: `nil` if the tokens were consumed; else in how many microseconds they are available.
    mutating func consume(_ count: Int, _ rate: Rate, now: Int64) -> Int64? {
        let cost = rate.interval * Int64(min(count, rate.burst))
        fullAt = max(fullAt, now)
        guard fullAt + cost <= now + rate.capacity else { return fullAt + cost - now - rate.capacity }
        fullAt += cost
        return nil
    }

    /// In how many microseconds tokens are available beside promised ones; `nil` if they are now.
    package func wait(for count: Int, besides promised: Int, _ rate: Rate, now: Int64) -> Int64? {
        let (total, overflow) = promised.addingReportingOverflow(min(count, rate.burst))
        let (cost, tooMuch) = rate.interval.multipliedReportingOverflow(by: Int64(overflow ? .max : total))
        guard !tooMuch, cost <= 2 * rate.capacity else { return 2 * rate.capacity }
        let missing = max(fullAt, now) + cost - now - rate.capacity
        return missing > 0 ? missing : nil
    }

    /// Consumes tokens even if they are not available: later ones wait for them.
    package mutating func charge(_ count: Int, _ rate: Rate, now: Int64) {
        let (cost, overflow) = rate.interval.multipliedReportingOverflow(by: Int64(min(count, rate.burst)))
        fullAt = max(fullAt, now).addingReportingOverflow(overflow ? 0 : cost).partialValue
    }

    /// Takes so long to fill from now on, or longer.
    mutating func drain(to time: Int64, now: Int64) { fullAt = max(fullAt, now + time) }

    package func isFull(now: Int64) -> Bool { fullAt <= now }
}

extension Rate {
    /// How long an empty bucket takes to be full, in microseconds.
    var capacity: Int64 { interval * Int64(burst) }
}

extension Timestamp {
    /// Since 1970.
    package var microseconds: Int64 { min(max(self, .earliest), .latest).milliseconds * 1000 }
}
