import GatewaySite

/// Runs of messages alone, and as many beside something else.
struct MessagesBeside {
    private(set) var alone: [LoadOutcome] = []
    private(set) var beside: [LoadOutcome] = []
    private(set) var faults = Faults()

    mutating func add(alone outcome: LoadOutcome) {
        alone.append(outcome)
        faults += outcome.faults
    }

    mutating func add(beside outcome: LoadOutcome) {
        beside.append(outcome)
        faults += outcome.faults
    }

    /// Of the last turn, for a line of progress.
    func p99(beside other: String) -> String {
        func last(_ outcomes: [LoadOutcome]) -> String {
            (outcomes.last.map { milliseconds($0, 0.99) } ?? .nan).formatted(2)
        }
        return "p99 \(last(alone)) ms alone, \(last(beside)) ms beside \(other)"
    }

    func table(_ messages: String, beside other: String) -> Table {
        var table = Table(["messages", "beside them", "p50 ms", "p99 ms", "longest"], names: 2)
        for (other, outcomes) in [("nothing", alone), (other, beside)] {
            func spread(_ share: Double) -> Spread? { Spread(outcomes.map { milliseconds($0, share) }) }
            table.rows.append([
                messages, other, spread(0.5).formatted(2), spread(0.99).formatted(2),
                (outcomes.map { milliseconds($0, 1) }.max() ?? .nan).formatted(1),
            ])
        }
        return table
    }

    private func milliseconds(_ outcome: LoadOutcome, _ share: Double) -> Double {
        outcome.latencies.percentile(share).map { Double($0) / 1e6 } ?? .nan
    }
}
