import Glibc
import LyingGateway
import MQTTWire
import NIOCore
import NIOPosix
import ParleyProtocol
import TestNames
import TestSupport
import Testing

@testable import ParleyClient
@testable import ParleyNIO

@Suite("The transport of SwiftNIO", .ownThreads, .timeLimit(.minutes(20)))
struct NIOTransportTests {
    private static let alice = DeviceAddress(user: "alice", device: "phone")

    /// Speaks plainly where it is asked for TLS.
    private struct NoTLS: NIOClientTLSProvider {
        func enableTLS(_ bootstrap: ClientBootstrap) -> ClientBootstrap { bootstrap }
    }

    private func configuration(_ gateway: GatewayAddress, over transport: NIOTransport) -> DeviceConfiguration {
        var configuration = DeviceConfiguration(gateway: gateway, device: NIOTransportTests.alice, over: transport) {
            DeviceCredentials(of: NIOTransportTests.alice, password: "none", expiresAt: .latest)
        }
        configuration.longestPause = .milliseconds(10)
        configuration.name = .main
        return configuration
    }

    @Test("carries requests there and their replies back, and what was subscribed to in its order")
    func carries() async throws {
        let gateway = try LyingGateway()
        let alice = NIOTransportTests.alice.user
        gateway.register(alice)
        let address = GatewayAddress.tcp(host: "localhost", port: gateway.port)
        try await DeviceConnection.open(configuration(address, over: NIOTransport())) { connection in
            for _ in 0..<100 {
                let reply = try await connection.request(
                    ListConversations.operation, payload: Array("{}".utf8), timeout: .seconds(100))
                #expect(reply.isAccepted && reply.data != nil)
            }
            connection.subscribe(to: Topic.user(alice, .events).name)
            for await case .subscribed in connection.events { break }
            var friends = (0..<100).map { _ in gateway.mark(for: alice).text }
            for await case .message(let message) in connection.events {
                #expect(try message.event()?.data.text("user_id", maximum: 64) == friends.removeFirst())
                if friends.isEmpty { break }
            }
        }
    }

