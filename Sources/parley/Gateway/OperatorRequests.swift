import ParleyClient
import ParleyProtocol

extension LocalGateway {
    /// Asks for an operation of the operator's.
    ///
    /// - Returns: the `data` of the reply.
    /// - Throws: a ``ToolError`` with the gateway's own sentence if it refuses.
    func administer(_ type: any Request.Type, _ fields: (inout JSONWriter) -> Void) async throws -> JSONObject {
        var writer = JSONWriter()
        writer.object(fields)
        let reply = try await request(type.operation, payload: writer.finish(), as: .operatorConsole)
        if let rejection = reply.rejection {
            throw ToolError(.rejected, "\(rejection.code.rawValue): \(rejection.message.printable)")
        }
        guard let data = reply.data else { throw failure(.malformedReply, .operatorConsole) }
        return data
    }
}
