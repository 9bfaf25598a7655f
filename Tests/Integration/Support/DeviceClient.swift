import MQTTClient
import Platform
import ParleyProtocol
import TestSupport

/// A device's connection to a gateway: sends requests, takes their replies, keeps what comes on its subscriptions.
///
/// It blocks; every wait is bounded. Confined to the thread that uses it.
final class DeviceClient {
    let credentials: DeviceCredentials
    private let connection: MQTTConnection
    private var batch = InboundBatch()
    private var acknowledgements: [Acknowledgement] = []
    private var subscriptions: [SubscriptionResult] = []
    /// Tells this connection's requests from those of others of the same device.
    private let name: String
    private var sent = 0
    /// Everything that came and was not taken, in order.
    private(set) var inbox: [Message] = []

    struct Message {
        let topic: String
        let payload: [UInt8]
        let correlation: [UInt8]?
        let isRetained: Bool

        var json: JSON { (try? JSON(parsing: payload)) ?? .null }
    }

    /// How a device connects, where it is not as usual.
    struct Options {
        var version = MQTTVersion.v5
        /// The `x` of `uid:did:x`.
        var connection: String?
        /// Seconds for which the broker keeps the session; without a value it ends with the connection.
        var keepsSession: UInt32?
    }

    /// Signs in, trying again while the gateway is not there or not ready.
    init(_ port: UInt16, _ credentials: DeviceCredentials, _ options: Options = Options()) throws {
        self.credentials = credentials
        name = options.connection ?? "main"
        var configuration = MQTTConfiguration(
            endpoint: .tcp(host: "127.0.0.1", port: port),
            clientID: credentials.clientID + (options.connection.map { ":\($0)" } ?? ""))
        configuration.username = credentials.username
        configuration.password = Secret(credentials.password)
        configuration.version = options.version
        configuration.cleanStart = options.keepsSession == nil
        configuration.sessionExpiry = .seconds(options.keepsSession ?? 0)
        configuration.sendMaximum = 1000
        // It blocks: while a test is at a thousand others on a slow machine, nobody pings for it.
        configuration.keepAlive = .seconds(600)
        let prepared = configuration
        connection = try eventually("signing in as \(configuration.clientID)") { () -> MQTTConnection? in
            let connection = try MQTTConnection(prepared)
            do throws(MQTTError) {
                try connection.connect(timeout: .seconds(10))
            } catch {
                if case .refused = error { throw error }
                return nil
            }
            return connection
        }
        if options.version == .v5 {
            guard try subscribe("\(down)/#") < 0x80 else {
                throw NeverCameError("the subscription to one's own replies")
            }
        }
    }

    var user: String { credentials.username }
    var device: String { String(credentials.clientID.dropFirst(user.utf8.count + 1)) }
    var up: String { "parley/v1/up/\(user)/\(device)" }
    var down: String { "parley/v1/down/\(user)/\(device)" }

    /// Whether the broker has not ended the connection, as far as was read.
    var isConnected: Bool { connection.fileDescriptor >= 0 }

    func disconnect() { connection.disconnect() }
}

// MARK: Waiting

extension DeviceClient {
    /// Reads incoming packets, waiting no longer than `timeout`.
    func receive(timeout: Duration) throws {
        try connection.flush()
        var watched = [WatchedDescriptor(connection.fileDescriptor, write: connection.wantsWrite)]
        if try waitForEvents(&watched, timeout: timeout) == 0 { try connection.housekeeping() }
        try connection.readBatch(into: &batch, limit: 1000)
        for message in batch.messages {
            inbox.append(
                Message(
                    topic: String(decoding: batch.bytes[message.topic], as: UTF8.self),
                    payload: Array(batch.bytes[message.payload]),
                    correlation: message.correlationData.map { Array(batch.bytes[$0]) },
                    isRetained: message.isRetained))
        }
        connection.drainAcknowledgements(into: &acknowledgements)
        connection.drainSubscriptionResults(into: &subscriptions)
    }

    /// Reads until `condition` gives something.
    func until<Value>(
        _ what: @autoclosure () -> String, within limit: Duration = patience, _ condition: () -> Value?
    ) throws -> Value {
        let deadline = ContinuousClock.now.advanced(by: limit)
        while true {
            if let value = condition() { return value }
            guard ContinuousClock.now < deadline else { throw NeverCameError(what()) }
            try receive(timeout: .seconds(1))
        }
    }

    /// Takes the first message that fits out of the inbox, waiting for it.
    func take(
        _ what: @autoclosure () -> String, within limit: Duration = patience, where matches: (Message) -> Bool
    ) throws -> Message {
        try until(what(), within: limit) {
            inbox.firstIndex(where: matches).map { inbox.remove(at: $0) }
        }
    }

    /// Takes everything that has come.
    func takeAll() -> [Message] {
        defer { inbox.removeAll() }
        return inbox
    }

