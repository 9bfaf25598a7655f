import ParleyStore

/// What users spend of their rates of requests: on the way to the other cells, and what all have spent on the way back.
final class RateExchange: Sendable {
    private struct State {
        var own: [RateSpending] = []
        var all: [RateSpending] = []
    }

    private let state = Monitor(State())

    /// More than that are late in any case, and are dropped.
    private static let most = 4096

    // MARK: The intake

    func add(_ spendings: [RateSpending]) {
        state.withLock { $0.own += spendings.prefix(RateExchange.most - min(RateExchange.most, $0.own.count)) }
    }

    /// What all have spent, since this was last asked.
    func drainAll() -> [RateSpending] {
        state.withLock { state in
            guard !state.all.isEmpty else { return [] }
            defer { state.all = [] }
            return state.all
        }
    }

    // MARK: The thread of cells

    /// Takes some of what is to be shared.
    func drainOwn(limit: Int) -> [RateSpending] {
        state.withLock { state in
            let first = Array(state.own.prefix(limit))
            state.own.removeFirst(first.count)
            return first
        }
    }

    func record(_ all: [RateSpending]) {
        state.withLock { $0.all += all.prefix(RateExchange.most - min(RateExchange.most, $0.all.count)) }
    }
}
