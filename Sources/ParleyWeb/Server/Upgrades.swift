import NIOCore
import NIOHTTP1
import NIOWebSocket
import ParleyProtocol

/// The requests of one connection that make it a WebSocket.
///
/// A request that may not is left to the responder, which says why.
struct Upgrades: Sendable {
    let credentials: Credentials
    let sessions: Sessions
    let configuration: WebConfiguration

    /// - Parameter channel: the connection's; this is called on its event loop.
    func upgrader(of channel: any Channel) -> NIOTypedWebSocketServerUpgrader<DoorChannel.Outcome> {
        let admitted = NIOLoopBoundBox<SessionHandle?>(nil, eventLoop: channel.eventLoop)
        return NIOTypedWebSocketServerUpgrader(
            // Frames are bounded as messages are: a client may send one in one.
            maxFrameSize: configuration.sockets.longestMessage, enableAutomaticErrorHandling: true,
            shouldUpgrade: { channel, head in
                channel.eventLoop.makeFutureWithTask { try? await admit(head) }.map { session in
                    admitted.value = session
                    return session == nil ? nil : HTTPHeaders()
                }
            },
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture {
                    // Only whoever is admitted comes here.
                    guard let session = admitted.value else { throw SessionEnd.unauthenticated }
                    return .events(try EventUpgrade(channel, session, configuration.sockets))
                }
            })
    }

    private func admit(_ head: HTTPRequestHead) async throws -> SessionHandle {
        guard head.uri.prefix(while: { $0 != "?" }) == EventUpgrade.path else { throw Credentials.unauthenticated }
        return try await admit(
            EventUpgrade.Request(
                target: head.uri, authorization: head.headers.first(name: "authorization"),
                origin: head.headers.first(name: "origin"), host: head.headers.first(name: "host")),
            redeemsTicket: true)
    }

    /// Signs in whom a request for `/ws` is from.
    ///
    /// - Throws: ``Rejection``
    func admit(_ request: EventUpgrade.Request, redeemsTicket: Bool) async throws(Rejection) -> SessionHandle {
        guard credentials.isAllowed(origin: request.origin, host: request.host) else { throw Credentials.otherOrigin }
        let (token, use) = try credentials.socketToken(
            authorization: request.authorization, target: request.target)
        let session: SessionHandle
        do throws(SessionEnd) {
            session = try await sessions.session(of: token)
            try await session.signIn()
        } catch {
            throw error.rejection
        }
        if redeemsTicket { try credentials.redeem(use) }
        return session
    }
}
