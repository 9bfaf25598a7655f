import ParleyProtocol

/// When what has been in the feeds for its time is to be removed from them.
///
/// A value. All times are steady ones.
struct FeedRemovalClock {
    /// No later than the first of all that are to come; `nil` if none is. At first, whatever an earlier process left.
    private var next: Timestamp? = Timestamp(milliseconds: 0)
    private var pace = Pace()

    /// Between two removals: so much longer at most something stays in a feed.
    static let pause = Duration.seconds(10)

    /// Something was added that is to be removed then.
    mutating func schedule(at removal: Timestamp) { next = min(next ?? removal, removal) }

    func isDue(now: Timestamp) -> Bool { next.map { pace.wait(until: $0, now: now) } == .zero }

    /// What was due was removed, or as much of it as is removed at once.
    ///
    /// - Parameters:
    ///   - next: when the first of what is left is due.
    ///   - isComplete: whether nothing that was due is left; else the next removal waits for a moment only.
    mutating func recordRemoval(next: Timestamp?, isComplete: Bool, now: Timestamp) {
        self.next = next
        pace.rest(for: isComplete ? FeedRemovalClock.pause : .milliseconds(100), from: now)
    }

    /// Nothing could be removed: it is tried again after the pause.
    mutating func recordFailure(now: Timestamp) { pace.rest(for: FeedRemovalClock.pause, from: now) }
}
