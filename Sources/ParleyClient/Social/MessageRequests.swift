import ParleyProtocol

extension MessagingClient {
    /// Strangers who ask to write to the user.
    public nonisolated var messageRequests: MessageRequests { MessageRequests(client: self) }

    /// Strangers who ask to write to the user: what they have sent is shown, and nothing else of theirs comes before
    /// the user answers. ``MessagingClient/messageRequests``
    public struct MessageRequests: Sendable {
        let client: MessagingClient

        /// Those who ask to write to the user and wait, the last ones first as far as the gateway gives them so.
        public func all() async throws(ClientError) -> [ChatRequest] {
            try await client.perform { context throws(ClientError) in
                var requests: [ChatRequest] = []
                let all = try await context.gateway.all(most: ConversationLogs.capacity, by: \.conversation) {
                    ListRequests(page: $0)
                }
                for request in all {
                    requests.append(await context.messageRequestReader.opened(request))
                }
                return requests
            }
        }

        /// Lets somebody write. The conversation is the user's from now on, with the message that asked.
        ///
        /// - Throws: ``ClientError/refused(_:)`` with `not_found` where nobody asks.
        @discardableResult
        public func accept(_ request: ConversationID) async throws(ClientError) -> ConversationSummary {
            try await client.perform { context throws(ClientError) in
                try await context.gateway.ask(AcceptRequest(conversation: request))
                try await context.following.follow(request)
                return try context.following.summary(request)
            }
        }

        /// Declines a request. Whoever asked does not hear of it, and cannot ask again.
        public func decline(_ request: ConversationID) async throws(ClientError) {
            try await client.ask(DeclineRequest(conversation: request))
        }
    }
}
