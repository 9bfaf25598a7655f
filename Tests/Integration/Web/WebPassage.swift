import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import ParleyWeb

/// MQTT over WebSocket by the web door's own handlers, to a broker, on a port of its own.
final class WebPassage {
    let port: UInt16
    private let server: any Channel

    /// - Parameter brokerPort: of plain MQTT on this machine.
    init(
        toBrokerPort brokerPort: UInt16, _ configuration: MQTTPassage.Configuration = MQTTPassage.Configuration()
    ) throws {
        let broker = try SocketAddress(ipAddress: "127.0.0.1", port: Int(brokerPort))
        server = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                let upgrader = NIOWebSocketServerUpgrader(
                    automaticErrorHandling: false,
                    shouldUpgrade: { channel, _ in
                        let headers = HTTPHeaders([("Sec-WebSocket-Protocol", MQTTPassage.subprotocol)])
                        return channel.eventLoop.makeSucceededFuture(headers)
                    },
                    upgradePipelineHandler: { channel, _ in MQTTPassage.configure(channel, to: broker, configuration) })
                return channel.pipeline.configureHTTPServerPipeline(
                    withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }))
            }
            .bind(host: "127.0.0.1", port: 0).wait()
        port = UInt16(server.localAddress?.port ?? 0)
    }

    deinit { server.close(promise: nil) }

    func client() throws -> WireClient { try WireClient(webSocketPort: port) }
}
