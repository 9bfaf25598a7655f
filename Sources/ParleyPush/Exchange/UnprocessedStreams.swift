import NIOCore
import NIOHTTP2

/// Says of each stream of a connection of HTTP/2 that is closed by a GOAWAY whether the server promises not to have
/// processed it (RFC 9113 §6.8).
///
/// NIO closes such streams with `CANCEL`, the code of a server that has thought better of a request it may have carried out;
/// this makes it `REFUSED_STREAM`, which says that it has not.
final class UnprocessedStreams: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame

    /// The last stream that the server may have processed; `nil` while the connection stays.
    private var last: HTTP2StreamID?

    /// Watches a connection whose handler of HTTP/2 is in place.
    static func watch(_ channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            let connection = try pipeline.handler(type: NIOHTTP2Handler.self)
            try pipeline.addHandler(UnprocessedStreams(), position: .after(connection))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data).payload {
        case .goAway(let stream, _, _): last = stream
        default: break
        }
        context.fireChannelRead(data)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let closed = event as? StreamClosedEvent, closed.reason == .cancel, let last, closed.streamID > last
        else {
            return context.fireUserInboundEventTriggered(event)
        }
        context.fireUserInboundEventTriggered(StreamClosedEvent(streamID: closed.streamID, reason: .refusedStream))
    }
}
