import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import Synchronization

/// A server of HTTP/2 over TLS in this process that answers, or misbehaves, as a test says.
final class HTTP2Double: Sendable {
    struct Request: Sendable {
        /// How many came before it.
        let number: Int
        let path: String
        let headers: HTTPHeaders
        let body: [UInt8]

        subscript(name: String) -> String? { headers.first(name: name) }
    }

    enum Reaction: Sendable {
        case answer(Int, [(String, String)] = [], body: String = "")
        /// The stream is refused unprocessed (RFC 9113 §8.7).
        case refuse
        /// The connection goes away, and says that it has processed nothing (RFC 9113 §6.8).
        case goAway
        /// The connection goes away, says that it has processed this, and breaks.
        case goAwayAfter
        /// The stream is cancelled, with nothing said about what was processed.
        case cancel
        /// The connection breaks.
        case breakOff
        case silence
    }

    private let log = Log()
    private let channel: any Channel
    let port: Int

    init(protocols: [String] = ["h2"], _ react: @escaping @Sendable (Request) -> Reaction) async throws {
        let tls = try HTTPDouble.tls(protocols: protocols)
        let log = log
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                log.connections.withLock { $0 += 1 }
                return channel.eventLoop.makeCompletedFuture {
                    let sync = channel.pipeline.syncOperations
                    try sync.addHandler(NIOSSLServerHandler(context: tls))
                    try sync.addHandler(NIOHTTP2Handler(mode: .server))
                    try sync.addHandler(
                        HTTP2StreamMultiplexer(mode: .server, channel: channel) { stream in
                            stream.eventLoop.makeCompletedFuture {
                                try stream.pipeline.syncOperations.addHandlers(
                                    HTTP2FramePayloadToHTTP1ServerCodec(), Handler(log: log, react: react))
                            }
                        })
                }
            }
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    var url: String { "https://localhost:\(port)" }
    var received: [Request] { log.requests.withLock { $0 } }
    var connections: Int { log.connections.withLock { $0 } }

    func close() async throws { try await channel.close() }

    private final class Log: Sendable {
        let requests = Mutex<[Request]>([])
        let connections = Mutex(0)
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let log: Log
        private let react: @Sendable (Request) -> Reaction
        private var head: HTTPRequestHead?
        private var body: [UInt8] = []

        init(log: Log, react: @escaping @Sendable (Request) -> Reaction) {
            self.log = log
            self.react = react
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): self.head = head
            case .body(let part): body += part.readableBytesView
            case .end:
                guard let head else { return }
                let body = body
                let request = log.requests.withLock { requests in
                    let request = Request(number: requests.count, path: head.uri, headers: head.headers, body: body)
                    requests.append(request)
                    return request
                }
                perform(react(request), context)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        private func perform(_ reaction: Reaction, _ context: ChannelHandlerContext) {
            switch reaction {
            case .silence: break
            case .breakOff: context.channel.parent?.close(promise: nil)
            case .refuse: reset(.refusedStream, context)
            case .cancel: reset(.cancel, context)
            case .goAway: goAway(after: .rootStream, context)
            case .goAwayAfter:
                goAway(after: 1, context)
                context.channel.parent?.close(promise: nil)
            case .answer(let status, let headers, let body):
                let head = HTTPResponseHead(
                    version: .http2, status: .init(statusCode: status), headers: HTTPHeaders(headers))
                context.write(wrapOutboundOut(.head(head)), promise: nil)
                if !body.isEmpty {
                    context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: body)))), promise: nil)
                }
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            }
        }

        private func reset(_ code: HTTP2ErrorCode, _ context: ChannelHandlerContext) {
            context.channel.pipeline.context(handlerType: HTTP2FramePayloadToHTTP1ServerCodec.self).assumeIsolated()
                .whenSuccess { codec in
                    codec.writeAndFlush(NIOAny(HTTP2Frame.FramePayload.rstStream(code)), promise: nil)
                }
        }

        private func goAway(after stream: HTTP2StreamID, _ context: ChannelHandlerContext) {
            context.channel.parent?.writeAndFlush(
                HTTP2Frame(
                    streamID: .rootStream,
                    payload: .goAway(lastStreamID: stream, errorCode: .noError, opaqueData: nil)),
                promise: nil)
        }
    }
}
