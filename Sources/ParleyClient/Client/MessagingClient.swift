import Platform
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
/// What is sent is kept on the device before `send` returns, and leaves in order, once, as soon as it can. What comes is
/// kept before ``events()`` tell of it: nothing missing, nothing twice. Without a connection everything but the
/// gateway's own answers works on what is kept.
public actor MessagingClient {
    public nonisolated let device: DeviceAddress
    nonisolated let configuration: ClientConfiguration
    nonisolated let connection: DeviceConnection
    nonisolated let hub: EventHub
    private nonisolated let executor = ClientExecutor()

    let store: DeviceStore
    var keys: DeviceKeySet
    var peers: PeerKeys
    var cipher: MessageCipher

    var progress = ConnectionProgress()
    var known: [ConversationID: FollowedConversation] = [:]
    /// What this device has offered to be linked by, and what it was handed for that.
    var openLink: OpenLink?
    var handedAccount: Result<HandedAccount, ClientError>?
    /// What the gateway has said that cannot be so, as far as it was told.
    var toldFaults: Set<GatewayFault> = []
    /// What was found so when the client began: nobody listened yet.
    var keptFaults: [GatewayFault] = []
    var queue = SendQueue()
    var pendingChanges = PendingChanges()
    var sent = SentMessages()
    /// The devices that messages under way leave out, to be told once they are sent.
    var leftOut: [MessageID: [DeviceAddress]] = [:]
    /// What the gateway has refused last in each conversation for being sealed for other devices than it wants.
    var refusedSeals: [ConversationID: RefusedSeal] = [:]
    var receipts = ReceiptCoalescer()
    var typing = TypingPacer()
    var typingSignals: [TypingPacer.Signal] = []
    var freshness = KeyFreshness()
    /// Whose keys are being fetched, and how often each user's were.
    var keyFetches: Set<UserID> = []
    var keyFetchCount: [UserID: Int] = [:]
    /// What was told of this device's own standing, once.
    var toldOfOwnKeys: Set<PeerKeyNotice> = []
    /// Messages that could not be opened, to try again when more is known.
    var unopened = UnopenedMessages()
    /// Whether there was no room to ask for some of them to be sealed anew.
    var hasPostponedRequests = false
    /// Those who ask to write, and are yet to be told of.
    var arrivedRequests: [ReceivedMessageRequest] = []
    /// Whose presence is asked for, and what was heard of it on this connection.
    var watched: Set<UserID> = []
    var presences: [UserID: PresenceUpdate] = [:]
    /// The gateway has no `sync/get`.
    var lacksSync = false
    var waiters = Waiters()
    /// Messages that the gateway has taken and whose records have to come.
    var expectedEchoes: [ExpectedEcho] = []
    var fetchPausedUntil: ContinuousClock.Instant?
    var receiptBackoff = Backoff(first: .milliseconds(200), longest: .seconds(30))
    var fetchBackoff = Backoff(first: .milliseconds(200), longest: .seconds(30))
    var isClosed = false
    var generator = SystemRandomNumberGenerator()

    nonisolated let sendBell = Bell()
    nonisolated let fetchBell = Bell()
    nonisolated let deliverBell = Bell()
    nonisolated let receiptBell = Bell()
    nonisolated let typingBell = Bell()
    nonisolated let expiryBell = Bell()

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private init(_ configuration: ClientConfiguration, _ connection: DeviceConnection) throws(ClientError) {
        device = connection.device
        self.configuration = configuration
        self.connection = connection
        hub = EventHub(capacity: configuration.eventsAhead)
        do {
            keys = try configuration.keys.keys()
            peers = try PeerKeys(in: configuration.directory, storageKey: keys.storageKey)
            if let account = keys.standing.establishedKey { _ = try peers.adoptOwn(account) }
        } catch {
            throw .keys(error)
        }
        cipher = MessageCipher(keys)
        do throws(DeviceStoreError) {
            switch configuration.storage {
            case .database:
                store = try DeviceStore.open(
                    path: configuration.databasePath, device: device, storageKey: keys.storageKey,
                    searchable: { KeptMessage(payload: $0)?.searchable })
            case .memory:
                store = try DeviceStore.inMemory(device: device, searchable: { KeptMessage(payload: $0)?.searchable })
            }
        } catch {
            throw .storage(error)
        }
    }

    /// Runs `body` with a client that begins to connect, and ends everything with it: what waits to be sent stays in the
    /// queue for the next time.
    ///
    /// Trouble with the connection is not thrown from here: the events tell of it, and calls that need it fail.
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
            } catch {
                result = .failure(error)
            }
            await client.close()
            return try result.get()
        }
    }

    /// What happens from now on, for one reader. Each caller has a stream of his own.
    ///
    /// A reader that is slow misses events, and is told how many.
    public nonisolated func events() -> AsyncStream<ClientEvent> { hub.listen() }
}
