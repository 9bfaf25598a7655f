import ParleyProtocol

/// Typed requests of a device to its gateway (protocol §5).
///
/// Each request is repeated until there is a reply, and throws a ``RequestError``. A write with the same ids does
/// nothing twice.
package struct GatewayRequests: Sendable {
    private let connection: DeviceConnection
    /// Of each request, counted while there is no connection, too.
    private let timeout: Duration

    package init(_ connection: DeviceConnection, timeout: Duration = .seconds(30)) {
        (self.connection, self.timeout) = (connection, timeout)
    }

    @discardableResult
    package func ask<R: Request>(_ request: R) async throws(RequestError) -> R.Reply where R.Reply: GatewayValue {
        try await reply(to: request).read()
    }

    /// Makes a request that has no type for its reply.
    ///
    /// - Returns: the `data` of the reply.
    package func data(of request: some Request) async throws(RequestError) -> JSONObject {
        try await reply(to: request).acceptedData()
    }

    /// Makes a request whose reply has no content of interest.
    package func carryOut(_ request: some Request) async throws(RequestError) {
        _ = try await reply(to: request).acceptedData()
    }

    private func reply(to request: some Request) async throws(RequestError) -> GatewayReply {
        do throws(NoReplyError) {
            return try await connection.request(request.operation, payload: request.payload(), timeout: timeout)
        } catch {
            throw .unanswered(error)
        }
    }

    /// Sends a sealed message. One with `echoIsReply` is answered by its own event, if the conversation's messages are
    /// subscribed to; otherwise by the reply to its first repeat.
    package func send(_ message: SendMessage) async throws(RequestError) -> SentMessage {
        let reply: GatewayReply
        do throws(NoReplyError) {
            reply = try await connection.send(message, timeout: timeout)
        } catch {
            throw .unanswered(error)
        }
        return try reply.read()
    }

    /// Makes a request that gets no reply (`typing/start`, `typing/stop`): success only means that the broker has it.
    package func notify(_ request: some Request) async throws(RequestError) {
        let refusal: GatewayReply?
        do throws(NoReplyError) {
            refusal = try await connection.notify(request.operation, payload: request.payload(), timeout: timeout)
        } catch {
            throw .unanswered(error)
        }
        if let rejection = refusal?.rejection { throw .refused(rejection) }
    }
}
