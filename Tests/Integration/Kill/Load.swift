import Synchronization
import TestSupport

/// What the devices under load and the one who kills know of each other.
final class Load: Sendable {
    private struct State {
        var isEnded = false
        var drained = 0
        var deadline: ContinuousClock.Instant?
    }

    private let devices: Int
    private let state = Mutex(State())

    init(devices: Int) { self.devices = devices }

    /// Nothing new is sent from now on. What is unanswered after the patience of tests is given up.
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
