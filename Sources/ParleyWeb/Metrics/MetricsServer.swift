import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// Serves ``MetricsRegistry`` at every path of a port of its own, on loopback: figures are for operators.
package struct MetricsServer: Service {
    private let registry: MetricsRegistry
    private let port: Int
    private let logger: Logger

    package init(_ registry: MetricsRegistry, port: Int, logger: Logger) {
        (self.registry, self.port, self.logger) = (registry, port, logger)
    }

    package func run() async throws {
        let registry = registry
        let channel = HTTP1Channel(
            responder: { _, writer, _ in
                let text = ByteBuffer(string: registry.text)
                try await writer.write(
                    response: HTTPResponse(
                        status: .ok,
                        headerFields: [
                            .contentType: "text/plain; version=0.0.4", .contentLength: String(text.readableBytes),
                        ]), body: ResponseBody(byteBuffer: text))
            }, configuration: .init(idleTimeout: .seconds(60)))
        try await channel.server(
            configuration: ServerConfiguration(address: .hostname("127.0.0.1", port: port)),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger
        ).run()
    }
}
