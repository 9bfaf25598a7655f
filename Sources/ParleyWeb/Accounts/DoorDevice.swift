import Logging
import NIOCore
import ParleyProtocol

/// The door's own device, by which it asks for clients without a token and for itself.
struct DoorDevice: Sendable {
    private let token: DoorToken
    /// Apart from all other sessions: requests without a token use up none of the room of signed-in devices.
    private let sessions: Sessions

    /// - Parameter link: of all connections of this door.
    init(
        _ configuration: AccountConfiguration, _ link: BrokerConfiguration, on loop: any EventLoop, logger: Logger
    ) async throws {
        var link = link
        if let broker = configuration.broker { link.broker = broker }
        link.requestsAtOnce = configuration.requestsAtOnce
        link.sessions = DoorDevice.mostTokens
        token = DoorToken(logger: logger, configuration.readCredentials)
        sessions = try await Sessions(on: loop, link)
        await token.prepare()
    }

    /// The token, and earlier ones whose sessions have not ended yet.
    private static let mostTokens = 8

    /// Sends the request, and once more if there is a newer token by then.
    func ask(_ call: GatewayCall) async throws(APIRefusal) -> [UInt8] {
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
                case .busy: throw DoorDevice.busy
                case .unavailable, .forbidden: throw APIRefusal(.unavailable)
                }
            }
        }
        throw APIRefusal(.unavailable)
    }

    /// The door's own bound, not the client's.
    private static let busy = APIRefusal(
        Rejection(.unavailable, "Too many people sign in at once; wait a little.", retryAfterMilliseconds: 1000))

    func drain() async { await sessions.drain() }
    func end() async { await sessions.end() }
}
