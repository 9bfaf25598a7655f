import ParleyProtocol

struct RequestKey: Hashable, Sendable {
    let value: UUIDValue

    static func random() -> RequestKey { RequestKey(value: .random()) }
}

struct PendingRequest: Sendable {
    let key: RequestKey
    let operation: Operation
    let payload: [UInt8]
    /// Whether it ends with a reply, or once the broker has it.
    let wantsReply: Bool
    /// The event that counts as its reply, if any.
    var echo: Echo?
    let deadline: ContinuousClock.Instant
}

/// The unanswered requests in order, and when each is sent or repeated.
///
/// A value without I/O.
struct RequestBook {
    private struct Entry {
        let request: PendingRequest
        var sendAt: ContinuousClock.Instant
        var pause: Duration
        /// The last publish, until its PUBACK.
        var packet: PacketNumber?
    }

    private var entries: [Entry] = []
    private let firstRepeat: Duration

    static let capacity = 1024
    private static let longestPause: Duration = .seconds(30)

    init(firstRepeat: Duration) {
        self.firstRepeat = firstRepeat
    }

    var isEmpty: Bool { entries.isEmpty }

    /// - Returns: whether there was room.
    mutating func add(_ request: PendingRequest, now: ContinuousClock.Instant) -> Bool {
        guard entries.count < RequestBook.capacity else { return false }
        entries.append(Entry(request: request, sendAt: now, pause: firstRepeat))
        return true
    }

    func due(now: ContinuousClock.Instant) -> PendingRequest? {
        entries.first { $0.sendAt <= now }?.request
    }

    /// The request was published: it is repeated after a pause, which doubles each time.
    mutating func markSent(_ key: RequestKey, as packet: PacketNumber, now: ContinuousClock.Instant) {
        guard let index = index(of: key) else { return }
        entries[index].packet = packet
        entries[index].sendAt = now.advanced(by: entries[index].pause)
        entries[index].pause = min(entries[index].pause * 2, RequestBook.longestPause)
    }

    enum Acknowledged: Hashable {
        /// The broker has a request that gets no reply.
        case done(RequestKey)
        case refused(RequestKey, Rejection)
    }

    /// Handles a PUBACK (MQTT 5 §3.4.2.1).
    mutating func handleAcknowledgement(_ packet: PacketNumber, _ verdict: PublishVerdict) -> Acknowledged? {
        guard let index = entries.firstIndex(where: { $0.packet == packet }) else { return nil }
        entries[index].packet = nil
        let key = entries[index].request.key
        switch verdict {
        case .accepted:
            guard !entries[index].request.wantsReply else { return nil }
            entries.remove(at: index)
            return .done(key)
        case .noRoom:
            // The gateway's queue at the broker is full: the repeat may pass.
            return nil
        case .refused:
            entries.remove(at: index)
            return .refused(key, .byBroker)
        }
    }

    /// - Returns: whether the request was waiting.
    mutating func remove(_ key: RequestKey) -> Bool {
        guard let index = index(of: key) else { return false }
        entries.remove(at: index)
        return true
    }

    var awaitsEcho: Bool { entries.contains { $0.request.echo != nil } }

    /// The requests that this echo answers.
    func awaiting(_ echo: Echo) -> [RequestKey] {
        entries.filter { $0.request.echo == echo }.map(\.request.key)
    }

    /// Removes and returns the requests that are over their deadline.
    mutating func expire(now: ContinuousClock.Instant) -> [RequestKey] {
        let over = entries.filter { $0.request.deadline <= now }.map(\.request.key)
        if !over.isEmpty { entries.removeAll { $0.request.deadline <= now } }
        return over
    }

    /// The connection is lost: the next one sends every request again, in order.
    mutating func markDisconnected(now: ContinuousClock.Instant) {
        for index in entries.indices {
            entries[index].packet = nil
            entries[index].sendAt = now
            entries[index].pause = firstRepeat
        }
    }

    var nextDeadline: ContinuousClock.Instant? { entries.map(\.request.deadline).min() }

    var nextSend: ContinuousClock.Instant? { entries.map(\.sendAt).min() }

    private func index(of key: RequestKey) -> Int? {
        entries.firstIndex { $0.request.key == key }
    }
}

extension Rejection {
    static let byBroker = Rejection(.forbidden, "The broker refused the request: it is not for this device to make.")
    static let tooLargeForBroker = Rejection(.tooLarge, "The request is larger than the broker takes.")
}

extension RequestKey {
    var bytes: [UInt8] { value.bytes }

    init?(correlationData: some Collection<UInt8>) {
        guard let value = UUIDValue(bytes: correlationData) else { return nil }
        self.value = value
    }
}

/// The echo of a sent message on its conversation, which counts as a reply (protocol §4, "The echo can be the reply").
struct Echo: Hashable, Sendable {
    let conversation: ConversationID
    let id: MessageID
    let content: [UInt8]

    /// Reads an event as an echo.
    ///
    /// - Returns: `nil` unless it is a new message of `device`.
    static func read(_ message: DeviceMessage, of device: DeviceAddress) -> (echo: Echo, sent: SentMessage)? {
        guard let topic = message.topic, case .conversation(_, .messages) = topic,
            let event = try? ReceivedEvent(topic: topic, payload: message.payload), case .record(let record) = event,
            record.kind == .known(.message), record.sender == device, let content = record.content
        else { return nil }
        return (Echo(conversation: record.conversation, id: record.id, content: content), SentMessage(record))
    }
}

extension Echo {
    /// - Returns: `nil` if the message's echo is not its reply.
    init?(of message: SendMessage) {
        guard message.echoIsReply else { return nil }
        self.init(conversation: message.conversation, id: message.id, content: message.sealed.content)
    }
}
