import Launch
import MQTTWire
import Foundation
import MQTTClient
import ParleyProtocol
import Synchronization
import TestSupport

/// A whole gateway of a test's own: a real Mosquitto with the real plugin and a real `parleyd`, in a data directory
/// with a short path that goes with the value.
final class TestGateway: Sendable {
    let directory: String
    /// The device of the operator's credentials in the data directory.
    let console: String
    /// Of parleyd, beside the data directory.
    let arguments: [String]
    private let children = Mutex(Children())
    private let names = Atomic<Int>(0)

    private struct Children {
        var broker: ChildProcess?
        var parleyd: ChildProcess?
        var mqttPort: UInt16 = 0
    }

    /// Limits so high that tests which share a gateway do not meet them.
    static let roomy: JSON = [
        "request_burst": 1_000_000, "requests_per_second": 1_000_000, "first_message_burst": 1_000_000,
        "key_fetches_per_hour": 1_000_000, "stranger_lookups_per_hour": 1_000_000, "publish_burst": 1_000_000,
        "publishes_per_second": 1_000_000,
        "publish_burst_bytes": 1_073_741_824,
        "publish_bytes_per_second": 1_073_741_824, "subscribe_burst": 1_000_000,
        "connections_per_device": 1000, "connections_per_user": 1000, "connection_names_per_day": 1000,
        "reports_per_hour": 1_000_000, "stored_bytes_per_day": 1_099_511_627_776,
    ]

    /// Makes the directory and starts both; returns when devices can sign in.
    ///
    /// - Parameters:
    ///   - settings: what stands in `parleyd.json`.
    ///   - directory: an empty one to use, if not a new one in the system's place for such.
    ///   - arguments: of parleyd, beside the data directory.
    ///   - console: the operator's device whose credentials parleyd makes.
    ///   - start: `false` makes the directory and starts nothing.
    init(
        settings: JSON = roomy, directory: String? = nil, arguments: [String] = [], console: String = "console",
        start: Bool = true
    ) throws {
        let name = "parley-\(String(UInt32.random(in: 0 ... .max), radix: 36))"
        self.directory = directory ?? "\(NSTemporaryDirectory())/\(name)"
        self.arguments = arguments
        self.console = console
        try prepare()
        try write(settings)
        guard start else { return }
        try startBroker()
        try startParleyd()
    }

    deinit {
        children.withLock { children in
            for child in [children.parleyd, children.broker] { child?.end(with: SIGKILL) }
        }
        try? FileManager.default.removeItem(atPath: directory)
    }

    var mqttPort: UInt16 { children.withLock { $0.mqttPort } }
    var database: String { directory + "/parley.db" }
    var brokerSocket: String { directory + "/run/broker.sock" }
    /// All that parleyd has written on standard error.
    var log: String { files("parleyd").errors }
    var brokerLog: String { files("mosquitto").errors }

    /// A name that no other test on this gateway has.
    func uniqueName(_ prefix: String = "user") -> String {
        "\(prefix)\(names.wrappingAdd(1, ordering: .relaxed).newValue)"
    }
}

// MARK: Files

extension TestGateway {
    /// Runs `parleyd init` with a port that is free now.
    private func prepare() throws {
        let mqtt = try freePort()
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let result = try run([
            "init", "--data", directory, "--mqtt-port", "\(mqtt)", "--plugin",
            try Programs.path("libParleyBrokerPlugin.so"), "--template", Programs.brokerTemplate,
        ])
        guard result.status == 0 else { throw StartError("parleyd init", result.errors) }
        children.withLock { $0.mqttPort = mqtt }
    }

    /// Replaces the settings; they hold from the next start of parleyd.
    func write(_ settings: JSON) throws {
        try Data(settings.bytes).write(to: URL(filePath: directory + "/parleyd.json"))
    }

    /// Runs parleyd to its end.
    func run(_ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
        try ServiceFiles("run-\(uniqueName(""))", in: directory).run(Programs.path("parleyd"), arguments)
    }
}

// MARK: Processes

extension TestGateway {
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
        throw StartError("mosquitto", brokerLog)
    }

    /// Starts parleyd and returns when it says that it is ready.
    func startParleyd() throws {
        try launchParleyd()
        try awaitReady()
    }

    /// Starts parleyd without waiting for anything.
    func launchParleyd() throws {
        let parleyd = try files("parleyd").launch(Programs.path("parleyd"), ["--data", directory] + arguments)
        children.withLock { $0.parleyd = parleyd }
    }

    /// Whether the parleyd that was launched last has said that devices can sign in.
    var isReady: Bool { files("parleyd").isReady }

    func awaitReady() throws { if let parleyd { try files("parleyd").awaitReady(parleyd) } }

    private func files(_ program: String) -> ServiceFiles { ServiceFiles(program, in: directory) }

    var isParleydRunning: Bool { parleyd?.isRunning ?? false }
    var parleyd: ChildProcess? { children.withLock { $0.parleyd } }
    var broker: ChildProcess? { children.withLock { $0.broker } }

    /// Ends parleyd by a signal and waits for its end.
    ///
    /// - Returns: its exit status, or 128 and the signal's number.
    @discardableResult
    func endParleyd(_ signal: Int32 = SIGTERM) -> Int32 { parleyd?.end(with: signal) ?? -1 }

    @discardableResult
    func endBroker(_ signal: Int32 = SIGTERM) -> Int32 { broker?.end(with: signal) ?? -1 }
}
