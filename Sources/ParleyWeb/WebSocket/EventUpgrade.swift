import NIOCore
import NIOWebSocket
import ParleyProtocol

/// A connection upgraded to a WebSocket of events.
struct EventUpgrade: Sendable {
    static let path = "/ws"

    /// The facts that admission depends on.
    struct Request: Sendable {
        let target: String
        let authorization: String?
        let origin: String?
        let host: String?
    }

    private let channel: any Channel
    private let session: SessionHandle

    /// Prepares the channel, on its event loop.
    init(_ channel: any Channel, _ session: SessionHandle, _ configuration: EventSocketConfiguration) throws {
        (self.channel, self.session) = (channel, session)
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandlers([
            FrameCheck(),
            NIOWebSocketFrameAggregator(
                minNonFinalFragmentSize: 1, maxAccumulatedFrameCount: configuration.mostFragments,
                maxAccumulatedFrameSize: configuration.longestMessage),
            EventSocketHandler(configuration, AppCommands(session: session)),
        ])
        try channel.syncOptions?.setOption(
            .writeBufferWaterMark, value: .init(low: 32_768, high: 65_536))
    }

    /// Subscribes to the device's topics, announces that, and forwards events until the connection ends.
    func serve() async {
        let socket = EventSocket(channel, sessionLoop: session.loop)
        do throws(SessionEnd) {
            try await session.listen(socket)
            let greeting = greeting
            session.loop.execute { socket.establish(greeting) }
        } catch {
            channel.writeAndFlush(EventSocketHandler.Command.close(error), promise: nil)
        }
        try? await channel.closeFuture.get()
        session.remove(socket)
    }

    private var greeting: [UInt8] {
        let user = session.device.user
        var writer = JSONWriter()
        writer.event("connection.established") { data in
            data.object { $0.member("user_id", user) }
        }
        return writer.finish()
    }
}
