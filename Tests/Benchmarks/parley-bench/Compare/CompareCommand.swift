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
    @OptionGroup var options: ComparisonPlan

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let (installation, plan) = (places.installation, options.resolved)
        let interruption = try Interruption()
        let loadBefore = Machine.load
        var faults = Faults()
        let series = try Comparison(plan: plan, installation: installation, stop: interruption.stop)
            .run(faults: &faults)

        places.machine.print(
            ComparisonReport(series: series, plan: plan, style: places.machine.style).text,
            [
                "load average before: \(loadBefore), after: \(Machine.load)",
                "\(plan.runs) runs: \(faults.losses) losses, \(faults.duplicates) duplicates, "
                    + "\(faults.reorderings) reorderings, \(faults.refusals) refusals",
            ])
        guard faults.count == 0 else {
            if let refusal = faults.firstRefusal { report("the first refusal: \(refusal)") }
            throw ExitCode(1)
        }
    }
}
