import NIOCore
import NIOHTTPTypes

/// Ends connections whose client takes its time: with headers, with a body, with taking a response, or between
/// requests; and, when the door shuts down, those that wait for nothing.
final class RequestClock: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limits: HTTPLimits
    /// When the connection is closed; `nil` while the door is at work.
    private var deadline: NIODeadline?
    /// Rings no later than at the deadline. It is not set anew when that moves on, as it does several times a request.
    private var alarm: (task: Scheduled<Void>, at: NIODeadline)?
    /// Requests whose headers have come, and whose response is not sent.
    private var unanswered = 0
    /// Responses that were begun, and are not sent.
    private var writing = 0
    /// Whether the end of the last request has yet to come.
    private var isReading = false
    /// Bytes of the last request's body that came after its response.
    private var unwanted = 0
    private var isShuttingDown = false

    /// How long a body that nobody wants any more may still come, so that its sender reads the response
    /// (RFC 9112 §9.6).
    private static let linger = TimeAmount.seconds(1)
    private static let mostUnwantedBytes = 1_048_576

    init(_ limits: HTTPLimits) { self.limits = limits }

    func handlerAdded(context: ChannelHandlerContext) { wait(limits.firstRequest, context) }
    func handlerRemoved(context: ChannelHandlerContext) { alarm?.task.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            unanswered += 1
            isReading = true
            unwanted = 0
            waitForNext(context)
        case .body(let part):
            if unanswered == 0 { unwanted += part.readableBytes }
            if unwanted > RequestClock.mostUnwantedBytes { return context.close(promise: nil) }
        case .end:
            isReading = false
            waitForNext(context)
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head:
            writing += 1
            wait(limits.response, context)
            context.write(data, promise: promise)
        case .body: context.write(data, promise: promise)
        case .end:
            let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
            let written = promise ?? context.eventLoop.makePromise()
            written.futureResult.whenSuccess {
                let (handler, context) = bound.value
                handler.writing -= 1
                // What is no HTTP is answered, too, though no request has come of it.
                handler.unanswered = max(0, handler.unanswered - 1)
                handler.waitForNext(context)
            }
            context.write(data, promise: written)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline = nil
        alarm?.task.cancel()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            isShuttingDown = true
            if unanswered == 0 { context.close(promise: nil) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Sets the alarm for what is to come of the client next.
    private func waitForNext(_ context: ChannelHandlerContext) {
        // The client has yet to take a response: what it sends meanwhile gives it no more time for that.
        guard writing == 0 else { return }
        switch (isReading, unanswered) {
        // The body of a request that was answered without it.
        case (true, 0): wait(RequestClock.linger, context)
        case (true, _): wait(limits.body, context)
        case (false, 0):
            if isShuttingDown { context.close(promise: nil) } else { wait(limits.idle, context) }
        // The door's own time is bounded by its patience with the gateway.
        case (false, _): deadline = nil
        }
    }

    private func wait(_ time: TimeAmount, _ context: ChannelHandlerContext) {
        let end = NIODeadline.now() + time
        deadline = end
        if let alarm, alarm.at <= end { return }
        alarm?.task.cancel()
        setAlarm(at: end, context)
    }

    private func setAlarm(at time: NIODeadline, _ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        let task = context.eventLoop.scheduleTask(deadline: time) {
            let (handler, context) = bound.value
            handler.ring(context)
        }
        alarm = (task, time)
    }

    private func ring(_ context: ChannelHandlerContext) {
        alarm = nil
        guard let deadline else { return }
        if deadline <= .now() { context.channel.close(promise: nil) } else { setAlarm(at: deadline, context) }
    }
}
