import Launch
import MQTTWire
import Foundation
import Glibc
import ParleyProtocol
import Sodium
import TestSupport

/// A real Mosquitto with the real plugin, in a folder of its own, on a Unix socket and a free port.
final class PluginBroker {
    let folder: URL
    let port: UInt16
    /// For MQTT over WebSocket.
    let webSocketPort: UInt16
    private let key: Ed25519.SigningKey
    private var process: ChildProcess?

    var socketPath: String { folder.appending(path: "broker.sock").path }
    var log: String { (try? String(contentsOf: folder.appending(path: "log"), encoding: .utf8)) ?? "" }

    /// - Parameters:
    ///   - publicKey: the content of the key file, if not the right key.
    ///   - options: the plugin's options, if not the right ones.
    ///   - operatorListeners: where operators may sign in from; `nil` for what holds if nobody says.
    init(
        publicKey: [UInt8]? = nil, options: String? = nil, operatorListeners: String? = "loopback", start: Bool = true
    ) throws {
        key = try Ed25519.SigningKey(seed: .random(count: 32))
        folder = FileManager.default.temporaryDirectory.appending(path: "parley-\(UUID().uuidString.prefix(8))")
        port = try freePort()
        webSocketPort = try freePort()
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let keyFile = folder.appending(path: "signing.pub")
        try Data(publicKey ?? key.publicKey.bytes).write(to: keyFile)
        let configuration = """
            user \(NSUserName())
            allow_anonymous false
            persistence true
            persistence_location \(folder.path)/
            log_dest file \(folder.path)/log
            log_type all
            plugin \(try Programs.path("libParleyBrokerPlugin.so"))
            \(options ?? "plugin_opt_public_key_file \(keyFile.path)")
            \(operatorListeners.map { "plugin_opt_operator_listeners \($0)" } ?? "")
            listener 0 \(socketPath)
            listener \(port) 127.0.0.1
            listener \(webSocketPort) 127.0.0.1
            protocol websockets
            socket_domain ipv4

            """
        try Data(configuration.utf8).write(to: folder.appending(path: "mosquitto.conf"))
        if start { try self.start() }
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: folder)
    }
}

// MARK: Running

extension PluginBroker {
    /// Starts the broker and returns when it answers on each of its listeners, which it opens one after the other.
    func start() throws {
        let process = try launch()
        self.process = process
        try process.awaitStart("mosquitto", said: log) {
            // In this order: a client that is refused takes a port, which might be one of another broker's.
            (try? localClient()) != nil && (try? client()) != nil && (try? WireClient(port: webSocketPort)) != nil
        }
    }

    /// Returns when this has been logged: of a connection that ends within a packet that is at the broker's next turn.
    func awaitLog(_ text: String) throws {
        try eventually("«\(text)» in the log") { () -> Void? in log.contains(text) ? () : nil }
    }

    /// Starts a broker that is expected to refuse its configuration.
    ///
    /// - Returns: 0 only if it ended as if all were well.
    func startAndFail() throws -> Int32 {
        try launch().waitUntilEnded()
    }

    private func launch() throws -> ChildProcess {
        try ChildProcess(
            Programs.mosquitto, ["-c", folder.appending(path: "mosquitto.conf").path], directory: folder.path)
    }

    /// Ends the broker, which writes its sessions to disk.
    func stop() {
        process.take()?.end()
    }

    var isRunning: Bool { process?.isRunning == true }
}

// MARK: Tokens and clients

extension PluginBroker {
    /// Seconds since 1970, from now on.
    static func seconds(fromNow seconds: Int64) -> Int64 { Int64(Date().timeIntervalSince1970) + seconds }

    /// A device's token, signed by the key whose public half the plugin has, or by another.
    func token(_ claims: AccessToken.Claims, signedBy other: Ed25519.SigningKey? = nil) throws -> [UInt8] {
        let input = AccessToken.signingInput(for: claims)
        return CompactToken.assemble(signingInput: input, signature: try (other ?? key).sign(input.span))
    }

    /// A client on the Unix-socket listener.
    func localClient() throws -> WireClient { try WireClient(unixSocket: socketPath) }

    /// A client on the TCP listener.
    func client() throws -> WireClient { try WireClient(port: port) }

    /// A client on the WebSocket listener.
    func webSocketClient() throws -> WireClient { try WireClient(webSocketPort: webSocketPort) }

