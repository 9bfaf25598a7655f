import ArgumentParser
import ParleyBridge
import PrivateFiles

@main
struct Parleyd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parleyd",
        abstract: "The gateway of Parley: decides, remembers and publishes what devices send through Mosquitto.",
        version: parleyVersion,
        subcommands: [
            Run.self, Initialize.self, CheckConfig.self, Doctor.self, Backup.self, Restore.self, Export.self,
            Import.self, BrokerLog.self,
        ],
        defaultSubcommand: Run.self)

    static func main() async {
        // Before anything is written, by whichever library.
        Files.makeNewFilesPrivate()
        await main(nil)
    }
}

/// Which gateway a command is about.
struct DirectoryOptions: ParsableArguments {
    @Option(name: .customLong("data"), help: ArgumentHelp("The gateway's data directory.", valueName: "dir"))
    var path = "./data"

    var directory: DataDirectory { DataDirectory(path: path) }
}

/// Prints a sentence on standard error and ends with status 1.
struct CommandError: Error, CustomStringConvertible {
    let description: String

    init(_ sentence: some CustomStringConvertible) { description = sentence.description }
}
