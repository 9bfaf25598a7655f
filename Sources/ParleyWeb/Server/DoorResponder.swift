import HTTPTypes
import HummingbirdCore
import Metrics
import NIOCore
import ParleyProtocol

/// A request that the door answers itself.
typealias WebRequest = HummingbirdCore.Request

/// Answers HTTP requests. With a token, it sends the request to the gateway by that token; without one, it sends
/// requests about accounts only.
struct DoorResponder: Sendable {
    let sessions: Sessions
    let upgrades: Upgrades
    let credentials: Credentials
    let tickets: Tickets
    /// `nil` for a door that takes no sign-ins.
    let accounts: AccountDoor?
    /// `nil` for a door without blobs.
    let blobs: BlobDoor?
    /// `nil` for a door without a page.
    let page: PageDoor?
    let configuration: WebConfiguration

    /// - Parameter channel: the connection.
    func respond(to request: WebRequest, on channel: any Channel, _ writer: consuming ResponseWriter) async throws {
        let origin = request.headers[.origin]
        guard credentials.isAllowed(origin: origin, host: request.head.authority) else {
            return try await write(APIResponse(Credentials.otherOrigin), to: request, nil, writer)
        }
        if let blobs, let path = BlobPath(request.head.path ?? "/") {
            return try await blobs.respond(to: request, at: path, for: origin, on: channel.eventLoop, writer)
        }
        // A preflight (Fetch standard, CORS protocol) of a page whose origin may use the door.
        if request.method == .options, let origin {
            return try await writer.writeResponse(DoorResponder.preflight(origin))
        }
        if let page, let file = page.files.file(at: request.head.path ?? "/") {
            return try await page.respond(to: request, with: file, writer)
        }
        try await write(await answer(request, channel.remoteAddress), to: request, origin, writer)
    }

    private func write(
        _ response: APIResponse, to request: WebRequest, _ origin: String?, _ writer: consuming ResponseWriter
    ) async throws {
        DoorMetrics.shared.countResponse(response.status)
        let head = head(of: response, for: origin)
        // HEAD is answered with the length of the body, and without it (RFC 9110 §9.3.2).
        guard request.method != .head else { return try await writer.writeResponse(head) }
        try await writer.write(response: head, body: ResponseBody(byteBuffer: ByteBuffer(bytes: response.body)))
    }

    /// - Parameter peer: the other end of the connection.
    private func answer(_ request: WebRequest, _ peer: SocketAddress?) async -> APIResponse {
        do throws(APIRefusal) {
            let target = request.head.path ?? "/"
            switch target.prefix(while: { $0 != "?" }) {
            case EventUpgrade.path: return await refuseUpgrade(request, target)
            case Upgrades.mqttPath[...]: return DoorResponder.onlyWebSockets
            default: break
            }
            let route = try APIRoute(
                APIRequestHead(
                    method: request.method.rawValue, target: target, contentType: request.headers[.contentType],
                    idempotencyKey: DoorResponder.idempotencyKey.flatMap { request.headers[$0] }))
            switch route {
            case .document: return OpenAPIDocument.response
            case .ticket: return try await ticket(request)
            case .call(let call): return try await ask(call, request)
            case .account(let call):
                guard let accounts else { throw APIRefusal.noAccounts }
                return try await accounts.answer(call, request, peer: peer)
            }
        } catch {
            return error.response
        }
    }

    private func ask(_ call: APICall, _ request: WebRequest) async throws(APIRefusal) -> APIResponse {
        let session = sessions.session(of: try token(of: request))
        // Strangers use no memory: a long body is read only after the broker has accepted the token.
        if hasLongBody(request) { try await signIn(session) }
        let call = try call.call(
            body: try await request.collectBody(upTo: configuration.limits.bodyBytes), by: session.device)
        do throws(SessionEnd) {
            if let response = call.responseWithoutReply {
                try await session.publish(call.operation, call.payload)
                return response
            }
            let began = NIODeadline.now()
            let reply = try await session.request(call.operation, call.payload)
            DoorMetrics.shared.requestTime.recordNanoseconds((NIODeadline.now() - began).nanoseconds)
            return call.response(to: reply)
        } catch {
            throw APIRefusal(error.rejection)
        }
    }

    private func ticket(_ request: WebRequest) async throws(APIRefusal) -> APIResponse {
        let token = try token(of: request)
        // Otherwise an invalid token would be refused only when its ticket is used.
        try await signIn(sessions.session(of: token))
        guard let ticket = try? tickets.issue(for: token) else { throw APIRefusal(.unavailable) }
        return APIResponse(status: 200, body: IssuedTicket(ticket: ticket).json)
    }

    private func signIn(_ session: SessionHandle) async throws(APIRefusal) {
        do throws(SessionEnd) {
            try await session.signIn()
        } catch {
            throw APIRefusal(error.rejection)
        }
    }

    /// Longer than a connection's buffers, or without a length.
    private func hasLongBody(_ request: WebRequest) -> Bool {
        guard let length = request.headers[.contentLength].flatMap({ Int($0) }) else { return request.method == .post }
        return length > DoorResponder.strangersBodyBytes
    }

    private static let strangersBodyBytes = 4096

    /// A request for `/ws` that made no WebSocket.
    private func refuseUpgrade(_ request: WebRequest, _ target: String) async -> APIResponse {
        do throws(Rejection) {
            _ = try await upgrades.admit(
                EventUpgrade.Request(
                    target: target, authorization: request.headers[.authorization], origin: request.headers[.origin],
                    host: request.head.authority), redeemsTicket: false)
            return DoorResponder.onlyWebSockets
        } catch {
            return APIResponse(error)
        }
    }

    private static let idempotencyKey = HTTPField.Name("Idempotency-Key")

    private static let onlyWebSockets = APIResponse(
        Rejection(.badRequest, "This path takes only WebSockets."), status: 426)

    private func token(of request: WebRequest) throws(APIRefusal) -> SessionToken {
        do throws(Rejection) {
            return try credentials.token(authorization: request.headers[.authorization])
        } catch {
            throw APIRefusal(error)
        }
    }

}

extension WebRequest {
    /// - Parameter limit: in bytes.
    func collectBody(upTo limit: Int) async throws(APIRefusal) -> [UInt8] {
        do {
            return Array(try await body.collect(upTo: limit).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw APIRefusal(Rejection(.tooLarge, "The body is longer than \(limit) bytes."))
        } catch {
            throw APIRefusal(Rejection(.badRequest, "The body did not come whole."))
        }
    }
}

// MARK: Headers

extension DoorResponder {
    private func head(of response: APIResponse, for origin: String?) -> HTTPResponse {
        var fields = response.fields
        fields.permitReading(by: origin)
        return HTTPResponse(status: .init(code: response.status), headerFields: fields)
    }

    private static func preflight(_ origin: String) -> HTTPResponse {
        HTTPResponse(
            status: .noContent,
            headerFields: [
                .accessControlAllowOrigin: origin, .accessControlAllowMethods: "GET, POST",
                .accessControlAllowHeaders: "Authorization, Content-Type, Idempotency-Key",
                .accessControlMaxAge: "600", .vary: "Origin",
            ])
    }
}

extension HTTPFields {
    /// What every response has.
    ///
    /// - Parameter origin: of the page that may read it.
    mutating func permitReading(by origin: String?) {
        append(HTTPField(name: .xContentTypeOptions, value: "nosniff"))
        guard let origin else { return }
        self[.accessControlAllowOrigin] = origin
        self[.vary] = "Origin"
    }
}
