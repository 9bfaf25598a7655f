import Logging
import ParleyRules
import ParleyStore

/// Stores the state of the clock: at the start, when it has followed a step, and now and then.
final class ClockDuty: Duty {
    typealias Wake = Never
    static let failure: Logger.Message = "the clock could not be stored"
    static let sharedWork: SharedWork? = nil
    private let clock: MachineClock
    private var pace = Pace()

    init(_ clock: MachineClock) { self.clock = clock }

    func wait(at moment: Moment) -> Duration? {
        max(clock.waitToStore, pace.wait(until: moment.steady, now: moment.steady))
    }

    func run(in batch: Batch) throws(StoreError) { try batch.writable().clock.store(clock.stateToStore()) }

    func recordCommitted(_ done: Void, at moment: Moment) {}

    func recordFailure(at moment: Moment) {
        clock.recordNotStored()
        pace.rest(for: Self.pauseAfterFailure, from: moment.steady)
    }
}
