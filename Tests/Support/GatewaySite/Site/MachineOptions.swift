import ArgumentParser
import Foundation

/// Where to measure, and how to report it.
package struct MachineOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Where temporary directories are made: a disk like a gateway's.", valueName: "dir"))
    package var scratch = NSTemporaryDirectory()

    @Option(help: ArgumentHelp("What the programs were built with, for the report.", visibility: .hidden))
    package var toolchain: String?

    @Flag(help: "Print tables for a document.")
    package var markdown = false

    package init() {}

    package var style: Table.Style { markdown ? .markdown : .plain }

    /// Prints a table, and the machine that it was measured on.
    package func print(_ table: Table) { print(table.text(style), ["load average after: \(Machine.load)"]) }

    /// Prints a text, and the machine that it was measured on with further lines.
    package func print(_ text: String, _ lines: [String]) {
        Swift.print(text)
        Swift.print()
        for line in Machine(scratch: scratch, toolchain: toolchain).description + lines {
            Swift.print(markdown ? "- \(line)" : line)
        }
    }
}
