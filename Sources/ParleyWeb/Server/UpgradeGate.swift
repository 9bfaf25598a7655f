import NIOCore
import NIOHTTP1

/// Decides, before NIO does, whether the first request of a connection makes it a WebSocket, and ends a connection
/// whose first request does not come.
///
/// NIO's own handler for that (2.101) drops a request that asks for an upgrade and is given none. So a request that is
/// not to be upgraded loses its `Upgrade` here, and is answered like any other.
final class UpgradeGate: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private enum State {
        case waiting(Scheduled<Void>?)
        /// The first request is being judged. What comes meanwhile is kept.
        case judging(HTTPRequestHead, [NIOAny])
        /// Whatever comes goes on: it may be no HTTP any more.
        case open
    }

    private let upgrades: Upgrades
    private let time: TimeAmount
    private var state = State.waiting(nil)
    /// What became of the first request; `nil` where it is no WebSocket.
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
        case .judging(let head, let parts): state = .judging(head, parts + [data])
        case .waiting(let alarm):
            alarm?.cancel()
            guard case .head(let head) = unwrapInboundIn(data), head.headers.contains(name: "upgrade") else {
                state = .open
                return context.fireChannelRead(data)
            }
            judge(head, context)
        }
    }

    private func judge(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        state = .judging(head, [])
        // Nobody sends more than a request before it is answered.
        context.channel.setOption(.autoRead, value: false).whenFailure { _ in }
        let bound = NIOLoopBound((gate: self, context: context), eventLoop: context.eventLoop)
        let upgrades = upgrades
        context.eventLoop.makeFutureWithTask { await upgrades.admit(head) }.whenSuccess { admission in
            bound.value.gate.open(for: admission, bound.value.context)
        }
    }

    private func open(for admission: Upgrades.Admission?, _ context: ChannelHandlerContext) {
        guard case .judging(var head, let parts) = state, context.channel.isActive else { return }
        self.admission = admission
        state = .open
        if admission == nil { head.headers.remove(name: "upgrade") }
        context.fireChannelRead(wrapInboundOut(.head(head)))
        for part in parts { context.fireChannelRead(part) }
        context.fireChannelReadComplete()
        context.channel.setOption(.autoRead, value: true).whenFailure { _ in }
    }
}
