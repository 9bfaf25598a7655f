import ArgumentParser
import Foundation
import GatewaySite
import Platform

struct CellsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cells",
        abstract: "Measure cells over one PostgreSQL beside one gateway over SQLite.",
        discussion: """
            By turns: a plain relay and the gateway over SQLite on one broker, and so many cells over a PostgreSQL that it \
            starts itself, each with a broker of its own, with the other members of each conversation at the sender's cell, at \
            others, and spread over all. All are on this machine, in temporary directories, and nothing is left behind. The \
            CPU time of more cells than there are cores is what counts, and not how many messages go through.

            The status is 1 if a message was lost, delivered twice or out of order, or refused, or if a log has a hole.
            """)

    @OptionGroup var places: InstallationOptions
    @OptionGroup var plan: CellsPlan

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let interruption = try Interruption()
        let loadBefore = Machine.load
        report("preparing")
        let comparison = try CellsComparison(plan, places.installation, stop: interruption.stop)
        defer { comparison.close() }
        let rounds = try comparison.run()
        let faults = comparison.faults
        places.machine.print(
            CellsReport(rounds: rounds, plan: plan, style: places.machine.style).text,
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
