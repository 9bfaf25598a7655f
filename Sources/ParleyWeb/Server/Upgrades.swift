import NIOCore
import NIOHTTP1
import NIOWebSocket
import ParleyProtocol

/// Decides which requests make a connection a WebSocket, and for which device.
struct Upgrades: Sendable {
    /// The use of a connection.
    enum Admission: Sendable {
        case events(SessionHandle)
        /// The CONNECT names the device to the broker.
        case mqtt
    }

    /// MQTT over WebSocket.
    static let mqttPath = "/mqtt"

    let credentials: Credentials
    let sessions: Sessions
    let configuration: WebConfiguration
    let broker: SocketAddress

    /// - Returns: `nil` for a request that makes no WebSocket: the responder answers it with the reason.
    func admit(_ head: HTTPRequestHead) async -> Admission? {
        guard head.headers[canonicalForm: "upgrade"].contains(where: { $0.lowercased() == "websocket" }) else {
            return nil
        }
        switch head.uri.prefix(while: { $0 != "?" }) {
        case EventUpgrade.path: return await admitToEvents(head)
        case Upgrades.mqttPath[...]: return mayPassMQTT(head) ? .mqtt : nil
        default: return nil
        }
    }

    private func mayPassMQTT(_ head: HTTPRequestHead) -> Bool {
        credentials.isAllowed(origin: head.headers.first(name: "origin"), host: head.headers.first(name: "host"))
            && head.headers[canonicalForm: "sec-websocket-protocol"].contains(MQTTPassage.subprotocol[...])
    }

    private func admitToEvents(_ head: HTTPRequestHead) async -> Admission? {
        let request = EventUpgrade.Request(
            target: head.uri, authorization: head.headers.first(name: "authorization"),
            origin: head.headers.first(name: "origin"), host: head.headers.first(name: "host"))
        guard let session = try? await admit(request, redeemsTicket: true) else { return nil }
        return .events(session)
    }

    /// Signs in the device of a request for `/ws`.
    func admit(_ request: EventUpgrade.Request, redeemsTicket: Bool) async throws(Rejection) -> SessionHandle {
        guard credentials.isAllowed(origin: request.origin, host: request.host) else { throw Credentials.otherOrigin }
        let (token, use) = try credentials.socketToken(
            authorization: request.authorization, target: request.target)
        let session = sessions.session(of: token)
        do throws(SessionEnd) {
            try await session.signIn()
        } catch {
            throw error.rejection
        }
        if redeemsTicket { try credentials.redeem(use) }
        return session
    }

    /// Carries out the gate's decision.
    func upgrader(for gate: UpgradeGate, of channel: any Channel) -> NIOTypedWebSocketServerUpgrader<
        DoorChannel.Outcome
    > {
        let gate = NIOLoopBound(gate, eventLoop: channel.eventLoop)
        let sockets = configuration.sockets
        return NIOTypedWebSocketServerUpgrader(
            // The bound of frames is that of messages, since a message may be one frame.
            maxFrameSize: sockets.longestMessage, enableAutomaticErrorHandling: true,
            shouldUpgrade: { channel, _ in
                let headers: HTTPHeaders =
                    switch gate.value.admission {
                    case .mqtt: ["Sec-WebSocket-Protocol": MQTTPassage.subprotocol]
                    case .events, nil: [:]
                    }
                return channel.eventLoop.makeSucceededFuture(headers)
            },
            upgradePipelineHandler: { channel, _ in
                switch gate.value.admission {
                case .events(let session):
                    channel.eventLoop.makeCompletedFuture { .events(try EventUpgrade(channel, session, sockets)) }
                case .mqtt: MQTTPassage.configure(channel, to: broker).map { .mqtt }
                // The gate has removed the `Upgrade` of a request without admission.
                case nil: channel.eventLoop.makeFailedFuture(SessionEnd.unauthenticated)
                }
            })
    }
}
