import Foundation
import MQTTClient

/// A real Mosquitto of the test's own: on a Unix socket in a directory of its own, ended with the value.
final class TestBroker {
    let directory: URL
    private var process: ChildProcess?
    private let extraConfiguration: String

    var socketPath: String { directory.appending(path: "broker.sock").path }
    var endpoint: MQTTEndpoint { .unixSocket(path: socketPath) }

    /// Starts the broker and waits until it accepts a connection.
    ///
    /// - Parameter configuration: more lines for `mosquitto.conf`.
    init(configuration: String = "") throws {
        // A short path: a socket's may have 107 bytes.
        let name = "mqtt-\(UInt32.random(in: 0 ... .max))"
        directory = URL(filePath: "/tmp").appending(path: name)
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        extraConfiguration = configuration
        try start()
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: directory)
    }

    /// Starts it (again).
    func start() throws {
        let file = directory.appending(path: "mosquitto.conf")
        let user = geteuid() == 0 ? "user root\n" : ""
        try """
        listener 0 \(socketPath)
        allow_anonymous true
        max_inflight_messages 1000
        max_queued_messages 100000
        \(user)\(extraConfiguration)

        """.write(to: file, atomically: true, encoding: .utf8)
        process = try ChildProcess("/usr/sbin/mosquitto", arguments: ["-c", file.path])
        let deadline = ContinuousClock.now.advanced(by: .seconds(20))
        while true {
            do throws(MQTTError) {
                let probe = try MQTTConnection(MQTTConfiguration(endpoint: endpoint, clientID: ""))
                try probe.connect(timeout: .seconds(5))
                return probe.disconnect()
            } catch {
                guard ContinuousClock.now < deadline else { throw BrokerDidNotStart(cause: error) }
                usleep(2_000)
            }
        }
    }

    /// SIGTERM, and waits for the end.
    func stop() {
        process.take()?.terminate()
    }

    /// A configuration for a client of this broker.
    func configuration(
        _ clientID: String, _ change: (inout MQTTConfiguration) -> Void = { _ in }
    ) -> MQTTConfiguration {
        var configuration = MQTTConfiguration(endpoint: endpoint, clientID: clientID)
        change(&configuration)
        return configuration
    }

    /// A connected client.
    func connect(
        _ clientID: String, _ change: (inout MQTTConfiguration) -> Void = { _ in }
    ) throws(MQTTError) -> MQTTConnection {
        let connection = try MQTTConnection(configuration(clientID, change))
        try connection.connect(timeout: .seconds(10))
        return connection
    }
}

struct BrokerDidNotStart: Error {
    let cause: MQTTError
}
