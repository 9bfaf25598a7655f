/// When the store's files are to be cleaned of deleted rows: its log holds the old pages until it is written back and
/// emptied.
struct CleaningClock {
    /// At first, an earlier process may have been killed before a cleaning.
    private var isUnclean = true
    private var notBefore: ContinuousClock.Instant?
    /// How many in a row a reader has kept from completing.
    private var failures = 0

    /// Between two cleanings: each holds up the next batch.
    static let pause = Duration.seconds(10)
    /// After one that a reader has kept from completing.
    private static let retry = Duration.seconds(1)

    /// Whether to wait for readers. One that was in the way may be there for long, such as a backup: waiting each time
    /// would hold up batches again and again. Now and then they are waited for, or short readers could take turns for
    /// ever.
    var waits: Bool { failures % CleaningClock.failuresBeforeWaiting == 0 }
    private static let failuresBeforeWaiting = 30

    mutating func markUnclean() { isUnclean = true }

    /// How long until the files are to be cleaned; `nil` while there is nothing to clean.
    func wait(now: ContinuousClock.Instant) -> Duration? {
        guard isUnclean else { return nil }
        return notBefore.map { max(.zero, $0 - now) } ?? .zero
    }

    func isDue(now: ContinuousClock.Instant) -> Bool { wait(now: now) == .zero }

    mutating func recordCleaning(isDone: Bool, now: ContinuousClock.Instant) {
        isUnclean = !isDone
        failures = isDone ? 0 : failures + 1
        notBefore = now + (isDone ? CleaningClock.pause : CleaningClock.retry)
    }
}
