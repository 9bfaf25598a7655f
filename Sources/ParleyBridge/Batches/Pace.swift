import ParleyProtocol

/// The pace of work in parts: the next is not run before it is due, nor before the pause after the last has passed.
///
/// A value. All times are steady ones.
struct Pace {
    private var pauseStart = Timestamp(milliseconds: 0)
    private var pause = Duration.zero

    /// After a transaction that could not be committed.
    static let pauseAfterFailure = Duration.seconds(1)

    /// After so many events: a thousand in a second are enough.
    static func pause(after count: Int) -> Duration { .milliseconds(count) }

    /// How long until work may go on that is due at a time.
    func wait(until due: Timestamp, now: Timestamp) -> Duration {
        let untilDue = max(.zero, now.duration(to: due))
        // A clock that was set back does not prolong the pause.
        guard now >= pauseStart else { return untilDue }
        return max(untilDue, pause - pauseStart.duration(to: now))
    }

    /// Lets nothing go on for so long from now.
    mutating func rest(for pause: Duration, from now: Timestamp) { (pauseStart, self.pause) = (now, pause) }
}
