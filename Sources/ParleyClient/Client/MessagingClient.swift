import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol

/// A device's messages: sends, receives, keeps and finds them, end-to-end encrypted, whatever the network does.
///
/// It exists while the body of ``open(_:_:)`` runs:
///
/// ```swift
/// try await MessagingClient.open(.local(device: device, in: directory)) { client in
///     let bob = try await client.conversation(with: bob)
///     let id = try await client.send(.text("Hello"), to: bob.id)
///     _ = try await client.outcome(of: id)
///     for await case .message(let message) in client.events() { … }
/// }
/// ```
///
/// What is sent is kept on the device before `send` returns, and leaves in order, once, as soon as it can. What comes
/// is kept before ``events()`` tell of it: nothing missing, nothing twice. Without a connection everything but the
/// gateway's own answers works on what is kept.
///
/// What is used most is here; the rest is in one face for each capability, such as ``conversations``, ``people``,
/// ``keys`` and ``account``. All of them hand on to the parts of ``ClientContext``, one capability each, on this actor.
public actor MessagingClient {
    public nonisolated let device: DeviceAddress
    nonisolated let hub: EventHub
    private nonisolated let executor = ClientExecutor()
    /// The parts and the state that they share, for the faces and the loops: used on this actor alone.
    let context: ClientContext

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// How long the gateway may take to hear of what has arrived, when the client ends.
    private static let partingWait = Duration.seconds(1)

    private init(_ configuration: ClientConfiguration, _ connection: DeviceConnection) throws(ClientError) {
        let keyring: Keyring
        do {
            let keys = try configuration.keys.keys()
            var peers = try PeerKeys(in: configuration.directory, storageKey: keys.storageKey)
            if let account = keys.status.establishedKey { _ = try peers.adoptOwn(account) }
            keyring = Keyring(own: keys, peers: peers)
        } catch {
            throw .keys(error)
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

    /// Runs `body` with a client that begins to connect, and ends everything with it: what waits to be sent stays in
    /// the queue for the next time.
    ///
    /// What has arrived is told to the gateway first, if there is a connection and it answers within a second: or it
    /// would notify the device of it. A task that is cancelled does not wait.
    ///
    /// A connection that fails throws nothing here: the events say why, and calls that need it fail.
    ///
    /// - Throws: what `body` throws; ``ClientError`` when keys or database cannot be opened.
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

    /// What happens from now on, for one reader. Each caller has a stream of their own.
    ///
    /// A reader that is slow misses events, and the event `missed` says how many.
    public nonisolated func events() -> AsyncStream<ClientEvent> { hub.listen() }

    /// Runs `body` on this actor, with the client's parts: nobody else changes what they share before its next `await`.
    func perform<Value: Sendable, Failure: Error>(
        _ body: nonisolated(nonsending) @Sendable (ClientContext) async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await body(context)
    }

    /// Makes a request, and waits for its reply.
    @discardableResult
    func ask<R: Request>(_ request: R) async throws(ClientError) -> R.Reply where R.Reply: GatewayValue {
        try await context.gateway.ask(request)
    }

    /// The same, where the reply names what was asked for.
    ///
    /// - Throws: ``ClientError/malformedReply`` for a reply about something else.
    @discardableResult
    func ask<R: Request, ID: Equatable>(
        _ request: R, for id: ID, _ named: (R.Reply) -> ID
    ) async throws(ClientError) -> R.Reply where R.Reply: GatewayValue {
        let reply = try await ask(request)
        guard named(reply) == id else { throw .malformedReply }
        return reply
    }
}
