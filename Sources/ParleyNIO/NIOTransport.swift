import NIOCore
import NIOPosix
import ParleyClient

/// A device's transport over SwiftNIO: for apps that have it already, or that run where there is no libmosquitto.
///
/// It brings MQTT 5; how a channel with TLS is opened is the app's, as `docs/client.md` shows.
public struct NIOTransport: DeviceTransport {
    /// Makes the bootstrap of one attempt, whose provider of TLS verifies the server's certificate and its name.
    ///
    /// Called on the connection's own thread. Parameters: the host's name or address, and the file with the only
    /// certificates to trust (PEM; `nil` for the system's). An error ends the attempts. The bootstrap's
    /// `channelInitializer` is replaced: nothing of TLS may stand there.
    public typealias TLSBootstrap =
        @Sendable (_ host: String, _ caFile: String?) throws -> NIOClientTCPBootstrap

    private let group: MultiThreadedEventLoopGroup
    private let tls: TLSBootstrap?
    private let reason: @Sendable (any Error) -> ConnectionError?

    /// - Parameters:
    ///   - group: of connections without TLS; it must outlive them.
    ///   - tls: of connections with it; `nil` refuses ``/ParleyClient/GatewayAddress/tls(host:port:caFile:)``.
    ///   - reason: what an error of a channel before the sign-in means, such as that a certificate is not trusted;
    ///     `nil` for one that it does not know, which is tried again.
    public init(
        group: MultiThreadedEventLoopGroup = .singleton, tls: TLSBootstrap? = nil,
        reason: @escaping @Sendable (any Error) -> ConnectionError? = { _ in nil }
    ) {
        (self.group, self.tls, self.reason) = (group, tls, reason)
    }

    public func connect(_ signIn: SignIn, signal: LoopSignal) throws(ConnectionError) -> any TransportConnection {
        let deadline = ContinuousClock.now + signIn.timeout
        let session = try PacketSession(signIn, now: .now)
        let (channel, inbox) = try open(signIn.gateway, timeout: signIn.timeout)
        let connection = NIOConnection(channel, session, inbox, signal: signal)
        do throws(ConnectionError) {
            try connection.signIn(until: deadline)
        } catch {
            connection.close()
            throw error
        }
        return connection
    }

    public func diagnose(
        _ cause: ConnectionError, at gateway: GatewayAddress, timeout: Duration
    ) -> ConnectionError? { TLSDiagnosis.look(at: gateway, timeout: timeout) }

    /// Blocks until the channel is there.
    private func open(
        _ gateway: GatewayAddress, timeout: Duration
    ) throws(ConnectionError) -> (any Channel, Inbox) {
        let bootstrap = try bootstrap(for: gateway).connectTimeout(TimeAmount(timeout))
            .channelOption(.autoRead, value: false)
            .channelOption(.allowRemoteHalfClosure, value: false)
            .channelInitializer { [reason] channel in
                // Of several addresses of one host more than one may be tried at once: each channel has its own.
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(try InboxHandler(reason: reason))
                }
            }
        do {
            // On the channel's loop, before a broker that closes at once can have the handler removed.
            return try connect(bootstrap, to: gateway).flatMapThrowing { channel in
                (channel, try channel.pipeline.syncOperations.handler(type: InboxHandler.self).inbox)
            }.wait()
        } catch {
            throw ConnectionError(error, reason)
        }
    }

    private func bootstrap(for gateway: GatewayAddress) throws(ConnectionError) -> NIOClientTCPBootstrap {
        switch gateway {
        case .tcp, .unixSocket: return NIOClientTCPBootstrap(ClientBootstrap(group: group), tls: NIOInsecureNoTLS())
        case .tls(let host, _, let caFile):
            guard let tls else { throw .other(NIOTransportError.noTLS) }
            do { return try tls(host, caFile).enableTLS() } catch { throw .other(error) }
        case .webSocket: throw .other(NIOTransportError.noWebSocket)
        }
    }

    private func connect(
        _ bootstrap: NIOClientTCPBootstrap, to gateway: GatewayAddress
    ) throws -> EventLoopFuture<any Channel> {
        switch gateway {
        case .tcp(let host, let port), .tls(let host, let port, _): bootstrap.connect(host: host, port: Int(port))
        case .unixSocket(let path): bootstrap.connect(unixDomainSocketPath: path)
        // `bootstrap(for:)` has refused it.
        case .webSocket: throw NIOTransportError.noWebSocket
        }
    }
}

/// What this transport does not do.
public enum NIOTransportError: Error, Hashable, Sendable, CustomStringConvertible {
    case noTLS
    case noWebSocket

    public var description: String {
        switch self {
        case .noTLS: "the transport was made without TLS"
        case .noWebSocket: "the transport speaks no WebSocket"
        }
    }
}

extension ConnectionError {
    /// - Parameters:
    ///   - error: of a channel, or of opening it.
    ///   - reason: what the app says that it means.
    init(_ error: any Error, _ reason: (any Error) -> ConnectionError?) {
        switch error {
        case let error as NIOConnectionError:
            guard let last = error.connectionErrors.last else {
                self = .nameNotResolved
                return
            }
            self.init(last.error, reason)
        case ChannelError.connectTimeout: self = .timedOut
        case let error as IOError: self = .unreachable(errno: error.errnoCode)
        case SocketAddressError.unixDomainSocketPathTooLong: self = .other(error)
        default: self = reason(error) ?? .lost
        }
    }
}
