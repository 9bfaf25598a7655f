import ParleyProtocol

/// When challenges are next to be looked at: when one ends, or somebody has come further in one.
///
/// A value. All times are steady ones.
struct ChallengeClock {
    /// No later than the first challenge that is to be looked at; `nil` if none is. At first, whatever an earlier process
    /// left.
    private var next: Timestamp? = Timestamp(milliseconds: 0)
    private var pace = Pace()

    /// What came of looking at some.
    struct Outcome {
        /// How many.
        let count: Int
        /// When the first of what is left is due.
        let next: Timestamp?
    }

    /// From when progress of a challenge was published until it may be again.
    static let pause = Duration.seconds(1)

    /// A challenge is to be looked at then.
    mutating func schedule(at due: Timestamp) { next = min(next ?? due, due) }

    /// How long until one is; `nil` while none is.
    func wait(now: Timestamp) -> Duration? { next.map { pace.wait(until: $0, now: now) } }

    func isDue(now: Timestamp) -> Bool { wait(now: now) == .zero }

    /// What became of them is committed.
    mutating func recordCommitted(_ outcome: Outcome, now: Timestamp) {
        next = outcome.next
        pace.rest(for: Pace.pause(after: outcome.count), from: now)
    }

    /// The transaction has failed, with whatever would have become of them.
    mutating func recordFailure(now: Timestamp) {
        next = Timestamp(milliseconds: 0)
        pace.rest(for: Pace.pauseAfterFailure, from: now)
    }
}
