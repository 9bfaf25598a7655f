import MQTTWire
import Foundation
import MQTTClient
import ParleyProtocol
import Synchronization
import TestSupport

/// A whole gateway of a test's own: a real Mosquitto with the real plugin and a real `parleyd`, in a data directory with
/// a short path that goes with the value.
final class TestGateway: Sendable {
    let directory: String
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
    ///   - start: `false` makes the directory and starts nothing.
    init(settings: JSON = roomy, directory: String? = nil, start: Bool = true) throws {
        let name = "parley-\(String(UInt32.random(in: 0 ... .max), radix: 36))"
        self.directory = directory ?? "\(NSTemporaryDirectory())/\(name)"
        try prepare()
        try write(settings)
        guard start else { return }
        try startBroker()
        try startParleyd()
    }

    deinit {
        children.withLock { children in
            for child in [children.parleyd, children.broker] {
                child?.send(SIGKILL)
                child?.waitUntilEnded()
            }
        }
        try? FileManager.default.removeItem(atPath: directory)
    }

    var mqttPort: UInt16 { children.withLock { $0.mqttPort } }
    var database: String { directory + "/parley.db" }
    var brokerSocket: String { directory + "/run/broker.sock" }
    /// All that parleyd has written on standard error.
    var log: String { (try? String(contentsOfFile: directory + "/parleyd.err", encoding: .utf8)) ?? "" }
    var brokerLog: String { (try? String(contentsOfFile: directory + "/mosquitto.err", encoding: .utf8)) ?? "" }

    /// A name that no other test on this gateway has.
    func uniqueName(_ prefix: String = "user") -> String {
        "\(prefix)\(names.wrappingAdd(1, ordering: .relaxed).newValue)"
    }
}

// MARK: Files

extension TestGateway {
    /// Runs `parleyd init` with ports that are free now.
    private func prepare() throws {
        let (mqtt, webSocket) = (try freePort(), try freePort())
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let result = try run([
            "init", "--data", directory, "--mqtt-port", "\(mqtt)", "--ws-port", "\(webSocket)", "--plugin",
            try Products.path("libParleyBrokerPlugin.so"), "--template", Products.brokerTemplate,
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
        let scratch = "\(directory)/run-\(uniqueName("")).out"
        let child = try ChildProcess(
            Products.path("parleyd"), arguments, directory: directory, output: scratch, errors: scratch + ".err")
        let status = child.waitUntilEnded()
        let texts = try [scratch, scratch + ".err"].map { path in
            defer { try? FileManager.default.removeItem(atPath: path) }
            return try String(contentsOfFile: path, encoding: .utf8)
        }
        return (status, texts[0], texts[1])
    }
}

// MARK: Processes

extension TestGateway {
    /// Starts the broker and returns when its last listener answers. A port that was taken meanwhile is replaced.
    func startBroker() throws {
        for _ in 0..<5 {
            let broker = try ChildProcess(
                "/usr/sbin/mosquitto", ["-c", directory + "/mosquitto.conf"], directory: directory,
                output: directory + "/mosquitto.out", errors: directory + "/mosquitto.err")
            children.withLock { $0.broker = broker }
            let isListening = try eventually("the broker's socket") { () -> Bool? in
                if isBrokerListening { return true }
                return broker.isRunning ? nil : false
            }
            if isListening { return }
            try prepare()
        }
        throw StartError("mosquitto", brokerLog)
    }

    private var isBrokerListening: Bool {
        guard let client = try? WireClient(unixSocket: brokerSocket) else { return false }
        client.close()
        return true
    }

    /// Starts parleyd and returns when it says that it is ready.
    func startParleyd() throws {
        try launchParleyd()
        try awaitReady()
    }

    /// Starts parleyd without waiting for anything.
    func launchParleyd() throws {
        let parleyd = try ChildProcess(
            Products.path("parleyd"), ["--data", directory], directory: directory, output: directory + "/parleyd.out",
            errors: directory + "/parleyd.err")
        children.withLock { $0.parleyd = parleyd }
    }

    /// Whether the parleyd that was launched last has said that devices can sign in.
    var isReady: Bool {
        (try? String(contentsOfFile: directory + "/parleyd.out", encoding: .utf8))?.hasPrefix("parley: ready") ?? false
    }

    func awaitReady() throws {
        try eventually("parleyd's ready line; it said: \(log)") { () -> Void? in
            if isReady { return () }
            guard isParleydRunning else { throw StartError("parleyd", log) }
            return nil
        }
    }

    var isParleydRunning: Bool { parleyd?.isRunning ?? false }
    var parleyd: ChildProcess? { children.withLock { $0.parleyd } }
    var broker: ChildProcess? { children.withLock { $0.broker } }

    /// Ends parleyd by a signal and waits for its end.
    ///
    /// - Returns: its exit status, or 128 and the signal's number.
    @discardableResult
    func endParleyd(_ signal: Int32 = SIGTERM) -> Int32 { end(parleyd, signal) }

    @discardableResult
    func endBroker(_ signal: Int32 = SIGTERM) -> Int32 { end(broker, signal) }

    private func end(_ child: ChildProcess?, _ signal: Int32) -> Int32 {
        child?.send(signal)
        return child?.waitUntilEnded() ?? -1
    }
}

struct StartError: Error, CustomStringConvertible {
    let description: String

    init(_ program: String, _ said: String) { description = "\(program) did not start: \(said)" }
}

/// Where the programs under test lie.
enum Products {
    /// Beside the tests' own bundle, or where `PARLEY_PRODUCTS` says: to test a release build with the tests' debug one.
    static func path(_ name: String) throws -> String {
        let bundle = URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        let folder =
            ProcessInfo.processInfo.environment["PARLEY_PRODUCTS"].map { URL(filePath: $0) }
            ?? bundle.deletingLastPathComponent()
        let path = folder.appending(path: name).path
        guard FileManager.default.fileExists(atPath: path) else { throw StartError(name, "there is no \(path)") }
        return path
    }

    static let brokerTemplate = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "broker-config/development.conf").path
}
