import MQTTPackets
import Metrics
import NIOCore
import NIOPosix
import ParleyProtocol

/// A message that the broker delivered to a session.
struct BrokerDelivery {
    let topic: [UInt8]
    let payload: [UInt8]
    /// The number of the request that this is the reply to; `nil` for an event.
    let answer: UInt32?
}

/// The cause of a failed or broken connection.
enum BrokerLoss: Hashable, Sendable {
    /// The broker refuses the token. No other cause says anything about the token.
    case refused
    case takenOver
    case broken
}

/// One MQTT 5 connection to the broker, from its first byte to its last: packets in and out, acknowledgements, pings.
/// Used on the event loop of its session alone.
final class BrokerConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let session: TokenSession
    private let configuration: BrokerConfiguration
    private let replyTopic: [UInt8]
    private var context: ChannelHandlerContext?
    /// The incomplete packet at the end of the input.
    private var input: [UInt8] = []
    /// Packets to write at the end of the current read.
    private var output: [UInt8] = []
    private var isReading = false
    private var isSignedIn = false
    private var isOver = false
    private var lastPacket: UInt16 = 0
    /// The requests without a PUBACK, by packet identifier.
    private var publishing: [UInt16: UInt32] = [:]
    private var subscribing: [UInt16: EventLoopPromise<Void>] = [:]
    private var lastSent = NIODeadline.now()
    private var lastHeard = NIODeadline.now()
    private var lastPing = NIODeadline.now()

    /// A packet of the gateway has at most 384 KiB (protocol §4).
    private static let longestPacket = 393_216
    /// Filters of one SUBSCRIBE.
    private static let filtersAtOnce = 64

    private init(_ session: TokenSession, _ configuration: BrokerConfiguration) {
        (self.session, self.configuration) = (session, configuration)
        replyTopic = Array(session.replyTopic.utf8)
    }

    /// Connects and signs in. The session gets the outcome.
    static func connect(for session: TokenSession, on loop: any EventLoop, _ configuration: BrokerConfiguration) {
        let bound = NIOLoopBound(session, eventLoop: loop)
        let bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(configuration.connectTime)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(BrokerConnection(bound.value, configuration))
                }
            }
        let connected =
            switch configuration.broker {
            case .tcp(let host, let port):
                bootstrap.channelOption(.tcpOption(.tcp_nodelay), value: 1).connect(host: host, port: port)
            case .unixSocket(let path): bootstrap.connect(unixDomainSocketPath: path)
            }
        connected.whenFailure { _ in
            loop.execute { bound.value.didLose(nil, .broken) }
        }
    }
}

// MARK: The channel

