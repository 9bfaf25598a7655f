import Metrics
import NIOCore
import NIOWebSocket

/// The frames of `/ws`: events out, commands in, pings between, and a bound on the output of a slow reader.
final class EventSocketHandler: ChannelDuplexHandler {
    /// The actions that the session's side requests of the WebSocket.
    enum Command: Sendable {
        case send([[UInt8]])
        case close(SessionEnd)
    }

    typealias InboundIn = WebSocketFrame
    typealias InboundOut = Never
    typealias OutboundIn = Command
    typealias OutboundOut = WebSocketFrame

    private let configuration: EventSocketConfiguration
    private let commands: AppCommands
    private var budget: AppBudget
    private var lastHeard = NIODeadline.uptimeNanoseconds(0)
    private var blockedSince: NIODeadline?
    private var clock: RepeatedTask?
    private var isClosing = false

    init(_ configuration: EventSocketConfiguration, _ commands: AppCommands) {
        (self.configuration, self.commands) = (configuration, commands)
        budget = AppBudget(configuration)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        DoorMetrics.shared.webSockets.increment()
        lastHeard = context.eventLoop.now
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        clock = context.eventLoop.scheduleRepeatedTask(
            initialDelay: configuration.tick, delay: configuration.tick
        ) { _ in bound.value.handler.tick(bound.value.context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        DoorMetrics.shared.webSockets.decrement()
        clock?.cancel()
        clock = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        clock?.cancel()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The codec's error: too long a frame, too many fragments, or no WebSocket at all.
        context.close(promise: nil)
    }
}

// MARK: Out

extension EventSocketHandler {
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .send(let events):
            DoorMetrics.shared.events.increment(by: events.count)
            for event in events { write(context, .text, ByteBuffer(bytes: event)) }
            cutOffIfSlow(context)
            promise?.succeed()
        case .close(let end): close(context, end.closeCode)
        }
    }

    private func write(_ context: ChannelHandlerContext, _ opcode: WebSocketOpcode, _ data: ByteBuffer) {
        context.write(wrapOutboundOut(WebSocketFrame(fin: true, opcode: opcode, data: data)), promise: nil)
    }

    private func close(_ context: ChannelHandlerContext, _ code: WebSocketErrorCode) {
        guard !isClosing else { return }
        isClosing = true
        context.close(saying: code)
    }

    private func cutOffIfSlow(_ context: ChannelHandlerContext) {
        guard !context.channel.isWritable else { return }
        let waiting = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
        if waiting ?? .max > configuration.mostWaitingBytes { cutOff(context) }
    }

    private func cutOff(_ context: ChannelHandlerContext) {
        DoorMetrics.shared.slowReaders.increment()
        context.close(promise: nil)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        blockedSince = context.channel.isWritable ? nil : context.eventLoop.now
        context.fireChannelWritabilityChanged()
    }

    private func tick(_ context: ChannelHandlerContext) {
        let now = context.eventLoop.now
        if let blockedSince, blockedSince + configuration.patienceWithReaders <= now { return cutOff(context) }
        guard lastHeard + configuration.longestSilence > now else { return context.close(promise: nil) }
        write(context, .ping, ByteBuffer())
        context.flush()
    }
}

// MARK: In

extension EventSocketHandler {
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        lastHeard = context.eventLoop.now
        guard !isClosing else { return }
        switch frame.opcode {
        case .text:
            guard budget.take(lastHeard) else { return close(context, .policyViolation) }
            commands.take(Array(frame.unmaskedData.readableBytesView), from: context.channel)
        case .ping:
            guard budget.take(lastHeard) else { return close(context, .policyViolation) }
            write(context, .pong, frame.unmaskedData)
            context.flush()
        case .connectionClose: close(context, .normalClosure)
        case .pong: break
        case .binary, .continuation: close(context, .unacceptableData)
        default: close(context, .protocolError)
        }
    }
}

extension SessionEnd {
    /// RFC 6455 §7.4 and the registry of its codes; from 4000 on those of applications.
    var closeCode: WebSocketErrorCode {
        switch self {
        case .unauthenticated: WebSocketErrorCode(codeNumber: 4401)
        case .takenOver: WebSocketErrorCode(codeNumber: 4409)
        case .unavailable: WebSocketErrorCode(codeNumber: 1012)
        case .busy: WebSocketErrorCode(codeNumber: 1013)
        case .forbidden: .policyViolation
        }
    }
}
