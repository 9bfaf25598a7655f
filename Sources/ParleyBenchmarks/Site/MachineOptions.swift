import ArgumentParser
import Foundation

/// What is measured on, and with. `scripts/bench.sh` says what it has built with.
struct MachineOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Where temporary directories are made: a disk like a gateway's.", valueName: "dir"))
    var scratch = NSTemporaryDirectory()

    @Option(help: ArgumentHelp("What the programs were built with, for the report.", visibility: .hidden))
    var toolchain: String?

    @Flag(help: "Print tables for a document.")
    var markdown = false

    /// Prints a table, and what it was measured on.
    func print(_ table: Table) {
        Swift.print(table.text(markdown ? .markdown : .plain))
        Swift.print()
        for line in Machine(scratch: scratch, toolchain: toolchain).description + [
            "load average after: \(Machine.load)"
        ] {
            Swift.print(markdown ? "- \(line)" : line)
        }
    }
}
