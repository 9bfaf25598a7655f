import ArgumentParser
import Foundation
import GatewaySite

struct WritersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "writers",
        abstract: "Measure two cells that write into the same conversations of one PostgreSQL.",
        discussion: """
            The two stores of cells are driven as a gateway drives them: facts under row locks, then all writes of a batch. With \
            --gateways devices send to two gateways, each with a broker. It starts its own PostgreSQL, and leaves nothing behind.

            The status is 1 if a message was lost, stored twice or refused, or if a log has a hole.
            """)

    @OptionGroup var places: InstallationOptions
    @OptionGroup var plan: WritersPlan

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let interruption = try Interruption()
        let server = try ServerAccess.makeServer()
        let written =
            plan.gateways
            ? try plan.sendByGateways(on: server, places.installation, stop: interruption.stop)
            : try plan.writeByStores(on: server, scratch: places.installation.scratch, stop: interruption.stop)
        var table = Table(["two cells, \(plan.conversations) conversations", "figure"], names: 1)
        table.rows = written.rows
        places.machine.print(table)
        guard written.faults.count == 0 else {
            if let refusal = written.faults.firstRefusal { report("the first refusal: \(refusal)") }
            throw ExitCode(1)
        }
    }
}
