import ParleyProtocol

extension MessagingClient {
    /// Requests of strangers to write to the user.
    public nonisolated var messageRequests: MessageRequests { MessageRequests(client: self) }

    /// Requests of strangers to write to the user: ``MessagingClient/messageRequests``. The stranger's first message is
    /// shown, and no other before the user answers.
    public struct MessageRequests: Sendable {
        let client: MessagingClient

        /// The waiting requests, in the gateway's order: the latest first.
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

        /// Accepts a request. The conversation opens, with the stranger's message.
        ///
        /// - Throws: ``ClientError/refused(_:)`` with `not_found` if there is no such request.
        @discardableResult
        public func accept(_ request: ConversationID) async throws(ClientError) -> ConversationSummary {
            try await client.perform { context throws(ClientError) in
                try await context.gateway.ask(AcceptRequest(conversation: request))
                try await context.following.follow(request)
                return try context.following.summary(request)
            }
        }

        /// Declines a request. The stranger is not told, and cannot ask again.
        public func decline(_ request: ConversationID) async throws(ClientError) {
            try await client.ask(DeclineRequest(conversation: request))
        }
    }
}