    /// Signed in as the gateway's `out`, or its other connection.
    func gateway(_ connection: GatewayConnection = .out, will: WireClient.Will? = nil) throws -> WireClient {
        let claims = connection.claims(id: .random(), expiresAt: Self.seconds(fromNow: 60))
        let client = try WireClient(unixSocket: socketPath)
        let isDurable = connection == .intake
        let code = try client.connect(
            connection.clientID, username: GatewayConnection.username, password: token(claims), clean: !isDurable,
            sessionExpiry: isDurable ? .max : 0, will: will)
        guard code == 0 else { throw WireClient.WireError.closed(reason: code) }
        return client
    }
}

/// A device as the gateway knows it, with the token that it named last.
struct TestDevice {
    let address: DeviceAddress
    var token = TokenID.random()
    var expiresAt = PluginBroker.seconds(fromNow: 3600)
    var role = DeviceRole.device
    var previous: PreviousToken?
    var nameReusedAt: Int64?

    init(_ user: String, _ device: String, role: DeviceRole = .device) {
        address = DeviceAddress(user: UserID(validated: user), device: DeviceID(validated: device))
        self.role = role
    }

    var user: String { address.user.text }
    var clientID: String { "\(address.user):\(address.device)" }
    var up: String { "parley/v1/up/\(address)" }
    var down: String { "parley/v1/down/\(address)" }

    var claims: AccessToken.Claims {
        AccessToken.Claims(
            user: address.user, device: address.device, expiresAt: expiresAt, id: token,
            role: role.tokenRole)
    }

    func change() -> AudienceChange {
        .device(
            address,
            DeviceStatus(
                token: token, expiresAt: expiresAt, role: role, previous: previous,
                nameReusedAt: nameReusedAt))
    }

    /// Connects with its own token, over TCP if not by the Unix socket.
    func connect(
        to broker: PluginBroker, isLocal: Bool = false, connection: String? = nil, version: WireClient.Version = .v5,
        clean: Bool = true,
        sessionExpiry: UInt32 = 0, will: WireClient.Will? = nil
    ) throws -> (client: WireClient, code: UInt8?) {
        let client = isLocal ? try broker.localClient() : try broker.client()
        let code = try client.connect(
            connection.map { "\(clientID):\($0)" } ?? clientID, username: user, password: broker.token(claims),
            version: version, clean: clean, sessionExpiry: sessionExpiry, will: will)
        return (client, code)
    }

    /// Connects and must be admitted.
    func signIn(
        to broker: PluginBroker, connection: String? = nil, version: WireClient.Version = .v5, clean: Bool = true,
        sessionExpiry: UInt32 = 0, will: WireClient.Will? = nil
    ) throws -> WireClient {
        let (client, code) = try connect(
            to: broker, connection: connection, version: version, clean: clean, sessionExpiry: sessionExpiry, will: will
        )
        guard code == 0 else { throw WireClient.WireError.closed(reason: code) }
        return client
    }
}

extension WireClient {
    /// Takes all messages, but for the plugin's own reports.
    func drainRequests() throws -> [Message] {
        try drain().filter {
            ![PresenceReport.topic, TokenUse.topic, BrokerCounts.topic, SessionRemoval.topic].contains($0.topic)
        }
    }

    /// The plugin's counts, of the gateway's `intake`, once they are so.
    func counts(until isReached: (BrokerCounts) -> Bool) throws -> BrokerCounts {
        while true {
            let message = try nextMessage()
            guard message.topic == BrokerCounts.topic, let counts = BrokerCounts(message: message.payload) else {
                continue
            }
            if isReached(counts) { return counts }
        }
    }

    /// Sends changes and returns when the broker has taken them.
    func tell(_ changes: [AudienceChange]) throws {
        for message in AudienceCodec.messages(for: changes) {
            _ = try publish(AudienceChange.topic, message)
        }
    }

    /// Sends a snapshot and waits until the plugin says that it is in force.
    func snapshot(_ changes: [AudienceChange], version: UInt64 = 1) throws -> AudienceAnswer? {
        try tell([.begin(version: version)] + changes + [.ready(version: version)])
        let message = try nextMessage()
        guard message.topic == AudienceChange.responseTopic else { return nil }
        return AudienceCodec.answer(in: message.payload)
    }
}
