import ParleyProtocol

/// The correlation data of a request: what its reply is known by.
struct RequestKey: Hashable, Sendable {
    let value: UUIDValue

    static func random() -> RequestKey { RequestKey(value: .random()) }
}

/// A request on its way.
struct PendingRequest: Sendable {
    let key: RequestKey
    let operation: Operation
    let payload: [UInt8]
    /// Whether it is done with a reply, or as soon as the broker has it.
    let wantsReply: Bool
    /// The event that is as good as a reply, if one is.
    var echo: Echo?
    let deadline: ContinuousClock.Instant
}

/// The requests that have no reply yet, in the order in which they were made, and when each is sent (again).
///
/// A value that does no I/O: the loop asks it what to send, and reports what came.
struct RequestBook {
    private struct Entry {
        let request: PendingRequest
        var sendAt: ContinuousClock.Instant
        var pause: Duration
        /// The latest publish, until the broker has acknowledged it.
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

    /// Adds a request; `false` if as many as may wait are waiting.
    mutating func add(_ request: PendingRequest, now: ContinuousClock.Instant) -> Bool {
        guard entries.count < RequestBook.capacity else { return false }
        entries.append(Entry(request: request, sendAt: now, pause: firstRepeat))
        return true
    }

    /// The first request whose time to be sent has come.
    func due(now: ContinuousClock.Instant) -> PendingRequest? {
        entries.first { $0.sendAt <= now }?.request
    }

    /// The request was published: it is repeated after a pause, which doubles from one time to the next.
    mutating func markSent(_ key: RequestKey, as packet: PacketNumber, now: ContinuousClock.Instant) {
        guard let index = index(of: key) else { return }
        entries[index].packet = packet
        entries[index].sendAt = now.advanced(by: entries[index].pause)
        entries[index].pause = min(entries[index].pause * 2, RequestBook.longestPause)
    }

    /// What an acknowledgement means for the request that it belongs to.
    enum Acknowledged: Hashable {
        /// The broker has a request that gets no reply.
        case done(RequestKey)
        case refused(RequestKey, Rejection)
    }

    /// The broker acknowledged or refused a publish (MQTT 5 §3.4.2.1).
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
            // The broker holds as much for the gateway as it may: the repeat will tell.
            return nil
        case .refused:
            entries.remove(at: index)
            return .refused(key, .byBroker)
        }
    }

    /// Forgets a request that has its answer; `false` for one that is not waiting.
    mutating func remove(_ key: RequestKey) -> Bool {
        guard let index = index(of: key) else { return false }
        entries.remove(at: index)
        return true
    }

    /// Whether an event may be what a request waits for.
    var awaitsEcho: Bool { entries.contains { $0.request.echo != nil } }

    /// The requests that this event answers, however often one was made.
    func awaiting(_ echo: Echo) -> [RequestKey] {
        entries.filter { $0.request.echo == echo }.map(\.request.key)
    }

    /// Forgets those whose time is over, and says which.
    mutating func expire(now: ContinuousClock.Instant) -> [RequestKey] {
        let over = entries.filter { $0.request.deadline <= now }.map(\.request.key)
        if !over.isEmpty { entries.removeAll { $0.request.deadline <= now } }
        return over
    }

    /// The connection is gone, and with it whatever was on its way: the next one sends everything, in the old order.
    mutating func markDisconnected(now: ContinuousClock.Instant) {
        for index in entries.indices {
            entries[index].packet = nil
            entries[index].sendAt = now
            entries[index].pause = firstRepeat
        }
    }

    /// When the next request's time is over.
    var nextDeadline: ContinuousClock.Instant? { entries.map(\.request.deadline).min() }

    /// When the next one is to be sent.
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

/// What a message that was sent comes back as on its conversation, which is as good as a reply (protocol §4, "The
/// echo can be the reply").
struct Echo: Hashable, Sendable {
    let conversation: ConversationID
    let id: MessageID
    let content: [UInt8]

    /// What of an event a device has sent.
    ///
    /// - Returns: `nil` for any event but a new message of `device`'s own.
    static func read(_ message: DeviceMessage, of device: DeviceAddress) -> (echo: Echo, sent: SentMessage)? {
        guard let topic = message.topic, case .conversation(_, .messages) = topic,
            let event = try? ReceivedEvent(topic: topic, payload: message.payload), case .record(let record) = event,
            record.kind == .known(.message), record.sender == device, let content = record.content
        else { return nil }
        return (Echo(conversation: record.conversation, id: record.id, content: content), SentMessage(record))
    }
}

extension Echo {
    /// - Returns: `nil` for a message whose reply is not its echo.
    init?(of message: SendMessage) {
        guard message.echoIsReply else { return nil }
        self.init(conversation: message.conversation, id: message.id, content: message.sealed.content)
    }
}
