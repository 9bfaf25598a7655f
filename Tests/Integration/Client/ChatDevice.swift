import Foundation
import ParleyClient
import ParleyMosquitto
import ParleyProtocol
import TestSupport
import Testing

/// A device with a directory of its own, as an app has it.
struct ChatDevice: Sendable {
    let address: DeviceAddress
    var configuration: ClientConfiguration

    var user: UserID { address.user }
}

extension TestGateway {
    /// Makes a device of a user who exists, signed up and with nothing on its disk but its credentials.
    func chatDevice(_ name: String = "phone", of user: String) throws -> ChatDevice {
        try chatDevice(try device(name, of: user))
    }

    /// A user that no other test has, with a device.
    ///
    /// - Parameter privacy: who may write to them without asking.
    func chatter(_ device: String = "phone", privacy: MessagePrivacy = .anyone) throws -> ChatDevice {
        try chatDevice(try people(1, device: device, privacy: privacy)[0])
    }

    private func chatDevice(_ credentials: DeviceCredentials) throws -> ChatDevice {
        let parts = credentials.clientID.split(separator: ":").map(String.init)
        let address = DeviceAddress(user: UserID(validated: parts[0]), device: DeviceID(validated: parts[1]))
        let root = "\(directory)/chat-\(uniqueName(""))"
        try FileManager.default.createDirectory(
            atPath: root, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let home = DeviceDirectory(of: address, in: root)
        try home.store(credentials)
        var connection = DeviceConfiguration(
            gateway: .tcp(host: "127.0.0.1", port: mqttPort), device: address
        ) { try home.readCredentials() }
        connection.longestPause = .milliseconds(200)
        return ChatDevice(
            address: address,
            configuration: ClientConfiguration(
                connection: connection, keys: FileKeyStore(in: home), directory: home))
    }
}

/// Tests that block share the runtime's few threads with those that wait.
let chatPatience = Duration.seconds(600)

extension ChatDevice {
    /// Hands this device the account key of another of the same user, as linking does.
    func link(by other: ChatDevice) throws {
        let account = try #require(try other.configuration.keys.keys().status.secret)
        _ = try configuration.keys.change(.adopting(account, nil), now: .now)
    }

    /// The same device with a clock that is ahead of the machine's.
    func ahead(by lead: @escaping @Sendable () -> Duration) -> ChatDevice {
        var device = self
        device.configuration.now = { Timestamp.now.advanced(by: lead()) }
        return device
    }

    /// Runs `body` with a client that has all there is.
    func chat<Value: Sendable>(
        _ body: @Sendable (MessagingClient) async throws -> Value
    ) async throws -> Value {
        try await MessagingClient.open(configuration) { client in
            try await client.ready(timeout: chatPatience)
            return try await body(client)
        }
    }
}

/// Runs `body` with a client of each that has all there is.
func chat(
    _ one: ChatDevice, _ other: ChatDevice,
    _ body: @Sendable (MessagingClient, MessagingClient) async throws -> Void
) async throws {
    try await one.chat { first in try await other.chat { second in try await body(first, second) } }
}

/// The events of a client, read one by one.
struct ClientEvents {
    private var iterator: AsyncStream<ClientEvent>.Iterator

    init(_ client: MessagingClient) { iterator = client.events().makeAsyncIterator() }

    /// The next event that `match` takes; those before it are passed over.
    mutating func next<Value>(_ what: String, _ match: (ClientEvent) -> Value?) async throws -> Value {
        while let event = await iterator.next() {
            if let value = match(event) { return value }
        }
        throw NeverCameError(what)
    }

    /// The next message that stands in the log.
    mutating func message(_ what: String = "a message", from sender: UserID? = nil) async throws -> ChatMessage {
        try await next(what) { event in
            guard let message = event.message, message.position != nil else { return nil }
            return sender == nil || message.sender.user == sender ? message : nil
        }
    }
}

extension ChatMessage {
    /// The text of a text message that could be opened.
    var text: String? {
        guard case .opened(let content) = content, case .text(let text) = content.value else { return nil }
        return text
    }
}

/// Lets two users write to each other without limit: each follows the other.
func befriend(_ one: ChatDevice, _ other: ChatDevice) async throws {
    for (device, peer) in [(one, other), (other, one)] {
        try await DeviceConnection.open(device.configuration.connection) { connection in
            _ = try await GatewayRequests(connection, timeout: chatPatience).ask(Follow(user: peer.user))
        }
    }
}
