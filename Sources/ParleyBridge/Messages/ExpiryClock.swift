import ParleyProtocol

/// When ciphertext that disappears is to be removed from the store: soon after its time, and for many at once.
///
/// A value; the writer asks it and tells it what came of it. All times are steady ones.
struct ExpiryClock {
    /// No later than the first of all that are to come; `nil` if none is. At first, whatever an earlier process left.
    private var next: Timestamp? = Timestamp(milliseconds: 0)
    private var sweptAt: Timestamp?

    /// Between two removals, in milliseconds: so long at most is ciphertext kept beyond its time, and no stream of
    /// disappearing messages makes a transaction for each.
    static let pause: Int64 = 250

    /// A record was written whose ciphertext is to disappear then.
    mutating func note(_ expiry: Timestamp) { next = min(next ?? expiry, expiry) }

    /// How long until something is to be removed, in milliseconds; `nil` while nothing is.
    func wait(now: Timestamp) -> Int64? {
        guard let next else { return nil }
        let untilDue = next.milliseconds - now.milliseconds
        guard let sweptAt, now >= sweptAt else { return max(0, untilDue) }
        return max(0, untilDue, ExpiryClock.pause - (now.milliseconds - sweptAt.milliseconds))
    }

    func isDue(now: Timestamp) -> Bool { wait(now: now) == 0 }

    /// What was due was removed, or as much of it as is removed at once.
    ///
    /// - Parameter next: when the first of what is left is due.
    mutating func swept(next: Timestamp?, isComplete: Bool, now: Timestamp) {
        self.next = next
        sweptAt = isComplete ? now : nil
    }

    /// Nothing could be removed: it is tried again after the pause.
    mutating func failed(now: Timestamp) { sweptAt = now }
}
