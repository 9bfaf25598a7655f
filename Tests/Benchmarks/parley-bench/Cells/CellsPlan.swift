import ArgumentParser

/// The options of a measurement of cells.
struct CellsPlan: ParsableArguments {
    @Option(parsing: .upToNextOption, help: "How many cells.") var cells = [1, 2, 4]

    @Option(parsing: .upToNextOption, help: "Messages that the senders of a cell keep under way; 0 for none.")
    var underWay = [64, 512]

    @Option(parsing: .upToNextOption, help: "Messages a second, of all, at which latency is measured; 0 for none.")
    var rates = [200]

    @Option(help: "Senders of a cell, each in a conversation of its own.") var senders = 16
    @Option(help: "Members of a conversation, its sender included.") var members = 2
    @Option(help: "How often everything is measured; medians are of these.") var runs = 3
    @Option(help: ArgumentHelp("How long throughput is measured each time.", valueName: "s")) var seconds = 4.0
    @Option(help: ArgumentHelp("How long latency is measured each time.", valueName: "s")) var latencySeconds = 6.0

    static let mostCells = 8
    private static let warmUp = 1.0

    func validate() throws {
        guard cells.allSatisfy({ (1...Self.mostCells).contains($0) }) else {
            throw ValidationError("--cells takes 1 to \(Self.mostCells)")
        }
        guard (1...64).contains(senders) else { throw ValidationError("--senders takes 1 to 64") }
        guard (2...16).contains(members) else { throw ValidationError("--members takes 2 to 16") }
        guard underWay.allSatisfy({ (0...900).contains($0) }) else {
            throw ValidationError("--under-way takes 0 to 900")
        }
        guard rates.allSatisfy({ (0...100_000).contains($0) }) else { throw ValidationError("--rates is out of range") }
        guard runs > 0, seconds > 0, latencySeconds > 0 else {
            throw ValidationError("nothing is measured in no time")
        }
    }

    var systems: [CellSystem] {
        [.relay, .sqlite]
            + cells.flatMap { count in
                count == 1 ? [.cells(1, .here)] : Hearers.allCases.map { CellSystem.cells(count, $0) }
            }
    }

    /// The loads of a system, which follow each other on one start of it.
    var loads: [CellLoad] {
        underWay.filter { $0 > 0 }.map(CellLoad.underWay) + rates.filter { $0 > 0 }.map(CellLoad.rate)
    }

    func loadPlan(_ load: CellLoad) -> LoadPlan {
        switch load {
        case .underWay(let count):
            LoadPlan(
                pace: .closed(window: max(1, count / senders)), form: .event, warmUp: Self.warmUp, measured: seconds)
        case .rate(let rate):
            LoadPlan(pace: .open(perSecond: rate), form: .event, warmUp: Self.warmUp, measured: latencySeconds)
        }
    }
}

/// A way of loading cells.
enum CellLoad: Hashable {
    /// Each cell's senders keep so many messages under way.
    case underWay(Int)
    /// So many messages a second, of all cells together.
    case rate(Int)
}
