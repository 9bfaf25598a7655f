import Foundation
import GatewaySite
import Launch
import MQTTWire
import ParleyBridge
import Platform

/// One cell: a broker with the plugin and a gateway, in a data directory of its own. Used by one thread.
final class TrialCell {
    /// By which the others know it, and HAProxy.
    let name: String
    /// Of the broker.
    let port: UInt16
    /// Where HAProxy reaches the broker.
    let host: String
    private let directory: DataDirectory
    private let uri: String
    private let network: CellNetwork?
    private(set) var broker: ChildProcess?
    private(set) var parleyd: ChildProcess?

    /// Makes the directory.
    ///
    /// - Parameters:
    ///   - keys: the folder of the first cell's keys; `nil` for that one.
    ///   - network: whose the programs are to be; `nil` for this machine's.
    init(
        number: Int, in folder: String, _ installation: Installation, uri: String, keys: String?,
        network: CellNetwork?
    ) throws {
        name = "cell-\(number)"
        self.uri = uri
        self.network = network
        host = network?.doorAddress ?? "127.0.0.1"
        port = try freePort()
        directory = DataDirectory(path: "\(folder)/\(name)")
        if let keys {
            try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: keys, toPath: directory.path + "/keys")
        }
        try directory.prepare()
        try Site.settings.write(toFile: directory.settings, atomically: false, encoding: .utf8)
        try BrokerTemplate(path: try template(installation, folder)).install(
            in: directory,
            BrokerTemplate.Values(
                plugin: try Programs.path("libParleyBrokerPlugin.so"), mqttPort: Int(port), user: NSUserName()))
    }

    /// In a network of its own the broker listens on all addresses.
    private func template(_ installation: Installation, _ folder: String) throws -> String {
        guard network != nil else { return installation.template }
        let text = try String(contentsOfFile: installation.template, encoding: .utf8)
        let path = "\(folder)/\(name).conf"
        try text.replacing("listener @MQTT_PORT@ 127.0.0.1", with: "listener @MQTT_PORT@ 0.0.0.0")
            .write(toFile: path, atomically: false, encoding: .utf8)
        return path
    }

    var keys: String { directory.path + "/keys" }

    func readTokens() throws -> TokenIssuer { TokenIssuer(key: try directory.readSigningKey()) }

    /// All that parleyd has written on standard error.
    var log: String { gatewayFiles.errors }

    private var gatewayFiles: ServiceFiles { ServiceFiles("parleyd", in: directory.path) }

    // MARK: Starting

    func startBroker() throws {
        let files = ServiceFiles("mosquitto", in: directory.path)
        try? FileManager.default.removeItem(atPath: directory.brokerSocket)
        let broker = try launch(files, Programs.mosquitto, ["-c", directory.brokerConfiguration])
        self.broker = broker
        try broker.awaitStart("mosquitto", said: files.errors) {
            FileManager.default.fileExists(atPath: directory.brokerSocket)
        }
    }

    func launchGateway() throws {
        parleyd = try launch(
            gatewayFiles, Programs.path("parleyd"),
            ["run", "--data", directory.path, "--store", uri, "--cell", name])
    }

    func awaitReady() throws { if let parleyd { try gatewayFiles.awaitReady(parleyd) } }

    private func launch(_ files: ServiceFiles, _ path: String, _ arguments: [String]) throws -> ChildProcess {
        guard let network else { return try files.launch(path, arguments) }
        return try files.launch(CellNetwork.enter, network.entrance + [path] + arguments)
    }

    /// Starts what does not run.
    func start() throws {
        if broker?.isRunning != true { try startBroker() }
        if parleyd?.isRunning != true { try launchGateway() }
    }

    // MARK: Harm

    enum Part: CaseIterable { case gateway, broker, both }

    func send(_ signal: Int32, to part: Part) {
        if part != .broker { parleyd?.send(signal) }
        if part != .gateway { broker?.send(signal) }
    }

    func kill(_ part: Part) {
        send(SIGKILL, to: part)
        if part != .broker { parleyd?.waitUntilEnded() }
        if part != .gateway { broker?.waitUntilEnded() }
    }

    func end() {
        send(SIGCONT, to: .both)
        for child in [parleyd, broker] { child?.end(grace: Site.grace) }
    }
}
