/// When to note how far the broker has acknowledged: now and then with a batch, and soon after the last.
///
/// After a crash publishing goes on from the mark, so an old mark means that events are sent again, which their readers
/// know by their seq; none is ever left out.
struct PublishedMark {
    private var stored: Int
    private var notedAt = ContinuousClock.now

    private static let step = 256
    private static let pause = Duration.milliseconds(200)

    init(stored: Int) { self.stored = stored }

    /// The mark to note with a batch that is written anyway.
    mutating func due(published: Int) -> Int? {
        guard published - stored >= PublishedMark.step else { return nil }
        return note(published)
    }

    /// The mark to note by itself.
    mutating func dueWhenIdle(published: Int) -> Int? {
        guard published > stored, ContinuousClock.now - notedAt >= PublishedMark.pause else { return nil }
        return note(published)
    }

    /// How long until the mark is to be noted by itself; `nil` while there is nothing to note.
    func timeout(published: Int) -> Duration? {
        guard published > stored else { return nil }
        return max(.zero, PublishedMark.pause - (ContinuousClock.now - notedAt))
    }

    private mutating func note(_ published: Int) -> Int {
        stored = published
        notedAt = .now
        return published
    }
}
