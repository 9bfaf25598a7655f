import GatewaySite

/// The tables of a comparison.
struct ComparisonReport {
    let series: [Series]
    let plan: ComparisonPlan
    let style: Table.Style

    var text: String {
        var parts: [String] = []
        for members in plan.members {
            let throughput = series.filter { $0.scenario.members == members && $0.load == .throughput }
            guard !throughput.isEmpty else { continue }
            parts.append(heading("Messages a second, conversations of \(members)"))
            parts.append(throughputTable(throughput).text(style))
        }
        let paced = series.filter { $0.load != .throughput }
        if !paced.isEmpty {
            parts.append(heading("From send to the last member's delivery at fixed rates, in milliseconds"))
            parts.append(latencyTable(paced).text(style))
        }
        return parts.joined(separator: "\n\n")
    }

    /// One line of a single sample.
    static func progress(_ sample: Sample, _ load: Load) -> String {
        switch load {
        case .throughput:
            let rate = Int(sample.outcome.messagesPerSecond)
            let (broker, system) = (Int(sample.brokerMicroseconds), Int(sample.systemMicroseconds))
            return "\(rate) messages/s, CPU \(broker) + \(system) µs"
        case .rate(let rate):
            let (median, tail) = (sample.outcome.milliseconds(0.5), sample.outcome.milliseconds(0.99))
            return "at \(rate)/s p50 \(median.formatted(2)) ms, p99 \(tail.formatted(2)) ms"
        }
    }

    private func heading(_ text: String) -> String {
        switch style {
        case .plain: text
        case .markdown: "### \(text)"
        }
    }

    // MARK: Tables

    private func throughputTable(_ series: [Series]) -> Table {
        var table = Table(
            [
                "senders", "system", "messages/s", "÷ plain relay", "÷ stored relay", "CPU µs: broker", "system",
                "both",
            ], names: 2)
        for one in series {
            for system in plan.systems {
                table.rows.append([
                    String(one.scenario.senders), system.label,
                    one.spread(system) { $0.outcome.messagesPerSecond }.formatted(0),
                    one.ratio(system, to: .relay) { $0.outcome.messagesPerSecond }.formatted(2),
                    one.ratio(system, to: .storedRelay) { $0.outcome.messagesPerSecond }.formatted(2),
                    one.median(system) { $0.brokerMicroseconds }.formatted(0),
                    one.median(system) { $0.systemMicroseconds }.formatted(0),
                    one.median(system) { $0.brokerMicroseconds + $0.systemMicroseconds }.formatted(0),
                ])
            }
        }
        return table
    }

    private func latencyTable(_ series: [Series]) -> Table {
        var table = Table(
            [
                "members", "messages/s", "system", "p50", "p99", "p50 ÷ stored relay", "p99 ÷ stored relay",
            ], names: 3)
        for one in series {
            guard case .rate(let rate) = one.load else { continue }
            for system in plan.systems {
                table.rows.append([
                    String(one.scenario.members), String(rate), system.label,
                    one.spread(system) { $0.outcome.milliseconds(0.5) }.formatted(2),
                    one.spread(system) { $0.outcome.milliseconds(0.99) }.formatted(2),
                    one.ratio(system, to: .storedRelay) { $0.outcome.milliseconds(0.5) }.formatted(2),
                    one.ratio(system, to: .storedRelay) { $0.outcome.milliseconds(0.99) }.formatted(2),
                ])
            }
        }
        return table
    }
}

extension LoadOutcome {
    /// The latency below which a share of the messages stayed, in milliseconds.
    fileprivate func milliseconds(_ share: Double) -> Double {
        latencies.percentile(share).map { Double($0) / 1e6 } ?? .nan
    }
}

extension Series {
    fileprivate func spread(_ system: System, _ value: (Sample) -> Double) -> Spread? {
        Spread(rounds.compactMap { $0[system] }.map(value))
    }

    fileprivate func median(_ system: System, _ value: (Sample) -> Double) -> Double? {
        spread(system, value)?.median
    }

    /// How a system does by another's measure in the same round.
    fileprivate func ratio(_ system: System, to other: System, _ value: (Sample) -> Double) -> Spread? {
        guard system != other else { return nil }
        return Spread(
            rounds.compactMap { round in
                guard let mine = round[system], let theirs = round[other] else { return nil }
                return value(mine) / value(theirs)
            })
    }
}
