import MQTTWire
import ParleyProtocol

/// One client's connection to the broker of tests.
struct Connection {
    let descriptor: CInt
    /// `nil` before CONNECT.
    private(set) var client: ClientID?
    private var input: [UInt8] = []
    private(set) var output: [UInt8] = []
    private var subscriptions: Set<String> = []
    private var inFlight = 0
    private var waiting: [Publication] = []
    private var lastPacket: UInt16 = 0

    /// As many events as a client takes before it acknowledges one.
    private static let mostInFlight = 16

    init(descriptor: CInt) { self.descriptor = descriptor }

    /// What came is to be answered by the gateway.
    struct Asked {
        let publish: ClientPacket.Publish
        let device: DeviceAddress
    }

    /// Reads what came, and answers what is the broker's to answer.
    ///
    /// - Returns: the requests; `nil` if the connection is over.
    mutating func read() -> [Asked]? {
        var asked: [Asked] = []
        do {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = try Socket.receive(descriptor, into: &buffer, at: 0)
            input += buffer[..<count]
            while let packet = try ClientPacket.take(from: &input) {
                switch packet {
                case .connect(let clientID):
                    let bytes = Array(clientID.utf8)
                    guard client == nil else { return nil }
                    client = ClientID(parsing: bytes.span)
                    output += client == nil ? BrokerPacket.refusal : BrokerPacket.welcome
                case .publish(let publish):
                    guard let client else { return nil }
                    if let packet = publish.packet { output += BrokerPacket.published(packet) }
                    asked.append(Asked(publish: publish, device: client.address))
                case .acknowledge:
                    inFlight = max(0, inFlight - 1)
                    sendWaiting()
                case .subscribe(let packet, let filters):
                    subscriptions.formUnion(filters)
                    output += BrokerPacket.subscribed(packet, count: filters.count)
                case .unsubscribe(let packet, let filters):
                    subscriptions.subtract(filters)
                    output += BrokerPacket.unsubscribed(packet, count: filters.count)
                case .ping: output += BrokerPacket.pong
                case .disconnect: return nil
                }
            }
        } catch {
            return nil
        }
        return asked
    }

    mutating func reply(_ payload: [UInt8], to publish: ClientPacket.Publish) {
        guard let topic = publish.responseTopic else { return }
        output += BrokerPacket.reply(topic, payload, correlationData: publish.correlationData)
    }

    /// Sends an event, if it is for this client.
    mutating func publish(_ publication: Publication) {
        guard client != nil else { return }
        switch publication.audience {
        case .subscribers: guard subscriptions.contains(publication.topic) else { return }
        case .everybody: break
        }
        waiting.append(publication)
        sendWaiting()
    }

    private mutating func sendWaiting() {
        while inFlight < Connection.mostInFlight, !waiting.isEmpty {
            let next = waiting.removeFirst()
            inFlight += 1
            lastPacket = lastPacket == .max ? 1 : lastPacket + 1
            output += BrokerPacket.event(next.topic, next.payload, packet: lastPacket)
        }
    }

    /// - Returns: whether the connection goes on.
    mutating func flush() -> Bool {
        while !output.isEmpty {
            guard let count = try? Socket.send(descriptor, output, from: 0) else { return false }
            if count == 0 { return true }
            output.removeFirst(count)
        }
        return true
    }
}

/// An event on its way to the clients.
struct Publication: Hashable, Sendable {
    enum Audience: Hashable, Sendable {
        case subscribers
        /// Subscribed or not: the broker is the attacker's, too.
        case everybody
    }

    let topic: String
    let payload: [UInt8]
    var audience = Audience.subscribers
}
