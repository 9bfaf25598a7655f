import Platform
import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol

/// The parts of a client, the owners of its state, and its access to the store, the gateway and the app.
///
/// A part holds only what it declares (decision 0067). The whole is for the client, its loops, its faces and
/// ``ConnectionEvents``, and is confined to the actor of its ``MessagingClient``: a value that is read here may change
/// at the next `await`.
final class ClientContext {
    let configuration: ClientConfiguration, connection: DeviceConnection, store: DeviceStore, hub: EventHub
    let keyring: Keyring, logs: ConversationLogs, outbox = Outbox(), signals = Signals()
    let boards = LeaderboardWatches(), uploads = Uploads(), fetches = Fetches()
    let files: SealedFiles, door: (any DoorConnection)?
    /// Pushes from the topic. One for which there is no room is emitted at once, without fetching keys for it.
    let pushQueue = BoundedQueue<PushNotification>(capacity: 64)
    /// New message requests; the complete list is ``MessagingClient/MessageRequests/all()``.
    let messageRequests = BoundedQueue<MessageRequest>(capacity: 256)
    let progress = ConnectionProgress(), fetchPacing = FetchPacing(), requestPacing = RequestPacing()
    let wakeUps = WakeSignals()

    lazy var gateway = GatewayAccess(connection: connection, logs: logs, hub: hub)
    lazy var disk = StoreAccess(store: store, hub: hub)
    lazy var waiters = Waiters(progress)

    struct WakeSignals: Sendable {
        let send = WakeSignal()
        let fetch = WakeSignal()
        let deliver = WakeSignal()
        let receipt = WakeSignal()
        let typing = WakeSignal()
        let expiry = WakeSignal()
        let renewal = WakeSignal()
        let requests = WakeSignal()
        let board = WakeSignal()
        let push = WakeSignal()
        /// One for each lane of uploads.
        let uploads = [WakeSignal(), WakeSignal()]

        func signalAll() {
            for signal in [send, fetch, deliver, receipt, typing, expiry, renewal, requests, board, push] + uploads {
                signal.signal()
            }
        }
    }

    init(_ configuration: ClientConfiguration, _ connection: DeviceConnection, _ keyring: Keyring, _ store: DeviceStore)
    {
        self.configuration = configuration
        self.connection = connection
        self.keyring = keyring
        self.store = store
        files = SealedFiles(directory: configuration.directory, limit: configuration.door?.cacheBytes ?? 0)
        door = configuration.door?.transport.open()
        hub = EventHub(capacity: configuration.eventsAhead)
        logs = ConversationLogs(of: connection.device.user, follows: configuration.follows)
    }

    var device: DeviceAddress { connection.device }

    /// Whether nothing is known to be missing, and this device's keys are published.
    var isCaughtUp: Bool {
        progress.isConnected && !progress.needsList && !progress.needsKeys && logs.isSettled
    }

    // MARK: Messages

    lazy var chatMessages = ChatMessages(
        outbox: outbox, logs: logs, keyring: keyring, device: device, disk: disk, hub: hub)
    lazy var drafts = Drafts(
        outbox: outbox, logs: logs, keyring: keyring, device: device, disk: disk, hub: hub, chatMessages: chatMessages,
        outboxEffects: outboxEffects, sendSignal: wakeUps.send, uploads: uploads, files: files,
        uploadSignals: wakeUps.uploads)
    lazy var sealer = DraftSealer(logs: logs, keyring: keyring, device: device)
    lazy var sender = Sender(
        outbox: outbox, logs: logs, keyring: keyring, progress: progress, device: device, gateway: gateway, disk: disk,
        conversationUpdates: conversationUpdates, following: following, keyExchange: keyExchange,
        outboxEffects: outboxEffects, resending: resending, sealer: sealer,
        sendSignal: wakeUps.send, uploads: uploads, uploadSignals: wakeUps.uploads)
    lazy var outboxEffects = OutboxEffects(
        logs: logs, waiters: waiters, disk: disk, hub: hub, chatMessages: chatMessages, reopening: reopening,
        fetchSignal: wakeUps.fetch, outbox: outbox, uploads: uploads, files: files)
    lazy var resending = ResendExchange(
        outbox: outbox, logs: logs, keyring: keyring, configuration: configuration, device: device, disk: disk,
        hub: hub, chatMessages: chatMessages, sendSignal: wakeUps.send)
    lazy var reopening = Reopening(
        logs: logs, device: device, disk: disk, hub: hub, chatMessages: chatMessages, resending: resending)
    lazy var recordKeeper = RecordKeeper(
        outbox: outbox, device: device, store: store, outboxEffects: outboxEffects, resending: resending)
    lazy var delivery = RecordDelivery(
        logs: logs, keyring: keyring, waiters: waiters, configuration: configuration, device: device, hub: hub,
        chatMessages: chatMessages, conversationUpdates: conversationUpdates, keyExchange: keyExchange,
        receipts: receipts, recordKeeper: recordKeeper, resending: resending, deliverSignal: wakeUps.deliver,
        expirySignal: wakeUps.expiry, fetchSignal: wakeUps.fetch)
    lazy var expiry = ExpiryTimer(
        configuration: configuration, store: store, hub: hub, conversationUpdates: conversationUpdates,
        expirySignal: wakeUps.expiry)

    // MARK: Files

