import ArgumentParser
import Foundation
import ParleyBridge

struct Initialize: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Make the data directory: keys, settings and the broker's configuration.",
        discussion: """
            Safe to repeat: keys and settings that are there stay as they are; the broker's configuration is written \
            anew from the template.
            """)

    @OptionGroup var data: DirectoryOptions

    @Option(help: "The port for MQTT, on the loopback interface.")
    var mqttPort = 1893

    @Option(help: "The port for MQTT over WebSocket, on the loopback interface.")
    var wsPort = 9893

    @Option(help: ArgumentHelp("Where the broker's plugin lies.", valueName: "file"))
    var plugin: String

    @Option(help: ArgumentHelp("The template of the broker's configuration.", valueName: "file"))
    var template: String

    func validate() throws {
        for (name, port) in [("--mqtt-port", mqttPort), ("--ws-port", wsPort)] {
            guard (1...65535).contains(port) else { throw ValidationError("\(name) takes a port from 1 to 65535") }
        }
        guard mqttPort != wsPort else { throw ValidationError("--mqtt-port and --ws-port must differ") }
    }

    func run() throws {
        let plugin = URL(fileURLWithPath: plugin).standardizedFileURL.path
        guard FileManager.default.isReadableFile(atPath: plugin) else {
            throw Failure("there is no broker plugin at \(plugin)")
        }
        let directory = data.directory
        try directory.prepare()
        try BrokerTemplate(path: template).install(
            in: directory,
            BrokerTemplate.Values(plugin: plugin, mqttPort: mqttPort, webSocketPort: wsPort, user: NSUserName()))
    }
}
