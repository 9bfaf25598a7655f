import ParleyPush
import Platform

/// What comes to the thread of pushes, and wakes it.
final class PushInbox: Sendable {
    private struct State {
        var outcomes: [PushOutcome] = []
        var isClosed = false
    }

    private let state = Monitor(State())
    let arrived: WakeUp

    init() throws(SystemError) { arrived = try WakeUp() }

    /// From a push service.
    func add(_ outcome: PushOutcome) {
        state.withLock { $0.outcomes.append(outcome) }
        arrived.signal()
    }

    func drainOutcomes() -> [PushOutcome] {
        state.withLock { state in
            defer { state.outcomes = [] }
            return state.outcomes
        }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    func close() {
        state.withLock { $0.isClosed = true }
        arrived.signal()
    }
}