    lazy var blobRequests = configuration.door.flatMap { access in
        door.map { door in
            BlobRequests(connection: door, address: access.address, credentials: configuration.connection.credentials)
        }
    }
    lazy var uploadSender = UploadSender(
        uploads: uploads, outbox: outbox, disk: disk, hub: hub, outboxEffects: outboxEffects, requests: blobRequests,
        files: files, sendSignal: wakeUps.send)
    lazy var uploadLoading = UploadLoading(
        uploads: uploads, disk: disk, files: files, hub: hub, configuration: configuration)
    lazy var fileFetcher = FileFetcher(fetches: fetches, waiters: waiters, requests: blobRequests, files: files)

    // MARK: History

    lazy var historyPages = HistoryPages(
        logs: logs, progress: progress, gateway: gateway, conversationUpdates: conversationUpdates,
        receiptReader: receiptReader, deliverSignal: wakeUps.deliver)
    lazy var earlierPages = EarlierPages(
        logs: logs, progress: progress, device: device, gateway: gateway, disk: disk, delivery: delivery,
        receiptReader: receiptReader, recordKeeper: recordKeeper, resending: resending)
    lazy var historyReader = HistoryReader(
        logs: logs, progress: progress, waiters: waiters, device: device, gateway: gateway, disk: disk,
        chatMessages: chatMessages, delivery: delivery, earlierPages: earlierPages, expiry: expiry,
        following: following)

    // MARK: Conversations

    lazy var conversationUpdates = ConversationUpdates(
        outbox: outbox, logs: logs, signals: signals, waiters: waiters, device: device, gateway: gateway, disk: disk,
        hub: hub, chatMessages: chatMessages, presence: presence, fetchSignal: wakeUps.fetch, sendSignal: wakeUps.send)
    lazy var following = Following(logs: logs, gateway: gateway, conversationUpdates: conversationUpdates)
    lazy var making = ConversationCreation(
        logs: logs, device: device, gateway: gateway, conversationUpdates: conversationUpdates, following: following)
    lazy var sync = ConversationSync(
        logs: logs, fetchPacing: fetchPacing, waiters: waiters, configuration: configuration, device: device,
        gateway: gateway, conversationUpdates: conversationUpdates, receiptReader: receiptReader,
        deliverSignal: wakeUps.deliver)
    lazy var catchUp = CatchUp(
        outbox: outbox, logs: logs, keyring: keyring, messageRequests: messageRequests, progress: progress,
        fetchPacing: fetchPacing, waiters: waiters, configuration: configuration, device: device, gateway: gateway,
        conversationUpdates: conversationUpdates, following: following, historyPages: historyPages,
        keyExchange: keyExchange, messageRequestReader: messageRequestReader, outboxEffects: outboxEffects, sync: sync,
        fetchSignal: wakeUps.fetch, receiptSignal: wakeUps.receipt)

    // MARK: Receipts and typing

    lazy var receiptReader = ReceiptReader(
        logs: logs, device: device, disk: disk, hub: hub, conversationUpdates: conversationUpdates)
    lazy var receipts = ReceiptSender(
        logs: logs, signals: signals, progress: progress, waiters: waiters, configuration: configuration,
        device: device, gateway: gateway, disk: disk, chatMessages: chatMessages,
        conversationUpdates: conversationUpdates, receiptSignal: wakeUps.receipt)
    lazy var typing = TypingSender(signals: signals, connection: connection, typingSignal: wakeUps.typing)

    // MARK: Keys

    lazy var keyExchange = KeyExchange(
        outbox: outbox, logs: logs, keyring: keyring, progress: progress, waiters: waiters,
        configuration: configuration, device: device, gateway: gateway, disk: disk, hub: hub, reopening: reopening,
        fetchSignal: wakeUps.fetch, sendSignal: wakeUps.send)
    lazy var keyComparison = KeyComparison(keyring: keyring, device: device, keyExchange: keyExchange)
    lazy var deviceLinking = DeviceLinking(keyring: keyring, device: device, gateway: gateway)
    lazy var tokenRenewer = TokenRenewer(
        progress: progress, configuration: configuration, device: device, gateway: gateway, hub: hub,
        renewalSignal: wakeUps.renewal)

    // MARK: People, groups and boards

    lazy var presence = PresenceWatch(signals: signals, connection: connection, hub: hub)
    lazy var activityWatch = ActivityWatch(signals: signals, connection: connection)
    lazy var messageRequestReader = MessageRequestReader(
        messageRequests: messageRequests, hub: hub, chatMessages: chatMessages, delivery: delivery,
        fetchSignal: wakeUps.fetch)
    lazy var groupWatch = GroupWatch(
        logs: logs, signals: signals, device: device, gateway: gateway, hub: hub,
        conversationUpdates: conversationUpdates, leaderboardReader: leaderboardReader)
    lazy var leaderboardReader = LeaderboardReader(
        boards: boards, progress: progress, gateway: gateway, boardSignal: wakeUps.board)

    // MARK: Requests and pushes

    lazy var keptRequests = KeptRequestSender(
        progress: progress, requestPacing: requestPacing, configuration: configuration, gateway: gateway, disk: disk,
        hub: hub, requestsSignal: wakeUps.requests)
    lazy var pushes = IncomingPushes(
        logs: logs, keyring: keyring, pushQueue: pushQueue, configuration: configuration, device: device, store: store,
        hub: hub, chatMessages: chatMessages, delivery: delivery, pushSignal: wakeUps.push)
}

extension ClientError {
    /// When to retry after this error: when the gateway says, within bounds, or else after a growing pause.
    func pause(
        from now: ContinuousClock.Instant, _ backoff: inout Backoff, using generator: inout some RandomNumberGenerator
    ) -> ContinuousClock.Instant {
        if case .refused(let rejection) = self, let wait = rejection.retryAfterMilliseconds {
            return now + min(.milliseconds(wait), SendQueue.longestPause)
        }
        return now + backoff.next(using: &generator)
    }
}