    /// The `data` of the next event of this type on a topic (without `parley/v1/`).
    func event(_ type: String, on topic: String) throws -> JSON {
        try take("\(type) on \(topic)") { $0.topic == "parley/v1/" + topic && $0.json["type"].text == type }
            .json["data"]
    }

    /// What has come on a topic up to now. Replies and events come in one order: what was published before the last
    /// reply is here.
    func events(on topic: String) -> [JSON] {
        inbox.filter { $0.topic == "parley/v1/" + topic }.map(\.json)
    }
}

// MARK: Talking

extension DeviceClient {
    /// - Returns: the SUBACK's code.
    @discardableResult
    func subscribe(_ filter: String) throws -> UInt8 {
        let packet = try connection.subscribe(to: filter)
        return try until("the answer to subscribing to \(filter)") {
            subscriptions.firstIndex { $0.packet == packet }.map { subscriptions.remove(at: $0).reason.rawValue }
        }
    }

    /// Subscribes to one kind of a conversation's events.
    func listen(to conversation: String, _ channels: String...) throws {
        for channel in channels {
            let code = try subscribe("parley/v1/conversations/\(conversation)/\(channel)")
            guard code < 0x80 else { throw NeverCameError("the right to hear \(conversation)/\(channel) (\(code))") }
        }
    }

    /// Publishes and waits for the PUBACK.
    ///
    /// - Returns: its code.
    @discardableResult
    func publish(
        _ topic: String, _ payload: [UInt8], responseTopic: String? = nil, correlation: [UInt8]? = nil,
        isRetained: Bool = false
    ) throws -> UInt8 {
        let packet = try send(
            topic, payload, responseTopic: responseTopic, correlation: correlation, isRetained: isRetained)
        return try until("the acknowledgement of \(topic)") {
            acknowledgements.firstIndex { $0.packet == packet }.map { acknowledgements.remove(at: $0).reason.rawValue }
        }
    }

    /// Publishes and waits for nothing.
    @discardableResult
    func send(
        _ topic: String, _ payload: [UInt8], responseTopic: String? = nil, correlation: [UInt8]? = nil,
        qos: QoS = .atLeastOnce, isRetained: Bool = false
    ) throws -> PacketIdentifier {
        var bytes: [UInt8] = []
        func range(_ part: [UInt8]) -> Range<Int> {
            bytes += part
            return (bytes.count - part.count)..<bytes.count
        }
        var message = OutboundMessage(topic: range(Array(topic.utf8)), payload: range(payload), qos: qos)
        message.responseTopic = responseTopic.map { range(Array($0.utf8)) }
        message.correlationData = correlation.map(range)
        message.isRetained = isRetained
        let packet = try connection.publish(message, in: bytes)
        try connection.flush()
        return packet
    }

    /// Sends a request, so that its reply can be told from all others.
    ///
    /// - Parameter chosen: the correlation data, if the caller has one of its own.
    /// - Returns: the correlation data of the reply.
    @discardableResult
    func ask(_ operation: String, _ payload: [UInt8], as chosen: String? = nil) throws -> [UInt8] {
        sent += 1
        let correlation = Array((chosen ?? "\(name) \(sent)").utf8)
        try send("\(up)/\(operation)", payload, responseTopic: "\(down)/replies", correlation: correlation)
        return correlation
    }

    func reply(to correlation: [UInt8], within limit: Duration = patience) throws -> JSON {
        try take("a reply to \(user)/\(device)", within: limit) { $0.correlation == correlation }.json
    }

    /// Sends a request and waits for its reply.
    func request(_ operation: String, payload: [UInt8]) throws -> JSON {
        try reply(to: try ask(operation, payload))
    }

    func request(_ operation: String, _ fields: JSON = [:]) throws -> JSON {
        try request(operation, payload: fields.bytes)
    }

    /// The `data` of a request that must be accepted.
    @discardableResult
    func accepted(_ operation: String, _ fields: JSON = [:]) throws -> JSON {
        let reply = try request(operation, fields)
        guard reply["ok"] == true else { throw NeverCameError("acceptance of \(operation): \(reply)") }
        return reply["data"]
    }

    /// The same for a step on the way to what is tested: again while the gateway cannot take it, as apps do. On a busy
    /// machine a cell's lease may lapse, and what stood before the end of that is refused.
    @discardableResult
    func acceptedAtLast(_ operation: String, _ fields: JSON = [:]) throws -> JSON {
        try eventually("a reply to \(operation)") { () -> JSON? in
            let reply = try request(operation, fields)
            // Not by «? nil :», which would be JSON's own null.
            if reply["error"]["code"] == "unavailable" { return .none }
            guard reply["ok"] == true else { throw NeverCameError("acceptance of \(operation): \(reply)") }
            return reply["data"]
        }
    }

    /// The code with which a request is refused; `nil` if it is not.
    func refusal(_ operation: String, _ fields: JSON = [:]) throws -> String? {
        try request(operation, fields)["error"]["code"].text
    }
}
