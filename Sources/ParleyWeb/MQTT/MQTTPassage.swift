import NIOCore
import NIOWebSocket

/// MQTT over WebSocket (MQTT 5 §6.0) at `/mqtt`: what comes in binary frames goes to the broker by TCP, and the
/// other way round, on one event loop. ``MQTTGuard`` says what may pass.
///
/// What a connection holds is bounded: one piece of 64 KiB at most is read at a time, of a side only while the
/// other takes what it gets.
package enum MQTTPassage {
    /// The subprotocol that a client must ask for and that the server must choose.
    package static let subprotocol = "mqtt"

    package struct Configuration: Hashable, Sendable {
        package var times = PassageTimes.Limits()
        /// What may wait for a side before the other is no longer read, in bytes.
        package var mostWaiting = 65_536

        package init() {}
    }

    /// Takes over a channel that has just been upgraded to WebSocket, from its last handler on.
    ///
    /// It is called on the channel's event loop, before a byte of the WebSocket has been read: by the
    /// `upgradePipelineHandler` of NIO's upgrader, for one. NIO's decoder is removed, since it keeps a whole frame
    /// before anybody can judge it. The passage ends with the channel, which it closes.
    ///
    /// - Parameter broker: where the broker listens for plain MQTT.
    package static func configure(
        _ channel: any Channel, to broker: SocketAddress, _ configuration: Configuration = Configuration()
    ) -> EventLoopFuture<Void> {
        do {
            let pipeline = channel.pipeline.syncOperations
            if (try? pipeline.handler(type: WebSocketFrameEncoder.self)) == nil {
                try pipeline.addHandler(WebSocketFrameEncoder())
            }
            try pipeline.addHandler(WebSocketSide(broker: broker, configuration))
            try channel.syncOptions?.bound(mostWaiting: configuration.mostWaiting)
            guard let decoder = try? pipeline.handler(type: ByteToMessageHandler<WebSocketFrameDecoder>.self) else {
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            return pipeline.removeHandler(decoder)
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
    }
}

extension NIOSynchronousChannelOptions {
    /// One piece is read at a time, so that a side that is to be read no longer has at most that one under way.
    func bound(mostWaiting: Int) throws {
        try setOption(.maxMessagesPerRead, value: 1)
        try setOption(.writeBufferWaterMark, value: .init(low: mostWaiting / 2, high: mostWaiting))
    }
}
