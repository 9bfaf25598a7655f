import ArgumentParser
import Foundation

/// The files of a site. `scripts/bench.sh` and `scripts/trials.sh` build the programs, which lie beside this one.
package struct InstallationOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The template of the broker's configuration.", valueName: "file"))
    package var template = "broker-config/development.conf"

    @OptionGroup package var machine: MachineOptions

    package init() {}

    package var installation: Installation {
        Installation(
            template: URL(fileURLWithPath: template).path, scratch: URL(fileURLWithPath: machine.scratch).path)
    }
}
