import NIOCore
import NIOWebSocket

/// Closes a WebSocket for violations that NIO's codec (2.101) accepts: frames without a mask (RFC 6455 §5.1), and bits
/// of extensions that were not negotiated (§5.2).
final class FrameCheck: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private var isOver = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        let frame = unwrapInboundIn(data)
        guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else { return refuse(context) }
        context.fireChannelRead(data)
    }

    private func refuse(_ context: ChannelHandlerContext) {
        isOver = true
        context.close(saying: .protocolError)
    }
}

extension ChannelHandlerContext {
    /// Sends a close frame (RFC 6455 §5.5.1), and closes after it.
    func close(saying code: WebSocketErrorCode) {
        var data = channel.allocator.buffer(capacity: 2)
        data.write(webSocketErrorCode: code)
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let frame = WebSocketFrame(fin: true, opcode: .connectionClose, data: data)
        writeAndFlush(NIOAny(frame)).whenComplete { _ in bound.value.close(promise: nil) }
    }
}
