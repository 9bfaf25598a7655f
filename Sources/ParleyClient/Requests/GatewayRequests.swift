import ParleyProtocol

/// What a device asks of its gateway, as Swift values (protocol §5): each operation is a type and knows what its reply
/// is.
///
/// Each request waits for its reply, is repeated until there is one, and throws a ``RequestError``. A write that is
/// made again, with the same ids, does nothing twice.
package struct GatewayRequests: Sendable {
    private let connection: DeviceConnection
    /// How long each waits, being signed in or not.
    private let timeout: Duration

    package init(_ connection: DeviceConnection, timeout: Duration = .seconds(30)) {
        self.connection = connection
        self.timeout = timeout
    }

    /// - Returns: what an accepted request gave.
    @discardableResult
    package func ask<R: Request>(_ request: R) async throws(RequestError) -> R.Reply where R.Reply: GatewayValue {
        try await reply(to: request).read()
    }

    /// Makes a request of whose reply nothing is read but that it was accepted.
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

    /// Sends a sealed message. One with `echoIsReply` is answered by its own event, as soon as the conversation's
    /// messages are subscribed to; while they are not, only by the reply to its first repeat.
    package func send(_ message: SendMessage) async throws(RequestError) -> SentMessage {
        let reply: GatewayReply
        do throws(NoReplyError) {
            reply = try await connection.send(message, timeout: timeout)
        } catch {
            throw .unanswered(error)
        }
        return try reply.read()
    }

    /// Makes a request that the gateway does not reply to (`typing/start`, `typing/stop`). Only the broker answers, so
    /// that success says nothing of the gateway.
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
