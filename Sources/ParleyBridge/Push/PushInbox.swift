import ParleyPush
import Platform

/// Outcomes for the thread of pushes, which they wake.
final class PushInbox: Sendable {
    private struct State {
        var outcomes: [PushOutcome] = []
        var isClosed = false
    }

    private let state = Monitor(State())
    let arrived: WakeUp

    init() throws(SystemError) { arrived = try WakeUp() }

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
