import ParleyClient
import ParleyProtocol

extension LocalGateway {
    /// Asks for an operation of the operator's.
    ///
    /// - Returns: the `data` of the reply.
    /// - Throws: a ``ToolError`` with the gateway's own sentence if it refuses.
    func administer(_ request: some Request) async throws -> JSONObject {
        let reply = try await self.request(request.operation, payload: request.payload(), as: .operatorConsole)
        if let rejection = reply.rejection {
            throw ToolError(.rejected, "\(rejection.code.rawValue): \(rejection.message.printable)")
        }
        guard let data = reply.data else { throw failure(.malformedReply, .operatorConsole) }
        return data
    }
}
