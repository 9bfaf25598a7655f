import ArgumentParser
import Foundation

/// Where the programs of a site are. `scripts/bench.sh` and `scripts/trials.sh` build them and say so.
package struct InstallationOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The template of the broker's configuration.", valueName: "file"))
    package var template = "broker-config/development.conf"

    @OptionGroup package var machine: MachineOptions

    package init() {}

    /// `parleyd` and the plugin lie beside this program.
    package func installation() throws -> Installation {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let beside = URL(fileURLWithPath: program).deletingLastPathComponent()
        return Installation(
            parleyd: beside.appendingPathComponent("parleyd").path, program: program,
            plugin: beside.appendingPathComponent("libParleyBrokerPlugin.so").path,
            template: URL(fileURLWithPath: template).path, scratch: URL(fileURLWithPath: machine.scratch).path)
    }
}
