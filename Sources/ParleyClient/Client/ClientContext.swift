import Platform
import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol

/// What the parts of a client work on: its four owners of state, and its ways to the store, the gateway and the app.
///
/// It is confined to the actor of its ``MessagingClient``, as are all the parts: what is read of an owner holds until the
/// next `await`. Parts reach an owner by its interface alone (decision 0045).
final class ClientContext {
    let configuration: ClientConfiguration
    let connection: DeviceConnection
    let hub: EventHub
    let store: DeviceStore
    let wakeUps = WakeSignals()

    var keyring: Keyring
    var outbox = Outbox()
    var logs: ConversationLogs
    var signals = Signals()
    var boards = LeaderboardWatches()
    var pushQueue = PushQueue()

    var progress = ConnectionProgress()
    var fetchPacing = FetchPacing()
    var requestPacing = RequestPacing()
    /// Those who ask to write, and were not emitted yet.
    var messageRequests = MessageRequestInbox()
    var waiters = Waiters()
    /// The client has ended: whoever waits is let go.
    var isClosed = false
    var generator = SystemRandomNumberGenerator()

    /// What wakes the loops: each is signaled when there may be something to do for its loop.
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

        func signalAll() {
            for signal in [send, fetch, deliver, receipt, typing, expiry, renewal, requests, board, push] {
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
        hub = EventHub(capacity: configuration.eventsAhead)
        logs = ConversationLogs(of: connection.device.user, follows: configuration.follows)
    }

    var device: DeviceAddress { connection.device }

    /// Whether the client has everything that it knows of, and others know its keys.
    var isCaughtUp: Bool {
        progress.isConnected && !progress.needsList && !progress.needsKeys && logs.isSettled
    }

    // MARK: The store

    func read<Value>(_ body: (Snapshot) throws -> Value) throws(ClientError) -> Value {
        do throws(DeviceStoreError) { return try store.read(body) } catch { throw .storage(error) }
    }

    func write<Value>(_ body: (WriteTransaction) throws -> Value) throws(ClientError) -> Value {
        do throws(DeviceStoreError) { return try store.write(body) } catch { throw .storage(error) }
    }

    /// Writes what can be asked for again should it fail; the events tell of it.
    func writeBestEffort(_ body: (WriteTransaction) throws -> Void) {
        do throws(DeviceStoreError) { try store.write(body) } catch { hub.emit(.storageFailed(error)) }
    }

    // MARK: The gateway

    /// Makes a request, and waits for its reply.
    @discardableResult
    nonisolated(nonsending) func ask<R: Request>(
        _ request: R, timeout: Duration = .seconds(30)
    ) async throws(ClientError) -> R.Reply where R.Reply: GatewayValue {
        do throws(RequestError) {
            return try await GatewayRequests(connection, timeout: timeout).ask(request)
        } catch {
            throw ClientError(error)
        }
    }

    /// Makes a request of whose reply nothing is read but that it was accepted.
    nonisolated(nonsending) func carryOut(_ request: some Request) async throws(ClientError) {
        do throws(RequestError) {
            try await GatewayRequests(connection).carryOut(request)
        } catch {
            throw ClientError(error)
        }
    }

    /// Tells of something that the gateway has said and that cannot be so, once, and gives it as an error.
    @discardableResult
    func report(_ fault: GatewayFaultError) -> ClientError {
        if logs.disclose(fault) { hub.emit(.gatewayFault(fault)) }
        return .gatewayFault(fault)
    }

    // MARK: Keys

    /// What was sealed in a record, by what is known of keys now.
    func open(_ record: MessageRecord) -> Result<[UInt8], OpeningError> {
        keyring.open(record, among: logs.members(of: record.conversation))
    }

    /// Opens what can be opened by what is known of keys now.
    func opened(_ message: KeptMessage) -> KeptMessage {
        guard message.isSealed, case .success(let content) = open(message.record) else { return message }
        return message.opened(content)
    }

    // MARK: Waiting

    /// Waits until `condition` gives something.
    nonisolated(nonsending) func wait<Value>(
        for subject: Waiters.Subject, until deadline: ContinuousClock.Instant? = nil,
        _ condition: () throws(ClientError) -> Value?
    ) async throws(ClientError) -> Value {
        let signal = WakeSignal()
        waiters.add(signal, for: subject)
        defer { waiters.remove(signal, for: subject) }
        while true {
            if let value = try condition() { return value }
            guard !isClosed, !Task.isCancelled else { throw .cancelled }
            if let deadline, deadline <= .now { throw .timedOut(cause: progress.cause) }
            await signal.wait(until: deadline)
        }
    }

    /// When what has failed may be tried again.
    func pause(after error: ClientError, _ backoff: inout Backoff) -> ContinuousClock.Instant {
        error.pause(from: .now, &backoff, using: &generator)
    }
}

extension ClientError {
    /// When what has failed so may be tried again: when the gateway says, within bounds, or later each time.
    func pause(
        from now: ContinuousClock.Instant, _ backoff: inout Backoff, using generator: inout some RandomNumberGenerator
    ) -> ContinuousClock.Instant {
        if case .refused(let rejection) = self, let wait = rejection.retryAfterMilliseconds {
            return now + min(.milliseconds(wait), SendQueue.longestPause)
        }
        return now + backoff.next(using: &generator)
    }
}
