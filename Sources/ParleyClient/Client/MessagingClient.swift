import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol

/// A device's messages: sends, receives, stores and searches them, end-to-end encrypted.
///
/// It exists while the body of ``open(_:_:)`` runs:
///
/// ```swift
/// try await MessagingClient.open(.local(device: device, in: directory)) { client in
///     let bob = try await client.conversation(with: bob)
///     let id = try await client.send(.text("Hello"), to: bob.id)
///     _ = try await client.outcome(of: id)
///     for await case .messageAdded(let message) in client.events() { … }
/// }
/// ```
///
/// `send` stores a message before it returns; it is sent once, in order, as soon as there is a connection. Received
/// messages are stored before ``events()`` reports them: none is missing, none comes twice. Without a connection
/// everything works on stored data but the requests that only the gateway can answer.
///
/// The most used calls are here; the others are grouped by capability in ``conversations``, ``people``, ``keys``,
/// ``account`` and so on. They delegate to the parts of the client's core, on this actor.
public actor MessagingClient {
    public nonisolated let device: DeviceAddress
    nonisolated let hub: EventHub
    private nonisolated let executor = ClientExecutor()
    /// Used on this actor alone.
    let context: ClientContext

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// How long the end of a client waits for its last receipts.
    private static let partingWait = Duration.seconds(1)

    private init(_ configuration: ClientConfiguration, _ connection: DeviceConnection) throws(ClientError) {
        let keyring = try withKeys {
            let keys = try configuration.keys.keys()
            var peers = try PeerKeys(in: configuration.directory, storageKey: keys.storageKey)
            if let account = keys.status.establishedKey { _ = try peers.adoptOwn(account) }
            return Keyring(own: keys, peers: peers)
        }
        let store: DeviceStore
        do throws(DeviceStoreError) {
            switch configuration.storage {
            case .database:
                store = try DeviceStore.open(
                    path: configuration.databasePath, device: connection.device, storageKey: keyring.own.storageKey,
                    searchable: { KeptMessage(payload: $0)?.searchable })
            case .memory:
                store = try DeviceStore.inMemory(
                    device: connection.device, searchable: { KeptMessage(payload: $0)?.searchable })
            }
        } catch {
            throw .storage(error)
        }
        device = connection.device
        context = ClientContext(configuration, connection, keyring, store)
        hub = context.hub
    }

    /// Runs `body` with a client that begins to connect, and closes the client after it. Unsent messages stay in the
    /// queue for the next client.
    ///
    /// Receipts are sent first, for up to a second, if there is a connection: otherwise the gateway would send push
    /// notifications of messages that are already here. A cancelled task does not wait.
    ///
    /// A failed connection throws nothing here: the events say why, and calls that need it fail.
    ///
    /// - Throws: what `body` throws; ``ClientError`` if keys or database cannot be opened.
    public static func open<Value: Sendable>(
        _ configuration: ClientConfiguration, _ body: @Sendable (MessagingClient) async throws -> Value
    ) async throws -> Value {
        try await DeviceConnection.open(configuration.connection) { connection in
            let client = try MessagingClient(configuration, connection)
            try await client.load()
            let result: Result<Value, any Error>
            do {
                // Cancelled and awaited when the body has ended, however it does.
                async let _: Void = client.run()
                result = .success(try await body(client))
                await client.perform { await $0.receipts.finish(until: .now + MessagingClient.partingWait) }
            } catch {
                result = .failure(error)
            }
            await client.close()
            return try result.get()
        }
    }

    /// The events from now on, for one reader. Each call gives a stream of its own.
    ///
    /// A slow reader misses events; the event `missed` says how many.
    public nonisolated func events() -> AsyncStream<ClientEvent> { hub.listen() }

    /// Runs `body` on this actor: no other task changes the parts before its next `await`.
    func perform<Value: Sendable, Failure: Error>(
        _ body: nonisolated(nonsending) @Sendable (ClientContext) async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await body(context)
    }

    @discardableResult
    func ask<R: Request>(_ request: R) async throws(ClientError) -> R.Reply where R.Reply: GatewayValue {
        try await context.gateway.ask(request)
    }

    /// Makes a request, and checks that the reply names its subject.
    ///
    /// - Throws: ``ClientError/malformedReply`` if it names another.
    @discardableResult
    func ask<R: Request, ID: Equatable>(
        _ request: R, for id: ID, _ named: (R.Reply) -> ID
    ) async throws(ClientError) -> R.Reply where R.Reply: GatewayValue {
        let reply = try await ask(request)
        guard named(reply) == id else { throw .malformedReply }
        return reply
    }
}
