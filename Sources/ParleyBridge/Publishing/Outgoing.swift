import MQTTClient
import ParleyProtocol
import ParleyStore

/// The events and replies of one batch, in order, their bytes in one arena.
struct Outgoing: Sendable {
    struct Item: Sendable {
        let message: OutboundMessage
        /// The position in the outbox; `nil` for replies and typing, which do not survive a crash.
        let position: StreamPosition?
        var disappearance: Disappearance?
        /// The number of unread messages that is not yet filled in.
        var unread: PendingUnread?
        /// What it announces, if that is a record.
        var record: RecordOrder.Place?
        /// Whether it is the reply to a change of audiences, which waits until the change is in force in every cell.
        var awaitsCells = false
        /// Whether it is the reply to a request that was refused: it depends on nothing.
        var isRejection = false
    }

    /// The end of a message's ciphertext.
    struct Disappearance: Sendable {
        let at: Timestamp
        /// The payload that is published from then on.
        var remains: Range<Int>
    }

    private(set) var items: [Item]
    private var writer: JSONWriter
    /// The changes of audiences that must be in force before anybody hears of it.
    var requires = StreamVector()
    /// When it was committed, or answered.
    var queuedAt: ContinuousClock.Instant?

    init() {
        items = []
        writer = JSONWriter()
    }

    var bytes: [UInt8] { writer.bytes }
    var isEmpty: Bool { items.isEmpty }

    /// Adds an event.
    ///
    /// - Parameter unread: the number of unread messages that the payload leaves room for.
    @discardableResult
    mutating func event(
        _ topic: Topic, position: StreamPosition?, qos: QoS = .atLeastOnce, retain: Bool = false,
        unread: UnreadScope? = nil,
        _ payload: (inout JSONWriter) -> Void
    ) -> Item {
        let name = writer.append { topic.append(to: &$0) }
        let message = OutboundMessage(
            topic: name, payload: writer.document(payload), qos: qos, isRetained: retain)
        let item = Item(message: message, position: position, unread: pending(unread, in: message.payload))
        items.append(item)
        return item
    }

    /// Removes the room in the document just written.
    private mutating func pending(_ unread: UnreadScope?, in payload: Range<Int>) -> PendingUnread? {
        guard let room = writer.removeRoom(), let unread else { return nil }
        return PendingUnread(scope: unread, offset: room.lowerBound - payload.lowerBound)
    }

    /// The numbers of unread messages that are not yet filled in.
    var unreadScopes: [UnreadScope] { items.compactMap { $0.unread?.scope } }

    var awaitsUnreadCounts: Bool { items.contains { $0.unread != nil } }

    /// Fills in numbers of unread messages.
    ///
    /// - Parameter counts: of all that `unreadScopes` names.
    mutating func fillUnreadCounts(_ counts: [UnreadScope: Int]) {
        for index in items.indices {
            guard let unread = items[index].unread, let count = counts[unread.scope] else { continue }
            let start = items[index].message.payload.lowerBound + unread.offset
            writer.fill(start..<start + Outgoing.unreadCountRoom, with: count)
            items[index].unread = nil
        }
    }

    private static let unreadCountRoom = String(Limits.unreadCount).utf8.count

    /// Adds the event that announces a record.
    mutating func announce(_ record: MessageRecord, position: StreamPosition?) {
        event(.conversation(record.conversation, .messages), position: position) { record.writeEvent(to: &$0) }
        let last = items.count - 1
        items[last].record = RecordOrder.Place(conversation: record.conversation, seq: record.seq)
        guard let disappearsAt = record.disappearsAt, record.content != nil else { return }
        let remains = writer.document { record.withoutCiphertext.writeEvent(to: &$0) }
        items[last].disappearance = Disappearance(at: disappearsAt, remains: remains)
    }

    /// Has replies from an index on wait until what they are of is in force in every cell.
    mutating func holdReplies(from index: Int) {
        for index in index..<items.count where items[index].position == nil { items[index].awaitsCells = true }
    }

    /// Whether it is nothing but replies to requests that were refused.
    var isRejections: Bool { items.allSatisfy(\.isRejection) }

    /// Whether there is an event from an index on.
    func hasEvents(from index: Int) -> Bool { items[index...].contains { $0.position != nil } }

    /// Removes the replies that wait for cells.
    mutating func takeHeldReplies() -> Outgoing? {
        guard items.contains(where: \.awaitsCells) else { return nil }
        var held = self
        held.items.removeAll { !$0.awaitsCells }
        items.removeAll(where: \.awaitsCells)
        return held
    }

    /// Moves the last items forward.
    ///
    /// - Parameter counts: for each moved item, the number of other items before it; in order.
    mutating func moveLast(behind counts: [Int]) {
        guard !counts.isEmpty else { return }
        let moved = items.suffix(counts.count)
        var (merged, rest): ([Item], ArraySlice<Item>) = ([], items.dropLast(counts.count))
        merged.reserveCapacity(items.count)
        for (item, before) in zip(moved, counts) {
            let count = max(0, before - (items.count - counts.count - rest.count))
            merged += rest.prefix(count)
            rest = rest.dropFirst(count)
            merged.append(item)
        }
        items = merged + rest
    }

