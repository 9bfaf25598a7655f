import Logging
import ParleyRules
import ParleyStore

/// Stores the last acknowledged position: now and then with a batch, and soon after the last one.
///
/// After a crash publishing goes on from there. An old position means that events are sent again, which their readers
/// recognize by their seq; none is ever left out.
final class PublishedMarkDuty: Duty {
    typealias Wake = Never
    static let failure: Logger.Message = "how far the broker has acknowledged could not be stored"
    static let goesWithBatches = true
    static let sharedWork: SharedWork? = nil
    static let publishes = false
    static let pauseAfterFailure = pause
    private let published: PublishedPosition
    /// The position on disk.
    private var stored: StreamPosition
    private var pace = Pace()

    private static let step = 256
    private static let pause = Duration.milliseconds(200)

    init(_ published: PublishedPosition) {
        self.published = published
        stored = published.current
    }

    func wait(at moment: Moment) -> Duration? {
        published.current > stored ? pace.wait(until: moment.steady, now: moment.steady) : nil
    }

    /// Often enough that, under a steady trickle, no transaction of its own ever holds up a message.
    func run(afterRequestsOf batch: Batch) throws(StoreError) -> StreamPosition? {
        guard let wait = wait(at: batch.moment) else { return nil }
        let isDue = wait <= Self.pause / 2 || stored.distance(to: published.current) >= Self.step
        return isDue ? try run(in: batch) : nil
    }

    func run(in batch: Batch) throws(StoreError) -> StreamPosition {
        let position = published.current
        try batch.writable().outbox.advance(through: position, needed: published.neededByCells)
        return position
    }

    func recordCommitted(_ position: StreamPosition, at moment: Moment) {
        stored = position
        pace.rest(for: Self.pause, from: moment.steady)
    }

    func recordFailure(at moment: Moment) { pace.rest(for: Self.pause, from: moment.steady) }
}
