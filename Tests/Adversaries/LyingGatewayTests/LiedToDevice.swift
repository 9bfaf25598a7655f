import LyingGateway
import ParleyClient
import ParleyCrypto
import ParleyMosquitto
import ParleyProtocol
import TestSupport

/// A device of a real client, with a directory of its own, whose gateway lies. Its files go with the value.
final class LiedToDevice: Sendable {
    let address: DeviceAddress
    let configuration: ClientConfiguration
    private let place: TemporaryDirectory

    var user: UserID { address.user }

    init(
        _ user: UserID = UserID(validated: "alice"), _ device: DeviceID = DeviceID(validated: "phone"),
        at gateway: LyingGateway
    ) throws {
        let address = DeviceAddress(user: user, device: device)
        place = try TemporaryDirectory()
        let home = DeviceDirectory(of: address, in: place.path)
        var connection = DeviceConfiguration(gateway: .tcp(host: "127.0.0.1", port: gateway.port), device: address) {
            DeviceCredentials(
                username: user.text, clientID: "\(user):\(device)", password: "none", expiresAt: .latest)
        }
        connection.longestPause = .milliseconds(10)
        connection.directory = home
        var configuration = ClientConfiguration(
            connection: connection, keys: FileKeyStore(in: home), directory: home)
        configuration.storage = .memory
        configuration.eventsAhead = 1 << 20
        self.address = address
        self.configuration = configuration
        gateway.register(user)
    }

    /// Runs `body` with a client that has all there is, and what it told from the beginning.
    func chat<Value: Sendable>(
        _ body: @Sendable (MessagingClient, inout ClientEvents) async throws -> Value
    ) async throws -> Value {
        try await MessagingClient.open(configuration) { client in
            var events = ClientEvents(client)
            try await client.ready(timeout: .seconds(120))
            return try await body(client, &events)
        }
    }
}

/// What a client tells, in order.
struct ClientEvents {
    private var iterator: AsyncStream<ClientEvent>.Iterator
    /// Those that were taken so far.
    private(set) var taken: [ClientEvent] = []

    init(_ client: MessagingClient) { iterator = client.events().makeAsyncIterator() }

    /// The next event that is what is waited for.
    @discardableResult
    mutating func next<Value>(_ what: String, _ match: (ClientEvent) -> Value?) async throws -> Value {
        while let event = await iterator.next() {
            taken.append(event)
            if let value = match(event) { return value }
        }
        throw NeverCameError(what)
    }

    /// Waits until an event is what is waited for.
    mutating func wait(for what: String, _ matches: (ClientEvent) -> Bool) async throws {
        try await next(what) { matches($0) ? () : nil }
    }

    /// Forgets those that were taken, and gives them.
    mutating func takeAll() -> [ClientEvent] {
        defer { taken = [] }
        return taken
    }

    /// Waits until the client has taken up everything that the gateway has published so far.
    mutating func catchUp(with gateway: LyingGateway, as device: LiedToDevice) async throws {
        let marker = gateway.mark(for: device.user)
        try await wait(for: "the marker") { event in
            if case .gateway(let notice as PersonNotice) = event { notice.user == marker } else { false }
        }
    }
}

extension ClientEvent {
    /// Whether a person who uses the client learns by this that something is wrong, or otherwise than before.
    var warns: Bool {
        switch self {
        case .gatewayFault, .membersChanged, .failed, .leftOut, .resendRequested, .resent: true
        case .keys(let notice):
            switch notice {
            case .accepted, .verified, .met: false
            case .deviceAdded, .deviceRenewed, .deviceRemoved, .deviceIgnored, .deviceHeld, .ownDeviceNotLinked,
                .accountKeyChanged, .accountKeyGone, .accountKeyAppeared, .ownDeviceMade, .thisDeviceNotLinked,
                .ownAccountKeyRefused:
                true
            }
        case .messageAdded(let message), .messageChanged(let message):
            message.isUnreadable || message.protection != .bound
        case .change(let change): change.isUnreadable
        case .push(let push):
            switch push.content {
            case .unopened: true
            case .message(let pushed): pushed.message.protection != .bound
            case .clear, .digest, .test, .wakeUp, .feed: false
            }
        case .connected, .waiting, .ended, .gateway, .messageRemoved, .status, .receipt, .typing,
            .conversationAdded, .conversationChanged, .conversationRemoved, .messageRequest, .dayReported,
            .workoutReported, .requestRefused, .presence, .tokenNotRenewed, .upload, .historyReset, .storageFailed,
            .missed:
            false
        }
    }

    /// The text of a message that could be opened, as it is shown under its sender's name, and without a mark.
    var shownText: String? {
        let message: ChatMessage
        switch self {
        case .messageAdded(let shown), .messageChanged(let shown): message = shown
        case .push(let push):
            guard case .message(let pushed) = push.content else { return nil }
            message = pushed.message
        default: return nil
        }
        guard message.protection == .bound, case .opened(let content) = message.content,
            case .text(let text) = content.value
        else { return nil }
        return text
    }
}

extension ChatMessage {
    fileprivate var isUnreadable: Bool { if case .unreadable = content { true } else { false } }
}

extension MessagingClient {
    /// Writes to a user, and waits until it is out.
    ///
    /// - Returns: the conversation with them.
    @discardableResult
    func write(_ text: String, to user: UserID) async throws -> ConversationID {
        let chat = try await conversation(with: user).id
        try await write(text, in: chat)
        return chat
    }

    func write(_ text: String, in chat: ConversationID) async throws {
        _ = try await outcome(of: try send(.text(text), to: chat))
    }

    /// The number that is shown for a comparison.
    func shownNumber(with user: UserID) async throws(ClientError) -> ShownNumber {
        try await keys.safetyNumber(with: user)
    }
}

extension ShownNumber {
    var digits: String { number.digits }
}
