import ParleyProtocol

/// When ciphertext that disappears is to be removed from the store: soon after its time, and for many at once.
///
/// A value. All times are steady ones.
struct ExpiryClock {
    /// No later than the first of all that are to come; `nil` if none is. At first, whatever an earlier process left.
    private var next: Timestamp? = Timestamp(milliseconds: 0)
    private var pace = Pace()

    /// Between two removals: so long at most is ciphertext kept beyond its time, and no stream of disappearing messages
    /// makes a transaction for each.
    static let pause = Duration.milliseconds(250)

    /// A record was written whose ciphertext is to disappear then.
    mutating func schedule(at expiry: Timestamp) { next = min(next ?? expiry, expiry) }

    /// How long until something is to be removed; `nil` while nothing is.
    func wait(now: Timestamp) -> Duration? { next.map { pace.wait(until: $0, now: now) } }

    func isDue(now: Timestamp) -> Bool { wait(now: now) == .zero }

    /// What was due was removed, or as much of it as is removed at once.
    ///
    /// - Parameters:
    ///   - next: when the first of what is left is due.
    ///   - isComplete: whether nothing that was due is left; else the next removal need not wait.
    mutating func recordRemoval(next: Timestamp?, isComplete: Bool, now: Timestamp) {
        self.next = next
        pace.rest(for: isComplete ? ExpiryClock.pause : .zero, from: now)
    }

    /// Nothing could be removed: it is tried again after the pause.
    mutating func recordFailure(now: Timestamp) { pace.rest(for: ExpiryClock.pause, from: now) }
}
