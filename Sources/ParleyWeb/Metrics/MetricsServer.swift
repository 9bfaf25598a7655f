import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import Prometheus
import ServiceLifecycle

/// Serves `/livez`, `/readyz` and `/metrics` on a port of its own, on loopback: they are for operators.
package struct MetricsServer: Service {
    private let registry: MetricsRegistry
    private let door: WebDoor
    private let port: Int
    private let logger: Logger

    package init(_ registry: MetricsRegistry, of door: WebDoor, port: Int, logger: Logger) {
        (self.registry, self.door, self.port, self.logger) = (registry, door, port, logger)
    }

    package func run() async throws {
        let answers = self
        let channel = HTTP1Channel(
            responder: { request, writer, _ in
                let answer = await answers.answer(request.head)
                let body = ByteBuffer(string: answer.text)
                try await writer.write(
                    response: HTTPResponse(
                        status: answer.status,
                        headerFields: [
                            .contentType: answer.contentType, .contentLength: String(body.readableBytes),
                            .cacheControl: "no-store",
                        ]), body: request.head.method == .head ? ResponseBody() : ResponseBody(byteBuffer: body))
            }, configuration: .init(idleTimeout: .seconds(60)))
        try await channel.server(
            configuration: ServerConfiguration(
                address: .hostname("127.0.0.1", port: port),
                availableConnectionsDelegate: MaximumAvailableConnections(MetricsServer.connections)),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger
        ).run()
    }

    private static let connections = 32

    private struct Answer {
        var status = HTTPResponse.Status.ok
        var contentType = "text/plain; charset=utf-8"
        let text: String
    }

    private func answer(_ head: HTTPRequest) async -> Answer {
        guard head.method == .get || head.method == .head else {
            return Answer(status: .methodNotAllowed, text: "Method Not Allowed\n")
        }
        let path = (head.path ?? "/").prefix { $0 != "?" }
        switch path {
        case "/metrics": return Answer(contentType: TextFormat.contentType, text: registry.text.text)
        case "/livez": return answer(failure: await door.answers() ? nil : "an event loop does not answer")
        case "/readyz": return answer(failure: await door.brokerFailure())
        default: return Answer(status: .notFound, text: "Not Found\n")
        }
    }

    private func answer(failure: String?) -> Answer {
        guard let failure else { return Answer(text: "ok\n") }
        return Answer(status: .serviceUnavailable, text: "\(failure)\n")
    }
}
