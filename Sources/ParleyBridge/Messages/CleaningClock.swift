/// When the files of the store are to be cleaned of what was removed from it: until its log is written back and
/// emptied, that holds the pages as they were.
struct CleaningClock {
    /// At first, an earlier process may have been killed before it came to it.
    private var isUnclean = true
    private var notBefore: ContinuousClock.Instant?

    /// Between two cleanings: each holds up the batch that comes next.
    static let pause = Duration.seconds(10)
    /// After one that a reader was in the way of.
    private static let retry = Duration.seconds(1)

    /// Something was removed.
    mutating func markUnclean() { isUnclean = true }

    /// How long until the files are to be cleaned; `nil` while there is nothing to clean.
    func wait(now: ContinuousClock.Instant) -> Duration? {
        guard isUnclean else { return nil }
        return notBefore.map { max(.zero, $0 - now) } ?? .zero
    }

    func isDue(now: ContinuousClock.Instant) -> Bool { wait(now: now) == .zero }

    mutating func recordCleaning(isDone: Bool, now: ContinuousClock.Instant) {
        isUnclean = !isDone
        notBefore = now + (isDone ? CleaningClock.pause : CleaningClock.retry)
    }
}
