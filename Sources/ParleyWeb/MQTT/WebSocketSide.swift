import NIOCore
import NIOPosix
import NIOWebSocket

/// The client's side of a passage, and the owner of its state: bytes of the WebSocket in, frames out.
///
/// Confined to the channel's event loop.
final class WebSocketSide: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let address: SocketAddress
    private let configuration: MQTTPassage.Configuration
    private var rules = MQTTGuard()
    private var times: PassageTimes
    private var timer: Scheduled<Void>?
    private var state = State.open(nil)
    private var hasAnswer = false
    /// A deferred read.
    private var isReadPending = false
    private var context: ChannelHandlerContext?

    private enum State {
        /// The broker's side exists from the CONNECT on.
        case open(BrokerSide?)
        /// A close frame is sent; input is dropped until the client closes.
        case closing
    }

    /// The time for the client to close after a close frame.
    private static let farewell = TimeAmount.seconds(2)

    init(broker address: SocketAddress, _ configuration: MQTTPassage.Configuration) {
        self.address = address
        self.configuration = configuration
        times = PassageTimes(configuration.times, now: .uptime)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        watch(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) { leave() }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent: close(.goingAway)
        case ChannelEvent.inputClosed: context.close(promise: nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    /// The client has disconnected.
    private func leave() {
        timer?.cancel()
        if case .open(let broker) = state { broker?.close() }
        state = .closing
        context = nil
    }
}

// MARK: From the client

extension WebSocketSide {
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        do throws(MQTTRefusal) {
            let input = try receive(&buffer)
            switch state {
            case .open(let broker): handle(input, buffer, broker, context)
            case .closing: if input.close != nil { context.close(promise: nil) }
            }
        } catch {
            close(WebSocketErrorCode(codeNumber: Int(error.rawValue)))
        }
    }

    private func receive(_ buffer: inout ByteBuffer) throws(MQTTRefusal) -> MQTTGuard.ClientInput {
        times.recordTraffic(now: .uptime)
        var raw = buffer.mutableReadableBytesSpan
        var bytes = unsafe raw._unsafeMutableView(as: UInt8.self)
        return try rules.receive(&bytes)
    }

    private func handle(
        _ input: MQTTGuard.ClientInput, _ buffer: ByteBuffer, _ broker: BrokerSide?, _ context: ChannelHandlerContext
    ) {
        // Unread pongs would pile up: only the latest ping has to be answered (§5.5.3).
        if takesMore, let ping = input.ping { write(.pong, ByteBuffer(bytes: ping), context) }
        switch input.step {
        case .wait: break
        case .connect(let bytes): connect(ByteBuffer(bytes: bytes), context)
        case .pass(let count):
            if let data = buffer.getSlice(at: buffer.readerIndex, length: count) { broker?.write(data) }
        case .refuse(let answer):
            write(.binary, ByteBuffer(bytes: answer), context)
            close(.policyViolation)
        }
        if let close = input.close { answer(close, context) }
    }

    private func connect(_ first: ByteBuffer, _ context: ChannelHandlerContext) {
        times.recordConnect(now: .uptime)
        let broker = BrokerSide(client: self, first: first)
        state = .open(broker)
        broker.connect(to: address, on: context.eventLoop, configuration)
    }

    /// Returns the client's close frame, and closes (RFC 6455 §7.1.1).
    private func answer(_ close: MaskedFrameReader.Close, _ context: ChannelHandlerContext) {
        self.close(close.code.map { WebSocketErrorCode(codeNumber: Int($0)) } ?? .normalClosure)
        context.close(promise: nil)
    }

    /// Not while a CONNECT is unanswered, nor while the broker's side accepts no more writes.
    func read(context: ChannelHandlerContext) {
        isReadPending = !mayRead
        if mayRead { context.read() }
    }

    func resumeReading() {
        guard isReadPending, mayRead else { return }
        isReadPending = false
        context?.read()
    }

    private var mayRead: Bool {
        switch state {
        case .open(let broker?): rules.isSignedIn && broker.takesMore
        case .open(nil), .closing: true
        }
    }
}

// MARK: From the broker

extension WebSocketSide {
    func receive(fromBroker data: ByteBuffer) {
        guard case .open(let broker?) = state, let context else { return }
        hasAnswer = true
        times.recordTraffic(now: .uptime)
        do throws(MQTTRefusal) {
            let early = try rules.receive(fromBroker: data.readableBytesUInt8Span)
            write(.binary, data, context)
            guard let early else { return }
            times.recordSignIn()
            if !early.isEmpty { broker.write(ByteBuffer(bytes: early)) }
            resumeReading()
        } catch {
            close(WebSocketErrorCode(codeNumber: Int(error.rawValue)))
        }
    }

    /// The broker has ended the connection. Before a CONNACK that means that it is not ready, or cannot be reached.
    func recordBrokerEnd() { close(hasAnswer ? .normalClosure : .tryAgainLater) }

    /// Whether the client's connection accepts more writes.
    var takesMore: Bool { context?.channel.isWritable ?? false }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if case .open(let broker?) = state { broker.resumeReading() }
        context.fireChannelWritabilityChanged()
    }
}

// MARK: To the client

extension WebSocketSide {
    private func write(_ opcode: WebSocketOpcode, _ data: ByteBuffer, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: opcode, data: data)), promise: nil)
    }

    private func close(_ code: WebSocketErrorCode) {
        guard case .open(let broker) = state, let context else { return }
        state = .closing
        broker?.close()
        var payload = ByteBuffer()
        payload.write(webSocketErrorCode: code)
        write(.connectionClose, payload, context)
        timer?.cancel()
        // Otherwise the close frame would be lost if the client is still sending.
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.farewell) { context.close(promise: nil) }
        resumeReading()
    }

    private func watch(_ context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(times.interval)) { self.check(context) }
    }

    private func check(_ context: ChannelHandlerContext) {
        guard case .open(let broker) = state else { return }
        let overdue = times.overdue(
            now: .uptime, waitingForClient: context.channel.waitingBytes, waitingForBroker: broker?.waitingBytes ?? 0)
        switch overdue {
        case nil: watch(context)
        case .connect: close(.policyViolation)
        case .answer, .broker: close(.tryAgainLater)
        // It would not read a close frame either.
        case .client: context.close(promise: nil)
        case .silence: close(.goingAway)
        }
    }
}

extension WebSocketErrorCode {
    /// From the registry of RFC 6455 §11.7; NIO has no name for it.
    fileprivate static let tryAgainLater = WebSocketErrorCode(codeNumber: 1013)
}

extension Duration {
    /// Since a fixed moment, by a monotonic clock.
    fileprivate static var uptime: Duration { .nanoseconds(Int64(clamping: NIODeadline.now().uptimeNanoseconds)) }
}

extension Channel {
    /// Bytes written to it that it has not accepted.
    var waitingBytes: Int { (try? syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }
}
