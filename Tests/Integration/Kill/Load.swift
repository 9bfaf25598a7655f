import Synchronization
import TestSupport

/// The state that the devices under load share with the killer.
final class Load: Sendable {
    private struct State {
        var isEnded = false
        var drained = 0
        var deadline: ContinuousClock.Instant?
    }

    private let devices: Int
    private let state = Mutex(State())

    init(devices: Int) { self.devices = devices }

    /// Ends sending. Requests without a reply are given up after the patience of tests.
    func end() {
        state.withLock {
            $0.isEnded = true
            $0.deadline = .now.advanced(by: patience * 2)
        }
    }

    var isEnded: Bool { state.withLock { $0.isEnded } }

    var hasGivenUp: Bool { state.withLock { $0.deadline.map { .now > $0 } ?? false } }

    /// One more device has an answer to all that it sent.
    func deviceHasDrained() { state.withLock { $0.drained += 1 } }

    /// Whether all of them have.
    var isDrained: Bool { state.withLock { $0.drained == devices } }
}
