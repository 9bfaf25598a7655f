/// When the store's files are to be cleaned of deleted rows: its log holds the old pages until it is written back and
/// emptied.
struct CleaningClock {
    /// At first, an earlier process may have been killed before a cleaning.
    private var isUnclean = true
    private var notBefore: ContinuousClock.Instant?

    /// Between two cleanings: each holds up the next batch.
    static let pause = Duration.seconds(10)
    /// After one that a reader has kept from completing.
    private static let retry = Duration.seconds(1)

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
