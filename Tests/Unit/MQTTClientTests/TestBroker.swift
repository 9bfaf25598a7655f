import Launch
import Foundation
import Glibc
import MQTTClient
import TestSupport

/// A real Mosquitto of the test's own: on a Unix socket in a directory of its own, ended with the value.
final class TestBroker {
    let directory: URL
    private let configurationFile: URL
    private var process: ChildProcess?

    var socketPath: String { directory.appending(path: "broker.sock").path }
    var endpoint: MQTTEndpoint { .unixSocket(path: socketPath) }

    /// Starts the broker and waits until it answers.
    ///
    /// - Parameters:
    ///   - allowAnonymous: whether it lets in whoever comes; else nobody.
    ///   - configuration: more lines for `mosquitto.conf`, which may name files of `directory`.
    init(allowAnonymous: Bool = true, configuration: (_ directory: URL) throws -> String = { _ in "" }) throws {
        // A short path: a socket's may have 107 bytes.
        directory = URL(filePath: "/tmp/mqtt-\(UInt32.random(in: 0 ... .max))")
        configurationFile = directory.appending(path: "mosquitto.conf")
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        // As root, Mosquitto would become a user who may not enter the directory.
        try """
        \(geteuid() == 0 ? "user root" : "")
        listener 0 \(socketPath)
        allow_anonymous \(allowAnonymous)
        max_inflight_messages 1000
        max_queued_messages 100000
        \(configuration(directory))

        """.write(to: configurationFile, atomically: true, encoding: .utf8)
        try start()
    }

    deinit {
        process.take()?.end(with: SIGTERM)
        try? FileManager.default.removeItem(at: directory)
    }

    /// Starts it again, after ``stop(with:)``.
    func start() throws {
        process = try ChildProcess(Programs.mosquitto, ["-c", configurationFile.path])
        try eventually("a broker that answers") { () -> Void? in
            do throws(MQTTError) {
                let probe = try MQTTConnection(configuration(""))
                try probe.connect(timeout: .seconds(5))
                return probe.disconnect()
            } catch {
                // It answers, though not to anybody.
                if case .refused = error { return () }
                return nil
            }
        }
    }

    /// Ends the broker and waits until it is gone.
    func stop(with signal: Int32 = SIGTERM) {
        process.take()?.end(with: signal)
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
