import GatewaySite
import ArgumentParser
import Foundation
import Platform

struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Measure the gateway beside relays that store nothing, or no more than each batch.",
        discussion: """
            In one run and on one broker, by turns: a plain relay, a stored relay (one synced SQLite commit a batch), \
            the gateway with the event for a reply, and the gateway with replies. It starts everything itself, in a \
            temporary directory, and leaves nothing behind. Trust the ratios: the absolute figures belong to the \
            machine and to the hour.

            The status is 1 if a message was lost, delivered twice or out of order, or refused.
            """)

    @OptionGroup var places: InstallationOptions

    @Option(parsing: .upToNextOption, help: "Members of a conversation, its sender included.")
    var members: [Int] = ComparisonPlan().members

    @Option(parsing: .upToNextOption, help: "Senders, each in a conversation of its own.")
    var senders: [Int] = ComparisonPlan().senders

    @Option(help: "Messages that all senders keep under way for throughput; with 1 each batch is one message.")
    var underWay = ComparisonPlan().underWay

    @Option(parsing: .upToNextOption, help: "Messages a second at which latency is measured; 0 for none.")
    var rates: [Int] = ComparisonPlan().rates

    @Option(help: "Senders that share those rates.")
    var latencySenders = ComparisonPlan().latencySenders

    @Option(parsing: .upToNextOption, help: "What is measured.")
    var systems: [System] = System.ownSystems

    @Option(
        help: ArgumentHelp(
            "A parleyd of another build, measured by turns with this one on the same database.", valueName: "parleyd"))
    var other: String?

    @Option(help: "How often everything is measured; medians are of these.")
    var runs = ComparisonPlan().runs

    @Option(help: ArgumentHelp("How long throughput is measured each time.", valueName: "s"))
    var seconds = ComparisonPlan().seconds

    @Option(help: ArgumentHelp("How long latency is measured each time.", valueName: "s"))
    var latencySeconds = ComparisonPlan().latencySeconds

    @Flag(help: "Three short runs of everything, for a first look.")
    var quick = false

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

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let installation = places.installation
        let interruption = try Interruption()
        let machine = Machine(scratch: installation.scratch, toolchain: places.machine.toolchain)
        let loadBefore = Machine.load
        var faults = Faults()
        let series = try Comparison(plan: plan, installation: installation, stop: interruption.stop)
            .run(faults: &faults)

        let markdown = places.machine.markdown
        let style: Table.Style = markdown ? .markdown : .plain
        print(ComparisonReport(series: series, plan: plan, style: style).text)
        print()
        for line in machine.description + ["load average before: \(loadBefore), after: \(Machine.load)"] {
            print(markdown ? "- \(line)" : line)
        }
        print(
            "\(markdown ? "- " : "")\(plan.runs) runs: \(faults.losses) losses, \(faults.duplicates) duplicates, "
                + "\(faults.reorderings) reorderings, \(faults.refusals) refusals")
        guard faults.count == 0 else {
            if let refusal = faults.firstRefusal { report("the first refusal: \(refusal)") }
            throw ExitCode(1)
        }
    }

    private var plan: ComparisonPlan {
        var plan = ComparisonPlan()
        plan.systems = systems + (other == nil || systems.contains(.otherGateway) ? [] : [.otherGateway])
        plan.otherParleyd = other
        plan.underWay = underWay
        plan.members = members
        plan.senders = senders
        plan.rates = rates.filter { $0 > 0 }
        plan.latencySenders = latencySenders
        plan.runs = quick ? 3 : runs
        plan.warmUp = quick ? 0.5 : plan.warmUp
        plan.seconds = quick ? 2 : seconds
        plan.latencySeconds = quick ? 2 : latencySeconds
        return plan
    }
}
