import NIOCore
import NIOPosix

/// The broker's side of a passage: a TCP connection that begins with the client's CONNECT.
///
/// Everything happens on the event loop of the client's channel, which is its own as well.
final class BrokerSide: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// `nil` once the passage is over.
    private var client: WebSocketSide?
    private let first: ByteBuffer
    private var context: ChannelHandlerContext?
    /// A read that waits until the client takes more.
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

    /// Ends the connection, or its beginning. The client's side is told nothing more.
    func close() {
        client = nil
        context?.close(promise: nil)
    }

    /// The connection has ended, or has never been there.
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

    /// Whether the broker takes what it gets.
    var takesMore: Bool { context?.channel.isWritable ?? false }

    var waitingBytes: Int { context?.channel.waitingBytes ?? 0 }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        client?.resumeReading()
        context.fireChannelWritabilityChanged()
    }

    /// Not while the client does not take what it gets.
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