extension BrokerConnection {
    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        let address = session.token.address
        var connect = OutboundPacket.Connect(
            clientID: Array("\(address.user):\(address.device):\(configuration.name)".utf8),
            username: Array(address.user.text.utf8), password: Array(session.token.text.utf8),
            keepAliveSeconds: UInt16(clamping: configuration.keepAlive.nanoseconds * 2 / 1_000_000_000))
        connect.receiveMaximum = 1000
        send(.connect(connect))
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: configuration.connectTime) {
            if !bound.value.isSignedIn { bound.value.lose(.broken) }
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isReading = true
        lastHeard = .now()
        input.append(contentsOf: unwrapInboundIn(data).readableBytesView)
        do {
            var position = 0
            while !isOver,
                let (packet, next) = try PacketReader.next(
                    in: input.span, from: position, to: input.count, longest: BrokerConnection.longestPacket)
            {
                take(packet)
                position = next
            }
            if position == input.count {
                input.removeAll(keepingCapacity: input.capacity <= 16_384)
            } else {
                input.removeFirst(position)
            }
        } catch {
            lose(.broken)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isReading = false
        session.didReadAll()
        flush()
    }

    func channelInactive(context: ChannelHandlerContext) {
        lose(.broken)
        self.context = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { lose(.broken) }

    private func take(_ packet: InboundPacket) {
        switch packet {
        case .connected(let connected): take(connected)
        case .delivery(let delivery): take(delivery)
        case .subscribed(let packet, _): subscribing.removeValue(forKey: packet)?.succeed()
        case .disconnected(let reason): lose(reason == .sessionTakenOver ? .takenOver : .broken)
        case .acknowledged(let packet, let reason):
            guard let answer = publishing.removeValue(forKey: packet), reason.isFailure else { break }
            session.wasRefused(answer, reason == .notAuthorized ? .forbidden : .busy)
        case .unsubscribed, .pong: break
        }
    }

    private func take(_ connected: InboundPacket.Connected) {
        guard !isSignedIn else { return lose(.broken) }
        switch connected.reason {
        case .success:
            isSignedIn = true
            session.didSignIn(self)
        case .notAuthorized, .badUserNameOrPassword, .clientIdentifierNotValid: lose(.refused)
        default: lose(.broken)
        }
    }

    private func take(_ delivery: InboundPacket.Delivery) {
        if let identifier = delivery.identifier { send(.acknowledge(packet: identifier)) }
        let topic = Array(input[delivery.topic])
        var answer: UInt32?
        if topic == replyTopic {
            guard let place = delivery.correlationData, place.count == 4 else { return }
            answer = input[place].reduce(0) { $0 << 8 | UInt32($1) }
        }
        session.didReceive(BrokerDelivery(topic: topic, payload: Array(input[delivery.payload]), answer: answer))
    }

    private func lose(_ loss: BrokerLoss) {
        guard !isOver else { return }
        isOver = true
        DoorMetrics.shared.lostConnections.increment()
        failSubscriptions()
        context?.close(promise: nil)
        session.didLose(self, loss)
    }
}

// MARK: What the session sends

extension BrokerConnection {
    /// - Parameter answer: the number that the reply names; `nil` for a request without a reply.
    func publish(_ topic: [UInt8], _ payload: [UInt8], answer: UInt32?) {
        let packet = nextPacket()
        var publish = OutboundPacket.Publish(topic: topic, payload: payload, identifier: packet)
        if let answer {
            publishing[packet] = answer
            publish.responseTopic = replyTopic
            publish.correlationData = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: answer >> $0) }
        }
        send(.publish(publish))
    }

    /// - Parameter promise: succeeds when the broker has answered.
    func subscribe(_ filters: [BrokerFilter], _ promise: EventLoopPromise<Void>?) {
        var rest = filters[...]
        while !rest.isEmpty {
            let packet = nextPacket()
            send(.subscribe(rest.prefix(BrokerConnection.filtersAtOnce).map(\.subscription), packet: packet))
            rest = rest.dropFirst(BrokerConnection.filtersAtOnce)
            // SUBACKs come in the order of their SUBSCRIBEs.
            if rest.isEmpty { subscribing[packet] = promise }
        }
    }

    func unsubscribe(_ filters: [BrokerFilter]) {
        send(.unsubscribe(filters.map(\.subscription.filter), packet: nextPacket()))
    }

    /// Pings the broker after a long silence of ours, and gives up one that stays silent itself.
    func keepAlive(_ now: NIODeadline) {
        guard lastHeard + configuration.keepAlive * 2 > now else { return lose(.broken) }
        guard lastPing + configuration.keepAlive <= now, min(lastSent, lastHeard) + configuration.keepAlive <= now
        else { return }
        lastPing = now
        send(.ping)
    }

    func close() {
        guard !isOver else { return }
        isOver = true
        send(.disconnect)
        flush()
        failSubscriptions()
        context?.close(promise: nil)
    }

    /// The broker no longer answers them.
    private func failSubscriptions() {
        let unanswered = subscribing.values
        subscribing.removeAll()
        for promise in unanswered { promise.fail(SessionEnd.unavailable) }
    }

    private func nextPacket() -> UInt16 {
        lastPacket = lastPacket == .max ? 1 : lastPacket + 1
        return lastPacket
    }

    private func send(_ packet: OutboundPacket) {
        // No field is too long: topics, tokens and payloads are bounded earlier.
        guard (try? packet.append(to: &output)) != nil else { return }
        if !isReading { flush() }
    }

    private func flush() {
        guard let context, !output.isEmpty else { return }
        lastSent = .now()
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: output)), promise: nil)
        output.removeAll(keepingCapacity: output.capacity <= 16_384)
    }
}
