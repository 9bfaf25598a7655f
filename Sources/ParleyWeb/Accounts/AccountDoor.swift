import HummingbirdCore
import Logging
import Metrics
import NIOConcurrencyHelpers
import NIOCore
import ParleyProtocol

/// Sends the requests of clients without a token to the gateway, by the door's own device. The only state of such
/// clients is the rate of their network.
struct AccountDoor: Sendable {
    private let token: DoorToken
    /// The sessions of the door's own device, apart from all others: requests without a token use up none of the room
    /// of signed-in devices.
    private let sessions: Sessions
    private let takesForwardedAddress: Bool
    private let limit = NetworkLimit()
    private let logger: Logger
    private let hasLoggedAddress = NIOLockedValueBox(false)

    /// - Parameter link: of all connections of this door.
    init(
        _ configuration: AccountConfiguration, _ link: BrokerConfiguration, on loop: any EventLoop, logger: Logger
    ) async throws {
        var link = link
        if let broker = configuration.broker { link.broker = broker }
        link.requestsAtOnce = configuration.requestsAtOnce
        link.sessions = AccountDoor.mostTokens
        token = DoorToken(logger: logger, configuration.readCredentials)
        sessions = try await Sessions(on: loop, link)
        takesForwardedAddress = configuration.takesForwardedAddress
        self.logger = logger
        await token.prepare()
    }

    /// The token, and earlier ones whose sessions have not ended yet.
    private static let mostTokens = 8

    /// - Parameter peer: the other end of the connection.
    func answer(
        _ call: AccountCall, _ request: WebRequest, peer: SocketAddress?
    ) async throws(APIRefusal) -> APIResponse {
        let network = ClientAddress.network(
            peer: peer, request.headers, takesForwarded: takesForwardedAddress)
        guard let network else {
            if takesForwardedAddress, ClientAddress.isForwarded(request.headers) { logForwardedAddress() }
            throw APIRefusal(.unavailable)
        }
        try limit.take(network)
        let call = try call.call(body: try await request.collectBody(upTo: AccountCall.longestBody), from: network)
        let began = NIODeadline.now()
        let reply = try await ask(call)
        DoorMetrics.shared.requestTime.recordNanoseconds((NIODeadline.now() - began).nanoseconds)
        return call.response(to: reply)
    }

    /// Sends the request, and once more if there is a newer token by then.
    private func ask(_ call: GatewayCall) async throws(APIRefusal) -> [UInt8] {
        var used: SessionToken?
        while let token = await token.current(), token != used {
            used = token
            do throws(SessionEnd) {
                let reply = try await sessions.session(of: token).request(call.operation, call.payload)
                self.token.recordSuccess()
                return reply
            } catch {
                switch error {
                case .unauthenticated: self.token.recordRefusal()
                case .takenOver: break
                case .busy: throw AccountDoor.busy
                case .unavailable, .forbidden: throw APIRefusal(.unavailable)
                }
            }
        }
        throw APIRefusal(.unavailable)
    }

    /// Logged once: the proxy's configuration is at fault, in each request.
    private func logForwardedAddress() {
        let isFirst = hasLoggedAddress.withLockedValue { hasLogged in
            defer { hasLogged = true }
            return !hasLogged
        }
        if isFirst { logger.warning("nobody can sign in: the last entry of X-Forwarded-For is no address") }
    }

    /// The door's own bound, not the client's.
    private static let busy = APIRefusal(
        Rejection(.unavailable, "Too many people sign in at once; wait a little.", retryAfterMilliseconds: 1000))

    func drain() async { await sessions.drain() }
    func end() async { await sessions.end() }
}

extension APIRefusal {
    /// From a door without a device of its own.
    static let noAccounts = APIRefusal(Rejection(.notFound, "This door takes no sign-ins."))
}
