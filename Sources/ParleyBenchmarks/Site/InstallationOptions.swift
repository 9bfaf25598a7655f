import ArgumentParser
import Foundation

/// Where the measured programs are. `scripts/bench.sh` builds them and says so.
struct InstallationOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The template of the broker's configuration.", valueName: "file"))
    var template = "broker-config/development.conf"

    @OptionGroup var machine: MachineOptions

    /// `parleyd` and the plugin lie beside this program.
    func installation() throws -> Installation {
        let bench = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let beside = URL(fileURLWithPath: bench).deletingLastPathComponent()
        return Installation(
            parleyd: beside.appendingPathComponent("parleyd").path, bench: bench,
            plugin: beside.appendingPathComponent("libParleyBrokerPlugin.so").path,
            template: URL(fileURLWithPath: template).path, scratch: URL(fileURLWithPath: machine.scratch).path)
    }
}
