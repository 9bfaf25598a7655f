import GatewaySite

/// The tables of a measurement of cells.
struct CellsReport {
    let rounds: [CellsComparison.Round]
    let plan: CellsPlan
    let style: Table.Style

    var text: String {
        var parts: [String] = []
        for load in plan.loads {
            switch load {
            case .underWay(let count):
                parts.append(heading("\(count) messages under way at each cell"))
                parts.append(throughputTable(load).text(style))
            case .rate(let rate):
                parts.append(heading("\(rate) messages a second"))
                parts.append(latencyTable(load).text(style))
            }
        }
        return parts.joined(separator: "\n\n")
    }

    /// One line of a single sample.
    static func progress(_ sample: CellSample, _ load: CellLoad) -> String {
        let parts = "\(Int(sample.brokers)) + \(Int(sample.gateways)) + \(Int(sample.database)) µs"
        let batch = sample.batch.map { ", \($0.formatted(1)) in a batch" } ?? ""
        switch load {
        case .underWay: return "\(Int(sample.outcome.messagesPerSecond)) messages/s, CPU \(parts)\(batch)"
        case .rate:
            let (median, tail) = (sample.milliseconds(0.5), sample.milliseconds(0.99))
            return "p50 \(median.formatted(2)) ms, p99 \(tail.formatted(2)) ms, CPU \(parts)\(batch)"
        }
    }

    private func heading(_ text: String) -> String {
        switch style {
        case .plain: text
        case .markdown: "### \(text)"
        }
    }

    private static let parts = ["CPU µs: brokers", "gateways", "PostgreSQL", "all"]

    private func throughputTable(_ load: CellLoad) -> Table {
        var table = Table(["system", "messages/s", "in a batch"] + Self.parts + ["all ÷ 1 cell"], names: 1)
        for system in plan.systems {
            table.rows.append(
                [
                    system.label, spread(system, load) { $0.outcome.messagesPerSecond }.formatted(0),
                    median(system, load) { $0.batch }.formatted(0),
                ] + cpu(system, load) + [ratio(system, load, to: .cells(1, .here)) { $0.all }.formatted(2)])
        }
        return table
    }

    private func latencyTable(_ load: CellLoad) -> Table {
        var table = Table(["system", "p50 ms", "p99 ms", "p50 ÷ SQLite"] + Self.parts, names: 1)
        for system in plan.systems {
            table.rows.append(
                [
                    system.label, spread(system, load) { $0.milliseconds(0.5) }.formatted(2),
                    spread(system, load) { $0.milliseconds(0.99) }.formatted(2),
                    ratio(system, load, to: .sqlite) { $0.milliseconds(0.5) }.formatted(2),
                ] + cpu(system, load))
        }
        return table
    }

    private func cpu(_ system: CellSystem, _ load: CellLoad) -> [String] {
        [
            median(system, load) { $0.brokers }.formatted(0), median(system, load) { $0.gateways }.formatted(0),
            median(system, load) { $0.database }.formatted(0), spread(system, load) { $0.all }.formatted(0),
        ]
    }

    private func spread(_ system: CellSystem, _ load: CellLoad, _ value: (CellSample) -> Double?) -> Spread? {
        Spread(rounds.compactMap { $0[system]?[load].flatMap(value) })
    }

    private func median(_ system: CellSystem, _ load: CellLoad, _ value: (CellSample) -> Double?) -> Double? {
        spread(system, load, value)?.median
    }

    /// How a system does by another's measure in the same round.
    private func ratio(
        _ system: CellSystem, _ load: CellLoad, to other: CellSystem, _ value: (CellSample) -> Double
    ) -> Spread? {
        guard system != other else { return nil }
        return Spread(
            rounds.compactMap { round in
                guard let mine = round[system]?[load], let theirs = round[other]?[load] else { return nil }
                return value(mine) / value(theirs)
            })
    }
}

extension CellLoad {
    var label: String {
        switch self {
        case .underWay(let count): "\(count) under way"
        case .rate(let rate): "\(rate) a second"
        }
    }
}
