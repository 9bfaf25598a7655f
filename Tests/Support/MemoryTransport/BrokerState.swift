import LyingGateway
import ParleyClient
import ParleyProtocol

/// What a ``MemoryBroker`` knows: its connections, what is on its way, and the gateway.
struct BrokerState: Sendable {
    var gateway: HonestGateway
    var weather: Weather
    var refusal: ConnectionError?
    var diagnosis: ConnectionError?
    var diagnoses = 0
    var refusedFilters: Set<String> = []
    /// Without one every password signs in.
    var tokens: TokenDesk?
    private(set) var passwords: [String] = []
    private(set) var requests: [Operation] = []
    private(set) var asked: [String] = []
    private(set) var connectionCount = 0
    private var links: [Int: Link] = [:]
    private var underWay: [Carried] = []
    private var passages: [Passage.Leg: Int] = [:]
    /// Until when everything on a leg is held up.
    private var heldUp: [Passage.Leg: ContinuousClock.Instant] = [:]
    private var lastOrder = 0

    private struct Link {
        let device: DeviceAddress
        let signal: LoopSignal
        var subscriptions: Set<String> = []
        var inbox: [TransportEvent] = []
        var trouble: ConnectionError?
        var unacknowledged = 0
        var lastPacket: UInt32 = 0
    }

    /// A packet on its way.
    private struct Carried {
        enum Content {
            case request(OutgoingMessage, Operation, link: Int)
            case event(TransportEvent, link: Int)
        }

        let content: Content
        let due: ContinuousClock.Instant
        let order: Int
    }

    init(_ gateway: HonestGateway, _ weather: Weather) {
        self.gateway = gateway
        self.weather = weather
    }

    // MARK: Connections

    mutating func connect(
        _ device: DeviceAddress, _ password: String, _ signal: LoopSignal
    ) -> Result<Int, ConnectionError> {
        if let refusal { return .failure(refusal) }
        if tokens?.signIn(with: password) == false { return .failure(.notAuthorized) }
        passwords.append(password)
        gateway.register(device.user)
        connectionCount += 1
        links[connectionCount] = Link(device: device, signal: signal)
        return .success(connectionCount)
    }

    mutating func drop(_ trouble: ConnectionError) {
        for link in links.keys {
            if links[link]?.trouble == nil { links[link]?.trouble = trouble }
            links[link]?.signal.send()
        }
    }

    mutating func close(_ link: Int) { links[link] = nil }

    /// As many as a broker lets be on their way; few, so that it is felt.
    private static let quota = 8

    func canPublish(_ link: Int) -> Bool {
        links[link].map { $0.trouble == nil && $0.unacknowledged < BrokerState.quota } ?? false
    }

    mutating func packet(on link: Int) throws(TransportError) -> PacketNumber {
        guard let number = links[link]?.lastPacket, links[link]?.trouble == nil else {
            throw .lost(links[link]?.trouble ?? .lost)
        }
        links[link]?.lastPacket = number + 1
        return PacketNumber(rawValue: number + 1)
    }

    mutating func subscribe(_ link: Int, to filter: String, as packet: PacketNumber) {
        asked.append(filter)
        let isGranted = !refusedFilters.contains(filter)
        if isGranted { links[link]?.subscriptions.insert(filter) }
        deliver(.subscribed(packet, isGranted: isGranted), to: link)
    }

    mutating func unsubscribe(_ link: Int, from filter: String) { links[link]?.subscriptions.remove(filter) }

    mutating func publish(_ message: OutgoingMessage, _ operation: Operation, on link: Int, as packet: PacketNumber) {
        requests.append(operation)
        links[link]?.unacknowledged += 1
        let (fate, leg) = fate(on: .request(operation))
        guard case .turnedAway(let isForLackOfRoom) = fate else {
            deliver(.published(packet, .accepted), to: link)
            return carry(.request(message, operation, link: link), on: leg, fate)
        }
        deliver(.published(packet, isForLackOfRoom ? .noRoom : .refused), to: link)
    }

    // MARK: Ways

    private mutating func fate(on leg: Passage.Leg) -> (Fate, Passage.Leg) {
        passages[leg, default: 0] += 1
        return (weather.fate(Passage(leg: leg, number: passages[leg] ?? 0)), leg)
    }

    private mutating func carry(_ content: Carried.Content, on leg: Passage.Leg, _ fate: Fate) {
        let start = max(.now, heldUp[leg] ?? .now)
        var dues: [ContinuousClock.Instant]
        switch fate {
        case .arrives: dues = [start]
        case .doubled: dues = [start, start]
        case .overtaken(let pause): dues = [start + pause]
        case .delayed(let pause):
            dues = [start + pause]
            heldUp[leg] = start + pause
        case .lost, .turnedAway: dues = []
        }
        for due in dues {
            lastOrder += 1
            underWay.append(Carried(content: content, due: due, order: lastOrder))
        }
    }

    private mutating func deliver(_ event: TransportEvent, to link: Int) {
        links[link]?.inbox.append(event)
        links[link]?.signal.send()
    }

    /// An event for everybody who has subscribed to its topic.
    mutating func publish(_ event: HonestGateway.Event) {
        let message = IncomingMessage(topic: event.topic, payload: event.payload)
        for link in links.keys.sorted() where links[link]?.subscriptions.contains(event.topic) == true {
            let (fate, leg) = fate(on: .event(event.topic))
            carry(.event(.message(message), link: link), on: leg, fate)
            links[link]?.signal.send()
        }
    }

    /// Carries on what is due, and gives out what has come for a connection.
    ///
    /// - Returns: also when the next is due, and why the connection is over, if so.
    mutating func collect(
        for link: Int
    ) -> (events: [TransportEvent], next: ContinuousClock.Instant?, trouble: ConnectionError?) {
        while let next = underWay.filter({ $0.due <= .now }).min(by: { ($0.due, $0.order) < ($1.due, $1.order) }) {
            underWay.removeAll { $0.order == next.order }
            arrive(next.content)
        }
        let events = links[link]?.inbox ?? []
        links[link]?.inbox = []
        for case .published in events { links[link]?.unacknowledged -= 1 }
        return (events, underWay.map(\.due).min(), links[link]?.trouble)
    }

    private mutating func arrive(_ content: Carried.Content) {
        switch content {
        case .event(let event, let link):
            guard links[link]?.trouble == nil else { return }
            deliver(event, to: link)
        case .request(let message, let operation, let link):
            guard let device = links[link]?.device else { return }
            let answer = gateway.answer(operation, message.payload, from: device)
            for event in answer.events { publish(event) }
            let renewal = operation == RenewDevice.operation ? tokens?.renew() : nil
            guard let reply = renewal ?? answer.reply, let address = message.reply else { return }
            let (fate, leg) = fate(on: .reply(operation))
            let incoming = IncomingMessage(
                topic: address.topic, payload: reply, correlationData: address.correlationData)
            carry(.event(.message(incoming), link: link), on: leg, fate)
        }
    }
}