    @Test("with TLS the app's bootstrap connects, told the host and whom to trust")
    func appsBootstrap() async throws {
        let gateway = try LyingGateway()
        gateway.register(NIOTransportTests.alice.user)
        let transport = NIOTransport(tls: { host, caFile in
            guard host == "localhost", caFile == "ca.pem" else { throw NIOTransportError.noTLS }
            return NIOClientTCPBootstrap(ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton), tls: NoTLS())
        })
        let address = GatewayAddress.tls(host: "localhost", port: gateway.port, caFile: "ca.pem")
        try await DeviceConnection.open(configuration(address, over: transport)) { connection in
            let reply = try await connection.request(
                ListConversations.operation, payload: Array("{}".utf8), timeout: .seconds(100))
            #expect(reply.isAccepted)
        }
    }

    private func signIn(to gateway: GatewayAddress, timeout: Duration = .seconds(100)) -> SignIn {
        SignIn(
            gateway: gateway, clientID: "alice:phone",
            credentials: DeviceCredentials(of: NIOTransportTests.alice, password: "none", expiresAt: .latest),
            timeout: timeout)
    }

    /// Why there is no connection.
    private func failure(
        _ gateway: GatewayAddress, over transport: NIOTransport = NIOTransport(), timeout: Duration = .seconds(100)
    ) throws -> ConnectionError {
        let signal = try LoopSignal()
        do throws(ConnectionError) {
            try transport.connect(signIn(to: gateway, timeout: timeout), signal: signal).close()
        } catch {
            return error
        }
        throw NeverCameError("a failure")
    }

    @Test("where there is no broker it says what is there instead, and tries again where that may help")
    func failures() throws {
        let (silent, silentPort) = try Socket.listen(onLoopbackPort: 0)
        defer { close(silent) }
        let waiting = try failure(.tcp(host: "127.0.0.1", port: silentPort), timeout: .milliseconds(200))
        guard case .timedOut = waiting else { throw waiting }
        let (gone, gonePort) = try Socket.listen(onLoopbackPort: 0)
        close(gone)
        let refused = try failure(.tcp(host: "127.0.0.1", port: gonePort))
        guard case .unreachable(ECONNREFUSED) = refused else { throw refused }
        let unnamed = try failure(.tcp(host: "name.invalid", port: 1))
        guard case .nameNotResolved = unnamed else { throw unnamed }
        let missing = try failure(.unixSocket(path: "/nowhere/socket"))
        guard case .unreachable(ENOENT) = missing else { throw missing }
        for error in [waiting, refused, unnamed, missing] { #expect(!error.isFinal) }
    }

    /// Accepts a sign-in, ends the connection at the next packet, and leaves it to the client to close it.
    private final class EndingBroker: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let closed: EventLoopPromise<Void>
        private var answers: [[UInt8]] = [[0x20, 3, 0, 0, 0], [0xE0, 1, 0x8B]]

        init(_ closed: EventLoopPromise<Void>) { self.closed = closed }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !answers.isEmpty else { return }
            context.channel.writeAndFlush(ByteBuffer(bytes: answers.removeFirst()), promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) { closed.succeed() }
    }

    @Test("a connection that is over is closed though its broker leaves it open")
    func letGo() throws {
        let closed = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self)
        let server = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(EndingBroker(closed))
                }
            }.bind(host: "127.0.0.1", port: 0).wait()
        defer { server.close(promise: nil) }
        let address = GatewayAddress.tcp(host: "127.0.0.1", port: UInt16(try #require(server.localAddress?.port)))
        do {
            let connection = try NIOTransport().connect(signIn(to: address), signal: try LoopSignal())
            _ = try connection.subscribe(to: "t")
            #expect(throws: TransportError.self) {
                while true { _ = try connection.exchange(until: .now.advanced(by: .seconds(100))) }
            }
        }
        try closed.futureResult.wait()
    }

    /// Says something to whoever comes, and closes.
    private final class Answer: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let text: String

        init(_ text: String) { self.text = text }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            context.channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
            context.close(promise: nil)
        }
    }

    @Test("a broker that closes without an answer is not ready, and another answer is none of a broker's")
    func answers() throws {
        // As long as what its first bytes are as the header of a packet.
        let page = "HTTP/1.1 400 Bad Request\r\n\r\n" + String(repeating: "x", count: 200)
        for (answer, reason) in [("", "not ready"), (page, "no connection")] {
            let server = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Answer(answer))
                    }
                }.bind(host: "127.0.0.1", port: 0).wait()
            defer { server.close(promise: nil) }
            let port = UInt16(try #require(server.localAddress?.port))
            let error = try failure(.tcp(host: "127.0.0.1", port: port))
            #expect("\(error)".contains(reason))
        }
    }

    @Test("a broker that speaks TLS where it is not asked for, or does not where it is, is named")
    func misfits() throws {
        let server = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    // An alert: protocol_version.
                    try channel.pipeline.syncOperations.addHandler(Answer("\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{46}"))
                }
            }.bind(host: "127.0.0.1", port: 0).wait()
        defer { server.close(promise: nil) }
        let port = UInt16(try #require(server.localAddress?.port))
        let encrypted = GatewayAddress.tcp(host: "localhost", port: port)
        let error = try failure(encrypted)
        guard case .tlsRequired = error else { throw error }
        let transport = NIOTransport()
        guard case .tlsRequired? = transport.diagnose(.notReady, at: encrypted, timeout: .seconds(100)) else {
            throw NeverCameError("TLS at a port without it")
        }
        let gateway = try LyingGateway()
        let plain = GatewayAddress.tls(host: "localhost", port: gateway.port, caFile: nil)
        guard case .tlsNotSpoken? = transport.diagnose(.notReady, at: plain, timeout: .seconds(100)) else {
            throw NeverCameError("a plain broker at a port for TLS")
        }
        let fitting = GatewayAddress.tcp(host: "localhost", port: gateway.port)
        #expect(transport.diagnose(.notReady, at: fitting, timeout: .seconds(100)) == nil)
    }

    @Test("what it does not speak ends the attempts, and what an error of the app's bootstrap means the app says")
    func notSpoken() throws {
        let tls = GatewayAddress.tls(host: "localhost", port: 1, caFile: nil)
        let without = try failure(tls)
        guard case .other(NIOTransportError.noTLS) = without else { throw without }
        let web = try failure(.webSocket(url: "wss://localhost/mqtt", caFile: nil))
        guard case .other(NIOTransportError.noWebSocket) = web else { throw web }
        let error = ConnectionError(CancellationError()) { _ in .notTrusted }
        guard case .notTrusted = error else { throw error }
        let unknown = ConnectionError(CancellationError()) { _ in nil }
        guard case .lost = unknown else { throw unknown }
    }
}
