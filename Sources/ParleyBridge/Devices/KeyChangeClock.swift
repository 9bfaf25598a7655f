import ParleyProtocol

/// When `keys.changed` is next to be published: at once, and never more than so many in a second.
///
/// A value. All times are steady ones.
struct KeyChangeClock {
    /// No later than the first event that is to be published; `nil` if none is. At first, whatever an earlier process left.
    private var next: Timestamp? = Timestamp(milliseconds: 0)
    private var pace = Pace()

    /// What came of publishing some.
    struct Published {
        /// How many users were looked at, whether the event went to them or not.
        let count: Int
        /// When the first of what is left is due.
        let next: Timestamp?
    }

    /// Somebody's keys have changed.
    mutating func schedule(at now: Timestamp) { next = min(next ?? now, now) }

    /// How long until something is to be published; `nil` while nothing is.
    func wait(now: Timestamp) -> Duration? { next.map { pace.wait(until: $0, now: now) } }

    func isDue(now: Timestamp) -> Bool { wait(now: now) == .zero }

    /// What was published is committed.
    mutating func recordCommitted(_ published: Published, now: Timestamp) {
        next = published.next
        pace.rest(for: Pace.pause(after: published.count), from: now)
    }

    /// The transaction has failed, with whatever it was to publish.
    mutating func recordFailure(now: Timestamp) {
        next = Timestamp(milliseconds: 0)
        pace.rest(for: Pace.pauseAfterFailure, from: now)
    }
}
