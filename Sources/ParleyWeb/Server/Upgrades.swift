import NIOCore
import NIOHTTP1
import NIOWebSocket
import ParleyProtocol

/// Which requests make a connection a WebSocket, and for whom.
struct Upgrades: Sendable {
    /// What a connection becomes.
    enum Admission: Sendable {
        case events(SessionHandle)
    }

    let credentials: Credentials
    let sessions: Sessions
    let configuration: WebConfiguration

    /// - Returns: `nil` for a request that makes no WebSocket: the responder answers it, and says why.
    func admit(_ head: HTTPRequestHead) async -> Admission? {
        guard head.headers[canonicalForm: "upgrade"].contains(where: { $0.lowercased() == "websocket" }),
            head.uri.prefix(while: { $0 != "?" }) == EventUpgrade.path
        else { return nil }
        let request = EventUpgrade.Request(
            target: head.uri, authorization: head.headers.first(name: "authorization"),
            origin: head.headers.first(name: "origin"), host: head.headers.first(name: "host"))
        guard let session = try? await admit(request, redeemsTicket: true) else { return nil }
        return .events(session)
    }

    /// Signs in whom a request for `/ws` is from.
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

    /// Carries out what the gate of a connection has decided.
    func upgrader(for gate: UpgradeGate, of channel: any Channel) -> NIOTypedWebSocketServerUpgrader<
        DoorChannel.Outcome
    > {
        let gate = NIOLoopBound(gate, eventLoop: channel.eventLoop)
        let sockets = configuration.sockets
        return NIOTypedWebSocketServerUpgrader(
            // Frames are bounded as messages are: a client may send one in one.
            maxFrameSize: sockets.longestMessage, enableAutomaticErrorHandling: true,
            shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture(HTTPHeaders()) },
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture {
                    switch gate.value.admission {
                    case .events(let session): .events(try EventUpgrade(channel, session, sockets))
                    // A request without admission has no `Upgrade` any more.
                    case nil: throw SessionEnd.unauthenticated
                    }
                }
            })
    }
}
