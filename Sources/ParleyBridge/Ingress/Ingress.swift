import MQTTClient
import ParleyProtocol
import ParleyRules
import ParleyStore

/// A request of a device, parsed once: from here on nothing of it is bytes.
struct Incoming<Handler: Sendable>: Sendable {
    let route: ReplyRoute
    let askers: Askers
    let request: Handler
    /// Whether it goes to the desk first.
    var isForDesk = false
    /// The length of a query's payload.
    var payloadBytes = 0
    /// Of the desk.
    var finding: AccountFinding?
    var metrics: OperationMetrics?
    /// When it was read.
    var receivedAt: ContinuousClock.Instant?

    var sender: DeviceAddress { route.address }
}

/// A request that changes something, for the writer.
typealias IncomingCommand = Incoming<any CommandHandler>
/// A request that changes nothing, for a reader.
typealias IncomingQuery = Incoming<any QueryHandler>

/// The edge: parses topics and payloads of any origin, and lets only requests through.
struct Ingress {
    /// What a message turned out to be.
    enum Verdict {
        case command(IncomingCommand)
        case query(IncomingQuery)
        case refused(ReplyRoute, Rejection)
        /// The plugin's reports of connections.
        case presence([PresenceReport])
        /// The plugin's reports of new tokens that have signed in.
        case tokenUses([TokenUse])
        /// The plugin's counts.
        case counts(BrokerCounts)
        /// The sessions that the plugin asks to remove.
        case sessionRemovals([ClientID])
        /// The end of the requests that had waited while the gateway was away, by the payload of a marker.
        case backlogEnd([UInt8])
        /// The gateway's request to itself.
        case selfRequest
        /// Not a request at all, and not answered.
        case ignored
    }

    private struct DeviceArea: Hashable {
        let address: DeviceAddress
        let area: String
    }

    private struct UserArea: Hashable {
        let user: UserID
        let area: String
    }

    /// The topic of the gateway's own message that marks the end of the backlog. No device may publish to it.
    static let marker = Topic.prefix + "up/~backlog"

    private let handlers: OperationHandlers
    private var deviceRates: RateLimiter<DeviceArea>
    private var userRates: SharedRates<UserArea>
    /// Whether rates of users are counted with other gateways.
    var isShared = false
    /// When the messages that are judged were read.
    var receivedAt = ContinuousClock.now

    init(_ settings: Settings, _ handlers: OperationHandlers) {
        self.handlers = handlers
        deviceRates = RateLimiter(settings.requestRate)
        userRates = SharedRates(settings.userRequestRate)
    }

    /// New rates of requests; what was spent comes back at the new ones.
    mutating func apply(_ new: Settings) {
        deviceRates.rate = new.requestRate
        userRates.setRate(new.userRequestRate)
    }

    /// Parses a message. A request over its rate or its size is refused unread, so that it costs next to nothing: its
    /// reply has no `request_id`.
    mutating func judge(_ message: InboundMessage, in batch: InboundBatch, now: Timestamp) -> Verdict {
        let topic = batch.bytes.span.extracting(message.topic)
        guard !message.isRetained else { return .ignored }
        guard case .up(let address, let operation)? = Topic(parsing: topic) else {
            guard message.payloadLength <= message.payload.count else { return .ignored }
            if topic.equals(Ingress.marker) { return .backlogEnd(Array(batch.bytes[message.payload])) }
            if topic.equals(SelfRequest.topic) { return .selfRequest }
            return report(on: topic, Array(batch.bytes[message.payload])) ?? .ignored
        }
        let entry = handlers[operation]
        // Doors ask for everybody: they are limited by whom they ask for.
        let isLimited = !address.isWebDoor
        var route = ReplyRoute(
            address: address, operation: operation,
            responseTopic: responseTopic(message, in: batch, of: address),
            correlationData: message.correlationData.map { Array(batch.bytes[$0]) }, requestID: nil,
            isSilent: entry?.isSilent ?? false)
        if isLimited, let wait = consumeToken(address, entry?.area, now: now) {
            return .refused(
                route, Rejection(.rateLimited, "Too many requests; wait a little.", retryAfterMilliseconds: wait))
        }
        guard message.payloadLength <= Limits.requestBytes else {
            route.requestID = RequestID(beginningOf: message.payload, of: batch.bytes)
            return .refused(
                route, Rejection(.tooLarge, "The payload is longer than \(Limits.requestBytes) bytes."))
        }
        do throws(Rejection) {
            let object = try scan(message.payload, of: batch.bytes, .request(table: entry?.table))
            route.requestID = try object.requestID()
            guard let entry else { throw Rejection(.notFound, "There is no operation \(operation).") }
            return try entry.read(object, route, payloadBytes: message.payloadLength, at: receivedAt)
        } catch {
            return .refused(route, error)
        }
    }

    /// What the broker's plugin reports.
    private func report(on topic: Span<UInt8>, _ payload: [UInt8]) -> Verdict? {
        if topic.equals(PresenceReport.topic) { return PresenceCodec.reports(in: payload).map(Verdict.presence) }
        if topic.equals(TokenUse.topic) { return TokenUseCodec.uses(in: payload).map(Verdict.tokenUses) }
        if topic.equals(SessionRemoval.topic) { return SessionRemoval.ids(in: payload).map(Verdict.sessionRemovals) }
        if topic.equals(BrokerCounts.topic) { return BrokerCounts(message: payload).map(Verdict.counts) }
        return nil
    }

