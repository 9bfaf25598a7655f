import ParleyProtocol

/// Rates that several gateways count together, each spending by itself: no request waits for the others.
///
/// A gateway tells what it has spent of a key when that is more than a quarter of the burst, and is answered how much
/// all have spent together. What it has not told it forgets at a 64th of the rate, so that who is never busy is never
/// told of. Whoever goes to C gateways has at most the burst and a quarter of it at each, and the rate and a 64th of it
/// at each.
package struct SharedRates<Key: Hashable & Sendable>: Sendable {
    /// What was spent of a key, or by all together: the time that it takes to come back, in microseconds.
    package struct Spending: Sendable {
        package let key: Key
        package let time: Int64

        package init(key: Key, time: Int64) { (self.key, self.time) = (key, time) }
    }

    /// As it is known here.
    private var all: RateLimiter<Key>
    /// What was spent here and not told: a full bucket is nothing.
    private var untold: RateLimiter<Key>
    private var due: [Spending] = []
    private var timeOfUntold: Int64

    package init(_ rate: Rate) {
        all = RateLimiter(rate)
        let part = SharedRates.part(of: rate)
        untold = RateLimiter(part)
        timeOfUntold = rate.interval * Int64(part.burst + 1)
    }

    /// What is spent without telling the others.
    private static func part(of rate: Rate) -> Rate { Rate(burst: rate.burst / 4, perHour: rate.perHour / 64) }

    /// A change holds for what is consumed from then on.
    package mutating func setRate(_ rate: Rate) {
        let part = SharedRates.part(of: rate)
        (all.rate, untold.rate) = (rate, part)
        timeOfUntold = rate.interval * Int64(part.burst + 1)
    }

    /// - Parameter isShared: whether there are other gateways now.
    /// - Returns: `nil` if there was room for one more; else in how many milliseconds there is.
    package mutating func consume(_ key: Key, now: Timestamp, isShared: Bool) -> Int? {
        if let wait = all.consume(key, now: now) { return wait }
        if isShared, untold.consume(key, now: now) != nil {
            due.append(Spending(key: key, time: timeOfUntold))
            untold.refill(key)
        }
        return nil
    }

    /// What the other gateways are to be told.
    package mutating func drainDue() -> [Spending] {
        guard !due.isEmpty else { return [] }
        defer { due = [] }
        return due
    }

    /// All gateways together have spent so much that it takes so long to come back.
    package mutating func merge(_ spent: Spending, now: Timestamp) {
        all.drain(spent.key, to: spent.time, most: SharedRates.mostBursts, now: now)
    }

    /// Each gateway may have spent a quarter of the burst beyond what there was: with 36 of them that is nine bursts. A
    /// server whose clock was set back makes nobody wait for longer.
    private static var mostBursts: Int64 { 10 }
}
