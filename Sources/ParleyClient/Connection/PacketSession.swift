import MQTTPackets
import ParleyProtocol
import Platform

/// One MQTT 5 connection of a device without a network: what is to be sent, and what the bytes that were received say.
///
/// A transport gives it a stream of bytes, such as a socket or a WebSocket, and a clock. It acknowledges what comes at
/// QoS 1, counts what is under way against the broker's Receive Maximum (§4.9), and sends keep-alives (§3.1.2.10).
package struct PacketSession {
    /// To be sent, in order.
    package private(set) var output: [UInt8] = []
    private var input: [UInt8] = []
    private var phase = Phase.signingIn
    private var publishes: Set<UInt16> = []
    private var subscriptions: Set<UInt16> = []
    private var lastIdentifier: UInt16 = 0
    private var quota = PacketSession.mostPublishes
    private var longestPacket: UInt32 = .max
    private var keepAlive: Duration
    private var lastSent: ContinuousClock.Instant
    private var lastReceived: ContinuousClock.Instant
    private var ping: Ping?
    /// Why the connection is over, once all events from before were returned.
    private var end: ConnectionError?

    private enum Phase {
        case signingIn
        case open
    }

    /// A keep-alive that the broker has not answered.
    private struct Ping {
        /// How much of ``output`` ends with it, in bytes: on a slow network it waits behind what was to be sent before.
        var unsent: Int
        /// When the transport last took some of that: it may wait on in the system.
        var movedAt: ContinuousClock.Instant
    }

    /// How long the broker may be silent before it answers a PINGREQ.
    private static let patience: Duration = .seconds(15)
    /// Of one packet that is received: what a gateway may send, and its headers (protocol §1).
    private static let longestBody = 1 << 21
    /// Fewer than there are identifiers, together.
    private static let (mostPublishes, mostSubscriptions) = (20_000, 20_000)
    /// What a network that has stopped may leave unsent, in bytes.
    private static let mostUnsent = 1 << 22

    /// Begins with a CONNECT: clean start, and a session that ends with the connection.
    package init(_ signIn: SignIn, keepAliveSeconds: UInt16 = 30, now: ContinuousClock.Instant) throws(ConnectionError)
    {
        let connect = OutboundPacket.Connect(
            clientID: Array(signIn.clientID.utf8), username: Array(signIn.credentials.username.utf8),
            password: Array(signIn.credentials.password.utf8), keepAliveSeconds: keepAliveSeconds)
        keepAlive = .seconds(Int64(keepAliveSeconds))
        (lastSent, lastReceived) = (now, now)
        do throws(WireError) {
            try OutboundPacket.connect(connect).append(to: &output)
        } catch {
            throw .other(error)
        }
    }

    /// Whether the broker has accepted the sign-in.
    package var isOpen: Bool {
        switch phase {
        case .signingIn: false
        case .open: true
        }
    }

    /// Whether another publish at QoS 1 is allowed.
    package var canPublish: Bool { isOpen && publishes.count < quota && output.count < PacketSession.mostUnsent }

    /// When ``tick(_:)`` has something to do.
    package var deadline: ContinuousClock.Instant {
        guard let ping else { return min(lastSent, lastReceived).advanced(by: keepAlive) }
        return max(ping.movedAt, lastReceived).advanced(by: PacketSession.patience)
    }

    /// The first bytes of ``output`` have been sent.
    package mutating func sent(_ count: Int, now: ContinuousClock.Instant) {
        guard count > 0 else { return }
        output.removeFirst(count)
        lastSent = now
        guard let unsent = ping?.unsent, unsent > 0 else { return }
        ping = Ping(unsent: unsent - count, movedAt: now)
    }

    /// Sends a keep-alive where one is due.
    ///
    /// - Throws: ``ConnectionError/lost`` where the last one was not answered and nothing else was received; else why
    ///   the connection is over, where the last call of ``receive(_:now:)`` has returned what came before its end.
    package mutating func tick(_ now: ContinuousClock.Instant) throws(ConnectionError) {
        if let end { throw end }
        guard isOpen, now >= deadline else { return }
        guard ping == nil else { throw .lost }
        output += PacketSession.request
        ping = Ping(unsent: output.count, movedAt: now)
        lastSent = now
    }

    private static let request: [UInt8] = [0xC0, 0]

    package mutating func subscribe(to filter: String) throws(TransportError) -> PacketNumber {
        guard subscriptions.count < PacketSession.mostSubscriptions else { throw .noRoom }
        let identifier = nextIdentifier()
        try append(
            .subscribe(
                [OutboundPacket.Subscription(filter: Array(filter.utf8), quality: .atLeastOnce)], packet: identifier))
        subscriptions.insert(identifier)
        return PacketNumber(rawValue: UInt32(identifier))
    }

    package mutating func unsubscribe(from filter: String) throws(TransportError) {
        try append(.unsubscribe([Array(filter.utf8)], packet: nextIdentifier()))
    }

    package mutating func publish(_ message: OutgoingMessage) throws(TransportError) -> PacketNumber {
        guard canPublish else { throw .noRoom }
        let identifier = nextIdentifier()
        try append(
            .publish(
                OutboundPacket.Publish(
                    topic: Array(message.topic.utf8), payload: message.payload, identifier: identifier,
                    responseTopic: message.reply.map { Array($0.topic.utf8) },
                    correlationData: message.reply?.correlationData)))
        publishes.insert(identifier)
        return PacketNumber(rawValue: UInt32(identifier))
    }

    package mutating func disconnect() { output += PacketSession.farewell }

    private static let farewell: [UInt8] = [0xE0, 0]

    /// Takes what was received, in any pieces.
    ///
    /// - Throws: ``ConnectionError`` where the broker refuses the sign-in or ends the connection, or is no broker.
    ///   Where something came before that, it is returned, and ``tick(_:)`` throws.
    package mutating func receive(
        _ bytes: some Collection<UInt8>, now: ContinuousClock.Instant
    ) throws(ConnectionError) -> [TransportEvent] {
        if !bytes.isEmpty { lastReceived = now }
        input.append(contentsOf: bytes)
        var events: [TransportEvent] = []
        var position = 0
        do throws(ConnectionError) {
            if !isOpen, let first = input.first, TLSRecord.types.contains(first) { throw .tlsRequired }
            while let (packet, next) = try packet(at: position) {
                position = next
                if let event = try handle(packet) { events.append(event) }
            }
        } catch {
            guard !events.isEmpty else { throw error }
            end = error
        }
        input.removeFirst(position)
        return events
    }

    private func packet(at position: Int) throws(ConnectionError) -> (packet: InboundPacket, next: Int)? {
        do throws(WireError) {
            return try PacketReader.next(
                in: input.span, from: position, to: input.count, longest: PacketSession.longestBody)
        } catch {
            throw unreadable(error)
        }
    }

    /// What is no MQTT ends the attempts where it answers the sign-in, and later is a fault that passes.
    private func unreadable(_ error: WireError) -> ConnectionError { isOpen ? .lost : .other(error) }

    private mutating func handle(_ packet: InboundPacket) throws(ConnectionError) -> TransportEvent? {
        switch (phase, packet) {
        case (_, .disconnected(let reason)): throw reason == .sessionTakenOver ? .takenOver : .lost
        case (.signingIn, .connected(let connected)):
            try accept(connected)
            return nil
        case (.signingIn, _), (_, .connected): throw unreadable(.malformed)
        case (.open, .delivery(let delivery)): return try event(of: delivery)
        case (.open, .acknowledged(let identifier, let reason)):
            guard publishes.remove(identifier) != nil else { return nil }
            return .published(PacketNumber(rawValue: UInt32(identifier)), PublishVerdict(reason))
        case (.open, .subscribed(let identifier, let reasons)):
            guard subscriptions.remove(identifier) != nil, let first = reasons.first else { return nil }
            return .subscribed(
                PacketNumber(rawValue: UInt32(identifier)),
                isGranted: !ReasonCode(rawValue: input[first]).isFailure)
        case (.open, .unsubscribed): return nil
        case (.open, .pong):
            ping = nil
            return nil
        }
    }

    private mutating func accept(_ connected: InboundPacket.Connected) throws(ConnectionError) {
        switch connected.reason {
        case .success: break
        case .badUserNameOrPassword, .notAuthorized: throw .notAuthorized
        case .serverUnavailable, .serverBusy: throw .notReady
        default: throw .other(SignInRefusal(reason: connected.reason))
        }
        phase = .open
        if let maximum = connected.properties.receiveMaximum { quota = min(Int(maximum), quota) }
        if let maximum = connected.properties.maximumPacketSize { longestPacket = maximum }
        if let seconds = connected.properties.serverKeepAlive, seconds > 0 { keepAlive = .seconds(Int64(seconds)) }
    }

    private mutating func event(of delivery: InboundPacket.Delivery) throws(ConnectionError) -> TransportEvent {
        guard let topic = String(validating: input[delivery.topic], as: UTF8.self) else {
            throw unreadable(.malformed)
        }
        if let identifier = delivery.identifier {
            do throws(WireError) {
                try OutboundPacket.acknowledge(packet: identifier).append(to: &output)
            } catch {
                throw .other(error)
            }
        }
        return .message(
            IncomingMessage(
                topic: topic, payload: Array(input[delivery.payload]),
                correlationData: delivery.correlationData.map { Array(input[$0]) }, isRetained: delivery.isRetained))
    }

    private mutating func append(_ packet: OutboundPacket) throws(TransportError) {
        let before = output.count
        do throws(WireError) {
            try packet.append(to: &output)
        } catch {
            throw .invalidTopic
        }
        guard output.count - before <= Int(longestPacket) else {
            output.removeLast(output.count - before)
            throw .tooLarge
        }
    }

    /// One that nothing under way has. There are more than may be under way.
    private mutating func nextIdentifier() -> UInt16 {
        repeat {
            lastIdentifier = lastIdentifier == .max ? 1 : lastIdentifier + 1
        } while publishes.contains(lastIdentifier) || subscriptions.contains(lastIdentifier)
        return lastIdentifier
    }
}

/// A CONNACK that is neither of credentials nor of a broker that is not ready (MQTT 5 §3.2.2.2).
struct SignInRefusal: Error, CustomStringConvertible {
    let reason: ReasonCode

    var description: String { "the broker refuses the sign-in with reason \(reason.rawValue)" }
}

extension PublishVerdict {
    package init(_ reason: ReasonCode) {
        guard reason.isFailure else {
            self = .accepted
            return
        }
        self = reason == .quotaExceeded ? .noRoom : .refused
    }
}
