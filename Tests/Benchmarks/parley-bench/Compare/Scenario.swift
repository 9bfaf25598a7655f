import ArgumentParser

/// The conversations of a load: each sender has one of its own.
struct Scenario: Hashable {
    let members: Int
    let senders: Int

    var label: String {
        "conversations of \(members), \(senders) \(senders == 1 ? "sender" : "senders")"
    }
}

/// The options of a comparison.
struct ComparisonPlan: ParsableArguments {
    @Option(parsing: .upToNextOption, help: "Members of a conversation, its sender included.") var members = [2, 10]
    @Option(parsing: .upToNextOption, help: "Senders, each in a conversation of its own.") var senders = [1, 16, 64]

    /// Enough that nobody on the way ever waits for a device, and below the 1000 that the broker lets be unacknowledged
    /// towards one client, so that it queues none.
    @Option(help: "Messages that all senders keep under way for throughput; with 1 each batch is one message.")
    var underWay = 512

    @Option(parsing: .upToNextOption, help: "Messages a second at which latency is measured; 0 for none.")
    var rates = [200, 1000]

    @Option(help: "Senders that share those rates.") var latencySenders = 16
    @Option(parsing: .upToNextOption, help: "What is measured.") var systems = System.ownSystems

    @Option(
        help: ArgumentHelp(
            "A parleyd of another build, measured by turns with this one on the same database.", valueName: "parleyd"))
    var other: String?

    @Option(help: "How often everything is measured; medians are of these.") var runs = 5
    @Option(help: ArgumentHelp("How long throughput is measured each time.", valueName: "s")) var seconds = 6.0
    @Option(help: ArgumentHelp("How long latency is measured each time.", valueName: "s")) var latencySeconds = 10.0
    @Flag(help: "Three short runs of everything, for a first look.") var quick = false

    private var warmUp: Double { quick ? 0.5 : 1 }

    func validate() throws {
        guard members.allSatisfy({ (2...16).contains($0) }) else { throw ValidationError("--members takes 2 to 16") }
        guard senders.allSatisfy({ (1...64).contains($0) }), (1...64).contains(latencySenders) else {
            throw ValidationError("--senders and --latency-senders take 1 to 64")
        }
        guard (1...900).contains(underWay) else { throw ValidationError("--under-way takes 1 to 900") }
        guard other != nil || !systems.contains(.otherGateway) else {
            throw ValidationError("\(System.otherGateway.rawValue) needs --other")
        }
        guard rates.allSatisfy({ (0...100_000).contains($0) }) else { throw ValidationError("--rates is out of range") }
        guard (1...1000).contains(runs) else { throw ValidationError("--runs takes 1 to 1000") }
        guard seconds > 0, latencySeconds > 0 else { throw ValidationError("nothing is measured in no time") }
    }

    /// The plan with what `--quick`, `--other` and a rate of 0 mean.
    var resolved: ComparisonPlan {
        var plan = self
        if other != nil, !systems.contains(.otherGateway) { plan.systems.append(.otherGateway) }
        plan.rates.removeAll { $0 == 0 }
        if quick { (plan.runs, plan.seconds, plan.latencySeconds) = (3, 2, 2) }
        return plan
    }

    var scenarios: [Scenario] {
        members.flatMap { members in
            let counts = senders + (rates.isEmpty || senders.contains(latencySenders) ? [] : [latencySenders])
            return counts.map { Scenario(members: members, senders: $0) }
        }
    }

    /// The loads of one scenario, which follow each other on one start of each system.
    func loads(_ scenario: Scenario) -> [Load] {
        var loads: [Load] = senders.contains(scenario.senders) ? [.throughput] : []
        if scenario.senders == latencySenders { loads += rates.map(Load.rate) }
        return loads
    }

    func loadPlan(_ load: Load, _ scenario: Scenario, _ system: System) -> LoadPlan {
        switch load {
        case .throughput:
            LoadPlan(
                pace: .closed(window: max(1, underWay / scenario.senders)), form: system.form, warmUp: warmUp,
                measured: seconds)
        case .rate(let rate):
            LoadPlan(pace: .open(perSecond: rate), form: system.form, warmUp: warmUp, measured: latencySeconds)
        }
    }
}

/// A way of loading a scenario.
enum Load: Hashable {
    case throughput
    /// So many messages a second.
    case rate(Int)
}
