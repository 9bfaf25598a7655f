import Platform
import Synchronization

/// When the loops that everybody waits for last went round. Each does at least every few seconds, whether there is
/// work or a broker, so that a loop which hangs is noticed.
final class LoopTurns: Sendable {
    private let intake: Atomic<Int64>
    private let publisher: Atomic<Int64>

    /// Both begin now.
    init() {
        let now = SystemClock.monotonic.nanoseconds
        intake = Atomic(now)
        publisher = Atomic(now)
    }

    func recordIntake() { intake.store(SystemClock.monotonic.nanoseconds, ordering: .relaxed) }

    func recordPublisher() { publisher.store(SystemClock.monotonic.nanoseconds, ordering: .relaxed) }

    /// Whether each has gone round in the last `interval`.
    func areRecent(within interval: Duration) -> Bool {
        let now = SystemClock.monotonic.nanoseconds
        let oldest = min(intake.load(ordering: .relaxed), publisher.load(ordering: .relaxed))
        return .nanoseconds(now - oldest) <= interval
    }
}
