import AsyncHTTPClient
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// Makes HTTP clients that do what push services need: no redirect is followed, no proxy asked, nothing decompressed.
struct HTTPClientFactory: Sendable {
    let group: any EventLoopGroup
    private let tls: TLSConfiguration
    private let timeouts: PushTimeouts
    private let limits: PushLimits

    /// - Throws: `PushConfigurationError.trustRoots`.
    init(_ configuration: PushConfiguration, group: any EventLoopGroup) throws(PushConfigurationError) {
        self.group = group
        timeouts = configuration.timeouts
        limits = configuration.limits
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        tls.trustRoots = HTTPClientFactory.systemRoots
        do {
            let more = try configuration.trustRoots.flatMap { try NIOSSLCertificate.fromPEMBytes($0) }
            if !more.isEmpty { tls.additionalTrustRoots = [.certificates(more)] }
        } catch {
            throw .trustRoots
        }
        self.tls = tls
    }

    /// - Parameter address: where to connect to instead of what the host's name stands for; TLS and `Host` go by the name.
    func makeClient(host: String? = nil, at address: IPAddress? = nil) -> HTTPClient {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: .nanoseconds(timeouts.connect.wholeNanoseconds)),
            connectionPool: .init(
                idleTimeout: .seconds(30), concurrentHTTP1ConnectionsPerHostSoftLimit: limits.perOrigin),
            proxy: nil, decompression: .disabled)
        // A connection that fails is the bridge's to try again, later.
        configuration.connectionPool.retryConnectionEstablishment = false
        if let host, let address { configuration.dnsOverride = [host: address.description] }
        configuration.http2ConnectionDebugInitializer = { UnprocessedStreams.watch($0) }
        return HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
    }

    /// The system's certificates, read once: read for each client, they would take a megabyte each time.
    private static let systemRoots: NIOSSLTrustRoots = {
        let files = [
            "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
            "/etc/ssl/cert.pem",
        ]
        for file in files {
            if let roots = try? NIOSSLCertificate.fromPEMFile(file), !roots.isEmpty { return .certificates(roots) }
        }
        return .default
    }()
}

/// The connections to a service that is configured.
final class ServiceClient: Sendable {
    private enum State {
        /// Nothing was sent yet: there is nothing to close.
        case unused
        case open(HTTPClient)
        case closed
    }

    private let factory: HTTPClientFactory
    private let exchange: HTTPExchange
    private let state = Mutex(State.unused)

    init(_ factory: HTTPClientFactory, exchange: HTTPExchange) {
        self.factory = factory
        self.exchange = exchange
    }

    func post(_ request: PushRequest) async -> Result<PushReply, SendFailure> {
        guard let client = openClient() else { return .failure(.notSent("the sender has stopped")) }
        return await exchange.post(request, over: client)
    }

    /// Nothing is sent any more.
    func shutdown() async {
        let state = state.withLock { state in
            defer { state = .closed }
            return state
        }
        switch state {
        case .unused, .closed: break
        case .open(let client): try? await client.shutdown()
        }
    }

    private func openClient() -> HTTPClient? {
        state.withLock { state in
            switch state {
            case .unused:
                let client = factory.makeClient()
                state = .open(client)
                return client
            case .open(let client): return client
            case .closed: return nil
            }
        }
    }
}

/// HTTP clients for endpoints, one for each host and address, of which the longest unused are closed first.
final class EndpointClients: Sendable {
    struct Place: Hashable {
        let host: String
        let address: IPAddress
    }

    private final class Client: Sendable {
        let http: HTTPClient
        let users = Mutex(0)

        init(_ http: HTTPClient) { self.http = http }
    }

    private let factory: HTTPClientFactory
    private let clients: Mutex<RecentlyUsed<Place, Client>>

    init(factory: HTTPClientFactory, limit: Int) {
        self.factory = factory
        clients = Mutex(RecentlyUsed(limit: limit))
    }

    var count: Int { clients.withLock { $0.count } }

    func with<Result: Sendable>(
        _ place: Place, _ body: (HTTPClient) async -> Result
    ) async -> Result {
        let (client, surplus) = clients.withLock { clients in
            let client = clients[place] ?? Client(factory.makeClient(host: place.host, at: place.address))
            client.users.withLock { $0 += 1 }
            clients[place] = client
            return (client, clients.trim { $0.users.withLock { $0 == 0 } })
        }
        for client in surplus { try? await client.http.shutdown() }
        let result = await body(client.http)
        clients.withLock { _ in client.users.withLock { $0 -= 1 } }
        return result
    }

    /// Nobody uses one any more.
    func shutdown() async {
        let all = clients.withLock { clients in
            let all = clients.values
            clients = RecentlyUsed(limit: clients.limit)
            return all
        }
        for client in all { try? await client.http.shutdown() }
    }
}
