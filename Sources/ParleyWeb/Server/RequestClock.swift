import NIOCore
import NIOHTTPTypes

/// Ends connections whose client takes its time: with headers, with a body, with taking a response, or between
/// requests.
final class RequestClock: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limits: HTTPLimits
    private var alarm: Scheduled<Void>?
    /// Whether all of the request has come.
    private var hasEnded = true

    init(_ limits: HTTPLimits) { self.limits = limits }

    func handlerAdded(context: ChannelHandlerContext) { wait(limits.firstRequest, context) }
    func handlerRemoved(context: ChannelHandlerContext) { alarm?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            hasEnded = false
            wait(limits.body, context)
        case .body: break
        // The door's own time is bounded by its patience with the gateway.
        case .end:
            hasEnded = true
            alarm?.cancel()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        wait(limits.response, context)
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        let written = promise ?? context.eventLoop.makePromise()
        written.futureResult.whenSuccess {
            let (handler, context) = bound.value
            // Whoever is answered before the body has ended was refused, and need not send the rest.
            handler.wait(handler.hasEnded ? handler.limits.idle : handler.limits.linger, context)
        }
        context.write(data, promise: written)
    }

    func channelInactive(context: ChannelHandlerContext) {
        alarm?.cancel()
        context.fireChannelInactive()
    }

    private func wait(_ time: TimeAmount, _ context: ChannelHandlerContext) {
        alarm?.cancel()
        let channel = context.channel
        alarm = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }
}
