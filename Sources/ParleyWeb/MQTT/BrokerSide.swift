import NIOCore
import NIOPosix

/// The broker's side of a passage: a TCP connection, which starts with the client's CONNECT.
///
/// Confined to the event loop of the client's channel, which is its own, too.
final class BrokerSide: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// `nil` once the passage is over.
    private var client: WebSocketSide?
    private let first: ByteBuffer
    private var context: ChannelHandlerContext?
    /// A read deferred until the client accepts more.
    private var isReadPending = false

    init(client: WebSocketSide, first: ByteBuffer) {
        self.client = client
        self.first = first
    }

    func connect(to address: SocketAddress, on loop: any EventLoop, _ configuration: MQTTPassage.Configuration) {
        let mostWaiting = configuration.mostWaiting
        let handler = NIOLoopBound(self, eventLoop: loop)
        ClientBootstrap(group: loop)
            .connectTimeout(TimeAmount(configuration.times.answer))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.syncOptions?.bound(mostWaiting: mostWaiting)
                    try channel.pipeline.syncOperations.addHandler(handler.value)
                }
            }
            .connect(to: address)
            .whenFailure { _ in handler.value.end() }
    }

    /// Ends the connection, or the attempt to connect. The client's side gets no more calls.
    func close() {
        client = nil
        context?.close(promise: nil)
    }

    /// The connection has ended, or could not be made.
    private func end() {
        client?.recordBrokerEnd()
        client = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        guard client != nil else { return context.close(promise: nil) }
        self.context = context
        write(first)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        end()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

extension BrokerSide {
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        client?.receive(fromBroker: unwrapInboundIn(data))
    }

    func write(_ data: ByteBuffer) { context?.writeAndFlush(wrapOutboundOut(data), promise: nil) }

    /// Whether the connection to the broker accepts more writes.
    var takesMore: Bool { context?.channel.isWritable ?? false }

    var waitingBytes: Int { context?.channel.waitingBytes ?? 0 }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        client?.resumeReading()
        context.fireChannelWritabilityChanged()
    }

    /// Not while the client's side accepts no more writes.
    func read(context: ChannelHandlerContext) {
        let mayRead = client?.takesMore ?? true
        isReadPending = !mayRead
        if mayRead { context.read() }
    }

    func resumeReading() {
        guard isReadPending, client?.takesMore ?? true else { return }
        isReadPending = false
        context?.read()
    }
}
