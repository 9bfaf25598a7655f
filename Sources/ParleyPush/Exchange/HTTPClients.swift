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
        /// Nothing is connected: there is nothing to close.
        case unused
        case open(LeasedClient)
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
        guard let client = lease() else { return .failure(.notSent("the sender has stopped")) }
        let result = await exchange.post(request, over: client.http)
        if result.isWithoutAnswerInTime { giveUp(client) }
        await client.end()
        return result
    }

    /// Nothing is sent any more.
    func shutdown() async {
        let state = state.withLock { state in
            defer { state = .closed }
            return state
        }
        switch state {
        case .unused, .closed: break
        case .open(let client): await client.close()
        }
    }

    private func lease() -> LeasedClient? {
        state.withLock { state in
            let client: LeasedClient
            switch state {
            case .unused: client = LeasedClient(factory.makeClient())
            case .open(let open): client = open
            case .closed: return nil
            }
            client.begin()
            state = .open(client)
            return client
        }
    }

    /// The next request makes connections of its own.
    private func giveUp(_ client: LeasedClient) {
        state.withLock { state in
            guard case .open(let open) = state, open === client else { return }
            state = .unused
            client.giveUp()
        }
    }
}

/// HTTP clients for endpoints, one for each host and address, of which the longest unused are closed first.
final class EndpointClients: Sendable {
    struct Place: Hashable {
        let host: String
        let address: IPAddress
    }

    private let factory: HTTPClientFactory
    private let clients: Mutex<RecentlyUsed<Place, LeasedClient>>

    init(factory: HTTPClientFactory, limit: Int) {
        self.factory = factory
        clients = Mutex(RecentlyUsed(limit: limit))
    }

    var count: Int { clients.withLock { $0.count } }

    func with(
        _ place: Place, _ body: (HTTPClient) async -> Result<PushReply, SendFailure>
    ) async -> Result<PushReply, SendFailure> {
        let (client, surplus) = clients.withLock { clients in
            let client = clients[place] ?? LeasedClient(factory.makeClient(host: place.host, at: place.address))
            client.begin()
            clients[place] = client
            return (client, clients.trim { $0.isUnused })
        }
        for client in surplus { await client.close() }
        let result = await body(client.http)
        if result.isWithoutAnswerInTime {
            clients.withLock { clients in
                guard clients[place] === client else { return }
                clients[place] = nil
                client.giveUp()
            }
        }
        await client.end()
        return result
    }

    /// Nobody uses one any more.
    func shutdown() async {
        let all = clients.withLock { clients in
            let all = clients.values
            clients = RecentlyUsed(limit: clients.limit)
            return all
        }
        for client in all { await client.close() }
    }
}

/// An HTTP client, and how many requests use it.
///
/// A connection of HTTP/2 that has died without a word takes request after request, and none is answered: after one that was
/// not, its client is given up, and closed when the requests that use it have ended.
private final class LeasedClient: Sendable {
    let http: HTTPClient
    private let state = Mutex((users: 0, isGivenUp: false))

    init(_ http: HTTPClient) { self.http = http }

    var isUnused: Bool { state.withLock { $0.users == 0 } }

    /// A request uses it from now on.
    func begin() { state.withLock { $0.users += 1 } }

    /// A request has ended. The last one closes what was given up.
    func end() async {
        let isOver = state.withLock { state in
            state.users -= 1
            return state.isGivenUp && state.users == 0
        }
        if isOver { await close() }
    }

    /// No further request begins. One that uses it calls this.
    func giveUp() { state.withLock { $0.isGivenUp = true } }

    func close() async { try? await http.shutdown() }
}

extension Result<PushReply, SendFailure> {
    fileprivate var isWithoutAnswerInTime: Bool {
        switch self {
        case .success: false
        case .failure(let failure): failure == .noAnswerInTime
        }
    }
}
