import ArgumentParser
import Foundation

/// What is measured on, and with. The script that built the programs says with what.
package struct MachineOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Where temporary directories are made: a disk like a gateway's.", valueName: "dir"))
    package var scratch = NSTemporaryDirectory()

    @Option(help: ArgumentHelp("What the programs were built with, for the report.", visibility: .hidden))
    package var toolchain: String?

    @Flag(help: "Print tables for a document.")
    package var markdown = false

    package init() {}

    /// Prints a table, and what it was measured on.
    package func print(_ table: Table) {
        Swift.print(table.text(markdown ? .markdown : .plain))
        Swift.print()
        for line in Machine(scratch: scratch, toolchain: toolchain).description + [
            "load average after: \(Machine.load)"
        ] {
            Swift.print(markdown ? "- \(line)" : line)
        }
    }
}
