import ParleyClient
import ParleyProtocol

extension CommonOptions {
    /// Sends what `make` gives to its conversation, waits for the gateway, and prints its reply.
    func send(
        as sender: SenderOptions,
        _ make: @Sendable (MessagingClient) async throws(ClientError) -> (MessageContent, ConversationID)
    ) async throws {
        let gateway = gateway
        let delivery = try await signedIn(as: sender) { client in
            do throws(ClientError) {
                let (content, conversation) = try await make(client)
                let id = try await client.send(content, to: conversation)
                return try await client.delivery(of: id, in: conversation, timeout: gateway.timeout)
            } catch {
                guard let rejection = error.rejection else { throw error }
                return .rejected(rejection)
            }
        }
        try delivery.report(to: sender.device, gateway)
    }
}