    private func scan(
        _ payload: Range<Int>, of bytes: [UInt8], _ bound: MemberBound
    ) throws(Rejection) -> JSONObject {
        do throws(JSONError) {
            return try JSONObject(parsing: payload, of: bytes, bound)
        } catch {
            throw Rejection(payload: error)
        }
    }

    /// Unknown areas share one bucket, so that invented names get none.
    private mutating func consumeToken(_ address: DeviceAddress, _ area: String?, now: Timestamp) -> Int? {
        let area = area ?? "?"
        return deviceRates.consume(DeviceArea(address: address, area: area), now: now)
            ?? userRates.consume(UserArea(user: address.user, area: area), now: now, isShared: isShared)
    }

    /// What other gateways are to be told of what users have spent.
    mutating func drainSpendings() -> [RateSpending] {
        userRates.drainDue().map { RateSpending(user: $0.key.user, area: $0.key.area, time: $0.time) }
    }

    /// All gateways together have spent so much.
    mutating func merge(_ spendings: [RateSpending], now: Timestamp) {
        for spent in spendings {
            let key = UserArea(user: spent.user, area: spent.area)
            userRates.merge(SharedRates.Spending(key: key, time: spent.time), now: now)
        }
    }

    /// More levels than any reply needs. Mosquitto takes a response topic of any depth, but ends a connection that
    /// publishes to one of more than 200 levels: a device must not be able to end the gateway's.
    private static let mostResponseLevels = 32

    /// The response topic, if it is a topic below the requester's own `down/{uid}/{did}/` (protocol §2).
    private func responseTopic(
        _ message: InboundMessage, in batch: InboundBatch, of address: DeviceAddress
    ) -> [UInt8]? {
        guard let range = message.responseTopic, range.count <= 512 else { return nil }
        let topic = batch.bytes[range]
        let own = Array("\(Topic.prefix)down/\(address.user)/\(address.device)/".utf8)
        guard topic.count > own.count, topic.starts(with: own) else { return nil }
        let wildcards: [UInt8] = [0, UInt8(ascii: "+"), UInt8(ascii: "#")]
        guard !topic.contains(where: wildcards.contains) else { return nil }
        let separators = topic.count { $0 == UInt8(ascii: "/") }
        guard separators < Ingress.mostResponseLevels else { return nil }
        return Array(topic)
    }
}

extension Settings {
    fileprivate var requestRate: Rate { Rate(burst: requestBurst, perSecond: requestsPerSecond) }
    fileprivate var userRequestRate: Rate { Rate(burst: requestBurst * 2, perSecond: requestsPerSecond * 2) }
}

// MARK: The table of operations

/// The operations of the table with what carries each out, looked up once a request.
struct OperationHandlers: Sendable {
    /// One operation.
    struct Entry: Sendable {
        /// The area that rates of requests count by.
        let area: String
        let askers: Askers
        /// Whether it is never replied to.
        let isSilent: Bool
        let table: TableShape?
        /// Whether it goes to the desk first.
        let isForDesk: Bool
        let metrics: OperationMetrics?
        fileprivate let handler: Handler

        /// Reads a request from a scanned payload.
        func read(
            _ object: JSONObject, _ route: ReplyRoute, payloadBytes: Int, at receivedAt: ContinuousClock.Instant
        ) throws(Rejection) -> Ingress.Verdict {
            switch handler {
            case .command(let type):
                .command(
                    Incoming(
                        route: route, askers: askers, request: try type.init(members: object), isForDesk: isForDesk,
                        metrics: metrics, receivedAt: receivedAt))
            case .query(let type):
                .query(
                    Incoming(
                        route: route, askers: askers, request: try type.init(members: object),
                        payloadBytes: payloadBytes, metrics: metrics, receivedAt: receivedAt))
            }
        }
    }

    fileprivate enum Handler {
        case command(any CommandHandler.Type)
        case query(any QueryHandler.Type)
    }

    private var entries: [Operation: Entry] = [:]

    /// - Parameter counters: what the operations are measured by.
    /// - Throws: for an operation that nothing carries out, and for one that is in the table twice.
    init(
        _ operations: [OperationTable.Entry] = OperationTable.entries, counters: Counters? = nil
    ) throws(OperationTableError) {
        for entry in operations {
            let request = entry.request
            let handler = try OperationHandlers.handler(of: entry)
            let known = entries.updateValue(
                Entry(
                    area: request.operation.area, askers: request.askers,
                    isSilent: !request.hasReply, table: request.table,
                    isForDesk: request is any AccountHandler.Type, metrics: counters?.operations[request.operation],
                    handler: handler),
                forKey: request.operation)
            guard known == nil else { throw .repeated(request.operation) }
        }
    }

    /// - Returns: `nil` for an operation that there is not.
    subscript(operation: Operation) -> Entry? { entries[operation] }

    private static func handler(of entry: OperationTable.Entry) throws(OperationTableError) -> Handler {
        switch entry {
        case .command(let type):
            guard let type = type as? any CommandHandler.Type else { throw .notHandled(type.operation) }
            return .command(type)
        case .query(let type):
            guard let type = type as? any QueryHandler.Type else { throw .notHandled(type.operation) }
            return .query(type)
        }
    }
}

/// A fault of the program: the gateway does not start with it.
enum OperationTableError: Error, Equatable, CustomStringConvertible {
    case notHandled(Operation)
    case repeated(Operation)

    var description: String {
        switch self {
        case .notHandled(let operation): "nothing in this gateway carries out \(operation)"
        case .repeated(let operation): "the table of operations has \(operation) twice"
        }
    }
}
