import ParleyProtocol

/// When rows of one kind that have been there for their time are next to be removed, in parts.
///
/// A value. All times are steady ones.
struct RemovalClock {
    /// No later than the first of all that are to come; `nil` if none is. At first, whatever an earlier process left.
    private var next: Timestamp? = Timestamp(milliseconds: 0)
    private var pace = Pace()

    /// Between two removals: so much longer at most something stays.
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
        pace.rest(for: isComplete ? RemovalClock.pause : .milliseconds(100), from: now)
    }

    /// Nothing could be removed: it is tried again after the pause.
    mutating func recordFailure(now: Timestamp) { pace.rest(for: RemovalClock.pause, from: now) }
}
