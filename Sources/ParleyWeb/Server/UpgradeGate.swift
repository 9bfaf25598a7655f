import NIOCore
import NIOHTTP1
import ParleyProtocol

/// Decides, before NIO does, whether the first request of a connection makes it a WebSocket, and closes a connection
/// whose first request does not arrive.
///
/// NIO's own handler (2.101) drops a request whose upgrade is refused. So such a request loses its `Upgrade` here, and
/// is answered like any other.
final class UpgradeGate: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private enum State {
        case waiting(Scheduled<Void>?)
        /// The first request is being judged. Input meanwhile is kept in `parts`.
        case judging(HTTPRequestHead)
        /// All input goes on: it may be no HTTP any more.
        case open
    }

    private let upgrades: Upgrades
    private let time: TimeAmount
    private var state = State.waiting(nil)
    /// Parts received during the judgment. All come from one read, which may contain thousands.
    private var parts: [NIOAny] = []
    /// The upgrade of the first request; `nil` if it makes no WebSocket.
    private(set) var admission: Upgrades.Admission?

    /// - Parameter time: for the headers of the first request.
    init(_ upgrades: Upgrades, _ time: TimeAmount) { (self.upgrades, self.time) = (upgrades, time) }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        state = .waiting(context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) })
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        if case .waiting(let alarm) = state { alarm?.cancel() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if case .waiting(let alarm) = state { alarm?.cancel() }
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch state {
        case .open: context.fireChannelRead(data)
        case .judging: parts.append(data)
        case .waiting(let alarm):
            alarm?.cancel()
            guard case .head(var head) = unwrapInboundIn(data) else {
                state = .open
                return context.fireChannelRead(data)
            }
            if head.version != .http1_1 { UpgradeGate.endAfterAnswer(&head) }
            guard head.headers.contains(name: "upgrade") else {
                state = .open
                return context.fireChannelRead(wrapInboundOut(.head(head)))
            }
            judge(head, context)
        }
    }

    /// HTTP/1.0 has no upgrades, and its responses end with the connection (RFC 9110 §7.8).
    private static func endAfterAnswer(_ head: inout HTTPRequestHead) {
        head.headers.remove(name: "upgrade")
        head.headers.replaceOrAdd(name: "connection", value: "close")
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // The door shuts down, and this connection is idle.
        if event is ChannelShouldQuiesceEvent, case .waiting = state { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    /// Answers a malformed first request. The server answers later ones.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch state {
        case .open: context.fireErrorCaught(error)
        case .judging: context.close(promise: nil)
        case .waiting(let alarm):
            alarm?.cancel()
            state = .open
            refuse(error, context)
        }
    }

    private func refuse(_ error: any Error, _ context: ChannelHandlerContext) {
        let response = APIResponse(malformedBy: error)
        var headers = HTTPHeaders(response.headers)
        headers.add(name: "Content-Length", value: String(response.body.count))
        headers.add(name: "Connection", value: "close")
        let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: response.status), headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: response.body)))), promise: nil)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in bound.value.close(promise: nil) }
    }

    private func judge(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        state = .judging(head)
        // An honest client sends one request at a time.
        context.channel.setOption(.autoRead, value: false).whenFailure { _ in }
        let bound = NIOLoopBound((gate: self, context: context), eventLoop: context.eventLoop)
        let upgrades = upgrades
        context.eventLoop.makeFutureWithTask { await upgrades.admit(head) }.whenSuccess { admission in
            bound.value.gate.open(for: admission, bound.value.context)
        }
    }

    private func open(for admission: Upgrades.Admission?, _ context: ChannelHandlerContext) {
        guard case .judging(var head) = state, context.channel.isActive else { return }
        self.admission = admission
        state = .open
        if admission == nil { head.headers.remove(name: "upgrade") }
        context.fireChannelRead(wrapInboundOut(.head(head)))
        for part in parts { context.fireChannelRead(part) }
        parts = []
        context.fireChannelReadComplete()
        context.channel.setOption(.autoRead, value: true).whenFailure { _ in }
    }
}
