import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes connections of slow clients: in sending headers or a body, in reading a response, or between requests; and
/// idle ones when the door shuts down. A blob may take long, but it must keep moving.
final class RequestClock: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limits: DoorLimits
    /// The time at which the connection is closed; `nil` while the door works on a request.
    private var deadline: NIODeadline?
    /// Fires no later than at the deadline. It is not rescheduled when the deadline moves on, which happens several
    /// times a request.
    private var alarm: (task: Scheduled<Void>, at: NIODeadline)?
    /// Requests whose headers were received, without a complete response.
    private var unanswered = 0
    /// Responses that were begun and are incomplete.
    private var writing = 0
    /// Whether the last request is incomplete.
    private var isReading = false
    /// Bytes of the last request's body that came after its response.
    private var unwanted = 0
    private var isShuttingDown = false
    /// Whether the last request sends or reads a blob.
    private var isTransfer = false
    /// Bytes of the blob that came since the deadline was set.
    private var moved = 0
    /// Whether the door reads what the client sends. It does not while its disk is slower.
    private var isAwaitingInput = true

    /// How long an unneeded body is still read, so that its sender reads the response (RFC 9112 §9.6).
    private static let linger = TimeAmount.seconds(1)
    private static let mostUnwantedBytes = 1_048_576
    /// What a client sends within ``DoorLimits/transfer`` at least.
    private static let leastMovement = 65_536

    init(_ limits: DoorLimits) { self.limits = limits }

    func handlerAdded(context: ChannelHandlerContext) { wait(limits.firstRequest, context) }
    func handlerRemoved(context: ChannelHandlerContext) { alarm?.task.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            unanswered += 1
            isReading = true
            unwanted = 0
            moved = 0
            isTransfer = RequestClock.isTransfer(head)
            waitForNext(context)
        case .body(let part):
            if unanswered == 0 { unwanted += part.readableBytes }
            if unwanted > RequestClock.mostUnwantedBytes { return context.close(promise: nil) }
            if isTransfer { move(part.readableBytes, context) }
        case .end:
            isReading = false
            waitForNext(context)
        }
        context.fireChannelRead(data)
    }

    private static func isTransfer(_ head: HTTPRequest) -> Bool {
        guard head.method == .patch || head.method == .get, case .blob = head.path.flatMap({ BlobPath($0) }) else {
            return false
        }
        return true
    }

    private func move(_ count: Int, _ context: ChannelHandlerContext) {
        moved += count
        guard moved >= RequestClock.leastMovement else { return }
        moved = 0
        waitForNext(context)
    }

    func read(context: ChannelHandlerContext) {
        isAwaitingInput = true
        context.read()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isAwaitingInput = false
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            // The client continues its request (RFC 9110 §15.2.1).
            guard head.status.kind != .informational else { return context.write(data, promise: promise) }
            writing += 1
            wait(isTransfer ? limits.transfer : limits.response, context)
            context.write(data, promise: promise)
        case .body:
            // The door writes a part when the client has read most of the one before.
            if isTransfer { wait(limits.transfer, context) }
            context.write(data, promise: promise)
        case .end:
            let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
            let written = promise ?? context.eventLoop.makePromise()
            written.futureResult.whenSuccess {
                let (handler, context) = bound.value
                handler.writing -= 1
                // Malformed input is answered, too, though it made no request.
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

    /// Sets the deadline of the client's next step.
    private func waitForNext(_ context: ChannelHandlerContext) {
        // The client has a response to read: its input meanwhile does not extend the deadline for that.
        guard writing == 0 else { return }
        switch (isReading, unanswered) {
        // The body of a request that was answered without it.
        case (true, 0): wait(RequestClock.linger, context)
        case (true, _): wait(isTransfer ? limits.transfer : limits.body, context)
        case (false, 0):
            if isShuttingDown { context.close(promise: nil) } else { wait(limits.idle, context) }
        // The door's own time is bounded by its timeout for the gateway.
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
        if isTransfer, isReading, writing == 0, !isAwaitingInput { return wait(limits.transfer, context) }
        if deadline <= .now() { context.channel.close(promise: nil) } else { setAlarm(at: deadline, context) }
    }
}
