import HummingbirdCore
import Logging
import Metrics
import NIOConcurrencyHelpers
import NIOCore
import ParleyProtocol

/// Sends the requests of clients without a token to the gateway, by the door's own device. The only state of such
/// clients is the rate of their network.
struct AccountDoor: Sendable {
    private let device: DoorDevice
    private let takesForwardedAddress: Bool
    private let limit = NetworkLimit()
    private let logger: Logger
    private let hasLoggedAddress = NIOLockedValueBox(false)

    init(_ configuration: AccountConfiguration, _ device: DoorDevice, logger: Logger) {
        self.device = device
        takesForwardedAddress = configuration.takesForwardedAddress
        self.logger = logger
    }

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
        let reply = try await device.ask(call)
        DoorMetrics.shared.requestTime.recordNanoseconds((NIODeadline.now() - began).nanoseconds)
        return call.response(to: reply)
    }

    /// Logged once: the proxy's configuration is at fault, in each request.
    private func logForwardedAddress() {
        let isFirst = hasLoggedAddress.withLockedValue { hasLogged in
            defer { hasLogged = true }
            return !hasLogged
        }
        if isFirst { logger.warning("nobody can sign in: the last entry of X-Forwarded-For is no address") }
    }
}

extension APIRefusal {
    /// From a door without a device of its own.
    static let noAccounts = APIRefusal(Rejection(.notFound, "This door takes no sign-ins."))
}
