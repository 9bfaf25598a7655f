import Foundation
import Launch
import MQTTWire
import ParleyProtocol
import Synchronization
import TestSupport

/// One machine of a gateway: a real Mosquitto with the real plugin and a real `parleyd`, in a data directory with a
/// short path that goes with the value.
final class TestMachine: Sendable {
    let directory: String
    /// Of parleyd, beside the data directory.
    let arguments: [String]
    private let children = Mutex(Children())

    private struct Children {
        var broker: ChildProcess?
        var parleyd: ChildProcess?
        var mqttPort: UInt16 = 0
        /// Where the programs lie, if not beside the tests.
        var programs: String?
    }

    /// Makes the directory, and starts nothing.
    init(settings: JSON, directory: String? = nil, arguments: [String] = []) throws {
        self.directory = directory ?? TestMachine.newDirectory()
        self.arguments = arguments
        try prepare()
        try write(settings)
    }

    /// A path that no other has.
    static func newDirectory() -> String {
        "\(NSTemporaryDirectory())/parley-\(String(UInt32.random(in: 0 ... .max), radix: 36))"
    }

    deinit {
        children.withLock { children in
            for child in [children.parleyd, children.broker] { child?.end(with: SIGKILL) }
        }
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// The broker's.
    var mqttPort: UInt16 { children.withLock { $0.mqttPort } }
    var brokerSocket: String { directory + "/run/broker.sock" }
    var parleyd: ChildProcess? { children.withLock { $0.parleyd } }
    var broker: ChildProcess? { children.withLock { $0.broker } }

    /// What a program writes, `parleyd` or `mosquitto`.
    func files(_ program: String) -> ServiceFiles { ServiceFiles(program, in: directory) }
}

// MARK: Files

extension TestMachine {
    /// Runs `parleyd init`.
    ///
    /// - Parameter port: one that is free now, if not this one.
    private func prepare(port: UInt16? = nil) throws {
        let mqtt = if let port { port } else { try freePort() }
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let result = try ServiceFiles("init", in: directory).run(
            program("parleyd"),
            [
                "init", "--data", directory, "--mqtt-port", "\(mqtt)", "--plugin",
                try program("libParleyBrokerPlugin.so"), "--template", Programs.brokerTemplate,
            ])
        guard result.status == 0 else { throw StartError("parleyd init", result.errors) }
        children.withLock { $0.mqttPort = mqtt }
    }

    private func program(_ name: String) throws -> String {
        try Programs.path(name, in: children.withLock { $0.programs })
    }

    /// Replaces the programs by those in a folder, or by those beside the tests. They begin with the next start.
    func install(_ programs: String?) throws {
        children.withLock { $0.programs = programs }
        try prepare(port: mqttPort)
    }

    /// Replaces the settings; they hold from the next start of parleyd. Without a port for probes there is none.
    func write(_ settings: JSON) throws {
        let settings = settings["probe_port"] == .null ? settings.with(["probe_port": 0]) : settings
        try Data(settings.bytes).write(to: URL(filePath: directory + "/parleyd.json"))
    }

    /// Makes the tokens of another data directory good in this one.
    func copyKeys(from other: TestMachine) throws {
        for file in try FileManager.default.contentsOfDirectory(atPath: other.directory + "/keys") {
            let path = "\(directory)/keys/\(file)"
            try? FileManager.default.removeItem(atPath: path)
            try FileManager.default.copyItem(atPath: "\(other.directory)/keys/\(file)", toPath: path)
        }
    }

    /// Sends those who come by the data directory, as the tool does, to another port than the broker's.
    func lead(to port: UInt16) throws {
        let file = URL(filePath: directory + "/endpoint.json")
        let endpoint = try JSON(parsing: Data(contentsOf: file)).with(["mqtt_port": .int(Int(port))])
        try Data(endpoint.bytes).write(to: file, options: .atomic)
    }
}

// MARK: Processes

extension TestMachine {
    /// Starts the broker and returns when its last listener answers. A port that was taken meanwhile is replaced.
    func startBroker() throws {
        for _ in 0..<5 {
            let broker = try files("mosquitto").launch(Programs.mosquitto, ["-c", directory + "/mosquitto.conf"])
            children.withLock { $0.broker = broker }
            let isListening = try eventually("the broker's socket") { () -> Bool? in
                if let client = try? WireClient(unixSocket: brokerSocket) {
                    client.close()
                    return true
                }
                return broker.isRunning ? nil : false
            }
            if isListening { return }
            try prepare()
        }
        throw StartError("mosquitto", files("mosquitto").errors)
    }

    /// Starts parleyd without waiting for anything.
    func launchParleyd() throws {
        let parleyd = try files("parleyd").launch(program("parleyd"), ["--data", directory] + arguments)
        children.withLock { $0.parleyd = parleyd }
    }

    /// Returns when the parleyd that was launched last says that it is ready.
    func awaitReady() throws { if let parleyd { try files("parleyd").awaitReady(parleyd) } }
}
