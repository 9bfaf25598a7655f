import ArgumentParser
import Foundation
import ParleyBridge

struct Initialize: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Make the data directory: keys, settings and the broker's configuration.",
        discussion: """
            Safe to repeat: keys and settings that are there stay as they are; the broker's configuration is written \
            anew from the template, and with --door that of the door before it, DIR/haproxy.cfg.
            """)

    @OptionGroup var data: DirectoryOptions

    @Option(help: "The broker's port for MQTT, on the loopback interface.")
    var mqttPort = 1893

    @Option(
        name: [.long, .customLong("ws-port")],
        help: "The web door's port, on the loopback interface, for programs that ask where it is.")
    var webPort: Int?

    @Option(help: ArgumentHelp("Where the broker's plugin lies.", valueName: "file"))
    var plugin: String

    @Option(help: ArgumentHelp("The template of the broker's configuration.", valueName: "file"))
    var template: String

    @Flag(
        help: """
            For development: settings that are made let everybody register at the web door, and mails become files in \
            DIR/mails. Settings that are there stay as they are.
            """)
    var development = false

    @Flag(help: "Let the broker run as root, without a warning, in a directory that belongs to root.")
    var allowRoot = false

    @OptionGroup(title: "A gateway on the open network") var door: DoorOptions

    func validate() throws {
        var names = ["--mqtt-port"]
        var ports = [mqttPort]
        if let webPort {
            names.append("--web-port")
            ports.append(webPort)
        }
        if door.template != nil {
            names.append("--door-port")
            ports.append(door.doorPort)
        }
        for (name, port) in zip(names, ports) {
            guard (1...65535).contains(port) else { throw ValidationError("\(name) takes a port from 1 to 65535") }
        }
        guard Set(ports).count == ports.count else {
            throw ValidationError(
                "\(names.dropLast().joined(separator: ", ")) and \(names[names.count - 1]) must differ")
        }
    }

    func run() throws {
        let plugin = absolutePath(plugin)
        guard FileManager.default.isReadableFile(atPath: plugin) else {
            throw CommandError("there is no broker plugin at \(plugin)")
        }
        let template = try BrokerTemplate(path: template, door: door.door())
        let directory = data.directory
        try directory.prepare(isForDevelopment: development)
        let user = try directory.owner()
        if user == "root", !allowRoot {
            let warning = "warning: the broker will run as root, which owns \(directory.path); --allow-root means it\n"
            FileHandle.standardError.write(Data(warning.utf8))
        }
        try template.install(
            in: directory,
            BrokerTemplate.Values(plugin: plugin, mqttPort: mqttPort, webPort: webPort, user: user))
    }
}

/// How devices come in where others are on the network too.
struct DoorOptions: ParsableArguments {
    @Option(
        name: .customLong("door"),
        help: ArgumentHelp(
            "The template of HAProxy's configuration, for a gateway on the open network.", valueName: "file"))
    var template: String?

    @Option(help: ArgumentHelp("What devices call the gateway; the certificate must name it.", valueName: "name"))
    var host: String?

    @Option(help: "The door's port for MQTT over TLS, on every interface.")
    var doorPort = 8883

    @Flag(name: .customLong("no-ipv6"), help: "The machine has no IPv6: the door listens on IPv4 alone.")
    var noIPv6 = false

    @Option(
        help: ArgumentHelp(
            "The certificate, its chain and its private key in one PEM file, for HAProxy to read; it finds the key in "
                + "FILE.key, too.",
            valueName: "file"))
    var cert: String?

    @Option(
        name: .customLong("ca"),
        help: ArgumentHelp(
            "The certificates that parley trusts, a PEM file; without, those that the system trusts.", valueName: "file"
        ))
    var authority: String?

    func validate() throws {
        guard template != nil else {
            guard host == nil, cert == nil, authority == nil, !noIPv6 else {
                throw ValidationError("--host, --cert, --ca and --no-ipv6 belong to --door")
            }
            return
        }
        guard let host, !host.isEmpty, !host.contains(where: { $0.isWhitespace || $0.isNewline }) else {
            throw ValidationError("--door needs --host, the name that devices call")
        }
        guard cert?.isEmpty == false else { throw ValidationError("--door needs --cert, the file of its certificate") }
    }

    func door() throws -> BrokerTemplate.Door? {
        guard let template, let host, let cert else { return nil }
        let authority = authority.map(absolutePath)
        if let authority, !FileManager.default.isReadableFile(atPath: authority) {
            throw CommandError("there are no certificates to read at \(authority)")
        }
        return try BrokerTemplate.Door(
            template: ConfigurationTemplate(path: template), host: host, port: doorPort,
            certificate: absolutePath(cert),
            authority: authority, listensOnIPv6: !noIPv6)
    }
}

private func absolutePath(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }
