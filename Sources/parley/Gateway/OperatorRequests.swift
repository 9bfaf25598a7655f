import ParleyClient
import ParleyProtocol

/// Makes requests of the operator's, one after the other, on one connection.
struct OperatorSession: Sendable {
    fileprivate let gateway: LocalGateway
    fileprivate let requests: GatewayRequests

    /// - Throws: ``ToolError`` with the gateway's own sentence if it refuses.
    @discardableResult
    func ask<R: Request>(_ request: R) async throws(ToolError) -> R.Reply where R.Reply: GatewayValue {
        do throws(RequestError) {
            return try await requests.ask(request)
        } catch {
            throw failure(error)
        }
    }

    /// - Returns: the `data` of the reply.
    /// - Throws: as `ask`.
    func data(of request: some Request) async throws(ToolError) -> JSONObject {
        do throws(RequestError) {
            return try await requests.data(of: request)
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: RequestError) -> ToolError {
        switch error {
        case .refused(let rejection): ToolError(rejection)
        case .unanswered(let failure): gateway.failure(failure, gateway.console)
        case .unreadable: gateway.failure(.malformedReply, gateway.console)
        }
    }
}

extension LocalGateway {
    /// Runs `body` with the operator's rights.
    func asOperator<Value: Sendable>(
        _ body: @Sendable (OperatorSession) async throws -> Value
    ) async throws -> Value {
        try await connect(as: console) { connection in
            try await body(
                OperatorSession(gateway: self, requests: GatewayRequests(connection, timeout: timeout)))
        }
    }

    /// Makes one request of the operator's.
    ///
    /// - Throws: ``ToolError`` with the gateway's own sentence if it refuses.
    @discardableResult
    func ask<R: Request>(_ request: R) async throws -> R.Reply where R.Reply: GatewayValue {
        try await asOperator { try await $0.ask(request) }
    }

    /// Makes a request of the operator's that has no type for its reply.
    ///
    /// - Returns: the `data` of the reply.
    /// - Throws: ``ToolError`` with the gateway's own sentence if it refuses.
    func data(of request: some Request) async throws -> JSONObject {
        let reply = try await self.request(request.operation, payload: request.payload(), as: console)
        if let rejection = reply.rejection { throw ToolError(rejection) }
        guard let data = reply.data else { throw failure(.malformedReply, console) }
        return data
    }
}

extension ToolError {
    /// The gateway's own sentence.
    init(_ rejection: Rejection) {
        self.init(.rejected, "\(rejection.code.rawValue): \(rejection.message.printable)")
    }
}
