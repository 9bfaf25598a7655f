import ParleyStore

/// When to store how far the broker has acknowledged: now and then with a batch, and soon after the last.
///
/// After a crash publishing goes on from the mark, so an old mark means that events are sent again, which their readers
/// know by their seq; none is ever left out.
struct PublishedMark {
    /// As far as it is on disk.
    private var stored: StreamPosition
    private var triedAt: ContinuousClock.Instant

    private static let step = 256
    private static let pause = Duration.milliseconds(200)

    init(stored: StreamPosition, now: ContinuousClock.Instant) {
        self.stored = stored
        triedAt = now
    }

    /// Whether the mark is to be stored with a batch that is written anyway: often enough that, under a steady trickle, no
    /// transaction of its own ever holds up a message.
    func isDueWithBatch(published: StreamPosition, now: ContinuousClock.Instant) -> Bool {
        stored.distance(to: published) >= PublishedMark.step
            || (published > stored && now - triedAt >= PublishedMark.pause / 2)
    }

    /// Whether the mark is to be stored by itself.
    func isDue(published: StreamPosition, now: ContinuousClock.Instant) -> Bool {
        published > stored && now - triedAt >= PublishedMark.pause
    }

    /// How long until the mark is to be stored by itself; `nil` while there is nothing to store.
    func timeout(published: StreamPosition, now: ContinuousClock.Instant) -> Duration? {
        guard published > stored else { return nil }
        return max(.zero, PublishedMark.pause - (now - triedAt))
    }

    /// A transaction that was to store the mark has ended; `isStored` says whether it has.
    mutating func recordAttempt(_ published: StreamPosition, isStored: Bool, now: ContinuousClock.Instant) {
        triedAt = now
        if isStored { stored = published }
    }
}
