import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A server of HTTP/1.1 in this process that answers, or misbehaves, as a test says.
final class HTTPDouble: Sendable {
    struct Request: Sendable {
        let head: String
        let body: [UInt8]

        /// The value of a header, by its name in lower case.
        subscript(name: String) -> String? {
            for line in head.split(separator: "\r\n") where line.lowercased().hasPrefix(name + ": ") {
                return String(line.dropFirst(name.count + 2))
            }
            return nil
        }

        var path: String { String(head.split(separator: " ")[1]) }
    }

    enum Reaction: Sendable {
        case answer(Int, [(String, String)] = [], body: String = "")
        /// An answer that takes its time.
        case late(Int)
        /// These bytes, and then the end of the connection.
        case bytes(String)
        /// An answer whose body never ends.
        case endless(Int)
        case silence
    }

    private let log: Log
    private let channel: any Channel
    let port: Int

    init(isTLS: Bool = false, _ react: @escaping @Sendable (Request) -> Reaction) async throws {
        let tls = isTLS ? try HTTPDouble.tls(protocols: ["http/1.1"]) : nil
        let log = Log()
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.addHandler(Handler(log: log, react: react))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
        self.log = log
    }

    var received: [Request] { log.requests.withLock { $0 } }
    var connections: Int { log.connections.withLock { $0 } }

    func url(_ path: String = "/hook") -> String { "http://127.0.0.1:\(port)\(path)" }

    func close() async throws { try await channel.close() }

    static func tls(protocols: [String]) throws -> NIOSSLContext {
        let certificates = try NIOSSLCertificate.fromPEMBytes(Array(TestKeys.certificate.utf8))
        let key = try NIOSSLPrivateKey(bytes: Array(TestKeys.certificateKey.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.applicationProtocols = protocols
        return try NIOSSLContext(configuration: configuration)
    }

    private final class Log: Sendable {
        let requests = Mutex<[Request]>([])
        let connections = Mutex(0)
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let log: Log
        private let react: @Sendable (Request) -> Reaction
        private var bytes: [UInt8] = []

        init(log: Log, react: @escaping @Sendable (Request) -> Reaction) {
            self.log = log
            self.react = react
        }

        func channelActive(context: ChannelHandlerContext) {
            log.connections.withLock { $0 += 1 }
            context.fireChannelActive()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            bytes += unwrapInboundIn(data).readableBytesView
            let end = Array("\r\n\r\n".utf8)
            guard let headEnd = bytes.indices.first(where: { bytes[$0...].starts(with: end) }) else { return }
            let head = String(decoding: bytes[..<headEnd], as: UTF8.self)
            let length = Int(Request(head: head, body: [])["content-length"] ?? "0") ?? 0
            guard bytes.count >= headEnd + 4 + length else { return }
            let request = Request(head: head, body: Array(bytes[(headEnd + 4)..<(headEnd + 4 + length)]))
            bytes.removeFirst(headEnd + 4 + length)
            log.requests.withLock { $0.append(request) }
            perform(react(request), context)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        private func perform(_ reaction: Reaction, _ context: ChannelHandlerContext) {
            switch reaction {
            case .silence: break
            case .bytes(let text):
                write(text, context)
                context.close(promise: nil)
            case .answer(let status, let headers, let body):
                let lines = headers.map { "\($0.0): \($0.1)\r\n" }.joined()
                write("HTTP/1.1 \(status) X\r\n\(lines)Content-Length: \(body.utf8.count)\r\n\r\n\(body)", context)
            case .late(let status):
                let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
                context.eventLoop.scheduleTask(in: .milliseconds(200)) {
                    bound.value.0.perform(.answer(status), bound.value.1)
                }
            case .endless(let status):
                write("HTTP/1.1 \(status) X\r\nTransfer-Encoding: chunked\r\n\r\n", context)
                goOn(context)
            }
        }

        private func goOn(_ context: ChannelHandlerContext) {
            guard context.channel.isActive else { return }
            write("400\r\n" + String(repeating: "x", count: 1024) + "\r\n", context)
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            context.eventLoop.scheduleTask(in: .milliseconds(5)) { bound.value.0.goOn(bound.value.1) }
        }

        private func write(_ text: String, _ context: ChannelHandlerContext) {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        }
    }
}
