import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Stores what queries have used of limits, so that it counts in other gateways and after a restart.
///
/// Within a second, or with the next command of the same user that uses the same. It is decided already: nothing is
/// refused here.
final class LimitUsesDuty: Duty {
    typealias Wake = Never
    static let failure: Logger.Message = "what queries have used of limits could not be stored"
    static let sharedWork: SharedWork? = nil
    private let limits: UserLimits
    private var pace = Pace()

    /// The most counts in one transaction, which holds up the batch behind it.
    private static let atOnce = 32
    private static let pause = Duration.milliseconds(250)

    init(_ limits: UserLimits) { self.limits = limits }

    func wait(at moment: Moment) -> Duration? {
        limits.hasUnstored ? pace.wait(until: .earliest, now: moment.steady) : nil
    }

    func run(in batch: Batch) throws(StoreError) {
        for key in limits.nextUnstored(limit: Self.atOnce) { try batch.loadUses(of: key) }
    }

    func recordCommitted(_ done: Void, at moment: Moment) { pace.rest(for: Self.pause, from: moment.steady) }

    func recordFailure(at moment: Moment) { pace.rest(for: Self.pauseAfterFailure, from: moment.steady) }
}