    /// Adds ready-made bytes.
    mutating func raw(
        topic: [UInt8], payload: [UInt8], position: StreamPosition?, qos: QoS = .atLeastOnce, retain: Bool = false,
        unread: PendingUnread? = nil
    ) {
        let name = writer.append { $0 += topic }
        let content = writer.append { $0 += payload }
        let message = OutboundMessage(topic: name, payload: content, qos: qos, isRetained: retain)
        items.append(Item(message: message, position: position, unread: unread))
    }

    /// Appends the items of another.
    mutating func append(_ other: Outgoing) {
        requires.advance(to: other.requires)
        for item in other.items {
            let topic = writer.append { $0 += other.bytes[item.message.topic] }
            let payload = writer.append { $0 += other.bytes[item.message.payload] }
            var message = item.message
            message.topic = topic
            message.payload = payload
            message.correlationData = item.message.correlationData.map { range in
                writer.append { $0 += other.bytes[range] }
            }
            let disappearance = item.disappearance.map { disappearance in
                Disappearance(
                    at: disappearance.at, remains: writer.append { $0 += other.bytes[disappearance.remains] })
            }
            items.append(
                Item(
                    message: message, position: item.position, disappearance: disappearance, unread: item.unread,
                    record: item.record, awaitsCells: item.awaitsCells, isRejection: item.isRejection))
        }
    }

    /// Adds `{"ok":true,…}` for a request.
    ///
    /// - Parameters:
    ///   - isSecret: whether the broker must not keep it for a device that is away. It then goes at QoS 0, which no
    ///     session queues, and expires: Mosquitto 2.0.11 leaves what has expired in its file until the device is back,
    ///     so that an expiry alone would leave a token there in the clear.
    ///   - unread: the number of unread messages that the data leave room for.
    mutating func accept(
        _ route: ReplyRoute, isSecret: Bool = false, unread: UnreadScope? = nil, _ data: (inout JSONWriter) -> Void
    ) {
        reply(route, .accepted, isSecret: isSecret, unread: unread) {
            Reply.writeAccepted(route.requestID, to: &$0, data: data)
        }
    }

    /// Adds `{"ok":false,…}` for a request.
    mutating func reject(_ route: ReplyRoute, _ rejection: Rejection) {
        reply(route, .rejected) { Reply.writeRejected(route.requestID, rejection, to: &$0) }
    }

    /// How long the broker may hold a secret reply for a connection that is slow, in seconds.
    private static let secretSeconds: UInt32 = 60

    private mutating func reply(
        _ route: ReplyRoute, _ outcome: ReplyOutcome, isSecret: Bool = false, unread: UnreadScope? = nil,
        _ payload: (inout JSONWriter) -> Void
    ) {
        guard !route.isSilent else { return }
        let topic = writer.append { output in
            if let responseTopic = route.responseTopic {
                output += responseTopic
            } else {
                Topic.down(route.address, route.operation, outcome).append(to: &output)
            }
        }
        let correlation = route.correlationData.map { data in writer.append { $0 += data } }
        let message = OutboundMessage(
            topic: topic, payload: writer.document(payload), correlationData: correlation,
            expirySeconds: isSecret ? Outgoing.secretSeconds : nil, qos: isSecret ? .atMostOnce : .atLeastOnce)
        items.append(
            Item(
                message: message, position: nil, unread: pending(unread, in: message.payload),
                isRejection: outcome == .rejected))
    }
}

extension Outgoing.Item {
    /// The message for the broker: it expires with its ciphertext, and has none after that.
    func message(at steady: @autoclosure () -> Timestamp) -> OutboundMessage {
        guard let disappearance else { return message }
        var message = message
        let left = disappearance.at.milliseconds - steady().milliseconds
        if left > 0 {
            // Rounded up: a receiver that takes it within its last second may still have it.
            message.expirySeconds = UInt32(clamping: (left + 999) / 1000)
        } else {
            message.payload = disappearance.remains
        }
        return message
    }
}

/// The address of the reply to a request.
struct ReplyRoute: Sendable {
    let address: DeviceAddress
    let operation: Operation
    /// Below the requester's own `down/{uid}/{did}/`; any other was ignored.
    let responseTopic: [UInt8]?
    let correlationData: [UInt8]?
    var requestID: RequestID?
    /// Typing is never replied to.
    let isSilent: Bool

    /// For a change that the gateway makes for a device without a request.
    static func unasked(_ address: DeviceAddress) -> ReplyRoute {
        ReplyRoute(
            address: address, operation: AddDevice.operation, responseTopic: nil, correlationData: nil, requestID: nil,
            isSilent: true)
    }
}
