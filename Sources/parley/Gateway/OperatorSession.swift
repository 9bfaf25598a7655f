import ParleyClient
import ParleyProtocol

/// Asks for operations of the operator's, one after the other, on one connection.
struct OperatorSession: Sendable {
    fileprivate let gateway: LocalGateway
    fileprivate let requests: GatewayRequests

    /// - Throws: ``ToolError`` with the gateway's own sentence if it refuses.
    func ask<R: Request>(_ request: R) async throws(ToolError) -> R.Reply where R.Reply: GatewayValue {
        do throws(RequestError) {
            return try await requests.ask(request)
        } catch {
            switch error {
            case .refused(let rejection):
                throw ToolError(.rejected, "\(rejection.code.rawValue): \(rejection.message.printable)")
            case .unanswered(let failure): throw gateway.failure(failure, .operatorConsole)
            case .unreadable: throw gateway.failure(.malformedReply, .operatorConsole)
            }
        }
    }
}

extension LocalGateway {
    /// Runs `body` with the operator's rights.
    func asOperator<Value: Sendable>(
        _ body: @Sendable (OperatorSession) async throws -> Value
    ) async throws -> Value {
        try await connect(as: .operatorConsole) { connection in
            try await body(
                OperatorSession(gateway: self, requests: GatewayRequests(connection, timeout: timeout)))
        }
    }
}
