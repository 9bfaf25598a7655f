import NIOCore
import NIOWebSocket

/// MQTT over WebSocket (MQTT 5 §6.0) at `/mqtt`: binary frames to and from the broker's TCP connection, on one event
/// loop. ``MQTTGuard`` decides what may pass.
///
/// The memory of a connection is bounded: at most 64 KiB are read at a time, and from a side only while the other
/// accepts writes.
package enum MQTTPassage {
    /// The subprotocol that a client must ask for and that the server must choose.
    package static let subprotocol = "mqtt"

    package struct Configuration: Hashable, Sendable {
        package var times = PassageTimes.Limits()
        /// The unwritten bytes of a side at which the other is no longer read.
        package var mostWaiting = 65_536

        package init() {}
    }

    /// Takes over a channel that was just upgraded to WebSocket, from its last handler on.
    ///
    /// To be called on the channel's event loop, before a byte of the WebSocket is read, such as by the
    /// `upgradePipelineHandler` of NIO's upgrader. NIO's decoder is removed, since it collects whole frames before they
    /// can be judged. The passage ends with the channel, which it closes.
    ///
    /// - Parameter broker: the broker's address for plain MQTT.
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
    /// One chunk is read at a time, so that a paused side has at most that one under way.
    func bound(mostWaiting: Int) throws {
        try setOption(.maxMessagesPerRead, value: 1)
        try setOption(.writeBufferWaterMark, value: .init(low: mostWaiting / 2, high: mostWaiting))
    }
}
