import MemoryTransport
import ParleyClient
import ParleyProtocol
import TestSupport

/// A device whose broker and gateway are in this process's memory. Its files go with the value.
final class MemoryDevice: Sendable {
    let address = device("alice/phone")
    let bob = UserID(validated: "bob")
    let broker: MemoryBroker
    private let position: TemporaryDirectory

    init(_ weather: Weather = .fair) throws {
        broker = try MemoryBroker(weather)
        position = try TemporaryDirectory()
        try broker.add(bob)
    }

    var connection: DeviceConfiguration {
        let address = address
        var configuration = DeviceConfiguration(
            gateway: .tcp(host: "none", port: 1), device: address, over: MemoryTransport(broker)
        ) {
            DeviceCredentials(
                username: address.user.text, clientID: address.description, password: "none", expiresAt: .latest)
        }
        configuration.longestPause = .milliseconds(10)
        configuration.firstRepeat = .milliseconds(20)
        configuration.name = .main
        return configuration
    }

    /// Runs `body` with a client that has all there is, its conversation with bob, and what it tells from then on.
    ///
    /// - Parameter ahead: the events that a listener may fall behind.
    func chat<Value: Sendable>(
        ahead: Int = 1 << 20,
        _ body: @Sendable (MessagingClient, ConversationID, inout ClientEvents) async throws -> Value
    ) async throws -> Value {
        let directory = position.directory(of: address)
        var configuration = ClientConfiguration(
            connection: connection, keys: FileKeyStore(in: directory), directory: directory)
        configuration.storage = .memory
        configuration.eventsAhead = ahead
        return try await MessagingClient.open(configuration) { client in
            try await client.ready(timeout: .seconds(60))
            let conversation = try await client.conversation(with: bob)
            var events = ClientEvents(client)
            return try await body(client, conversation.id, &events)
        }
    }

    /// Bob writes, one text after the other.
    func bobSays(_ texts: [String]) throws { for text in texts { try broker.say(text, by: bob, to: address) } }
}

/// What a client tells, in order.
struct ClientEvents {
    private var iterator: AsyncStream<ClientEvent>.Iterator

    init(_ client: MessagingClient) { iterator = client.events().makeAsyncIterator() }

    mutating func next() async throws -> ClientEvent {
        guard let event = await iterator.next() else { throw NeverCameError("another event") }
        return event
    }

    /// The texts of others' messages, as often as they are told, until one that is `last`.
    mutating func texts(of user: UserID, until last: String) async throws -> [String] {
        var texts: [String] = []
        while texts.last != last {
            guard let event = await iterator.next() else { throw NeverCameError("the text \(last)") }
            guard let message = event.message, message.sender.user == user,
                case .opened(let content) = message.content, case .text(let text) = content.value
            else { continue }
            texts.append(text)
        }
        return texts
    }
}
