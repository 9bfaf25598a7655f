import ParleyProtocol

// Strangers who ask to write: what they have sent is shown, and nothing else of theirs comes before the user answers.

extension MessagingClient {
    /// Those who ask to write to the user and wait, the last ones first as far as the gateway gives them so.
    public func messageRequests() async throws(ClientError) -> [ChatRequest] {
        var requests: [ChatRequest] = []
        var cursor: String?
        repeat {
            let page = try await ask { [cursor] (gateway) async throws(RequestError) in
                try await gateway.messageRequests(page: Page(limit: Limits.pageItems, cursor: cursor))
            }
            for request in page.items { requests.append(await opened(request)) }
            cursor = page.nextCursor
        } while cursor != nil
        return requests
    }

    /// Lets somebody write. The conversation is the user's from now on, with the message that asked.
    ///
    /// - Throws: ``ClientError/refused(_:)`` with `not_found` where nobody asks.
    @discardableResult
    public func accept(_ request: ConversationID) async throws(ClientError) -> ConversationSummary {
        _ = try await ask { (gateway) async throws(RequestError) in try await gateway.acceptRequest(request) }
        try await follow(request)
        guard let summary = summary(request) else { throw .unknownConversation(request) }
        return summary
    }

    /// Puts a request away. Whoever asked is not told, and cannot ask again.
    public func decline(_ request: ConversationID) async throws(ClientError) {
        try await ask { (gateway) async throws(RequestError) in try await gateway.declineRequest(request) }
    }

    /// Somebody asks: it is told of when what he wrote was opened, which may take his keys.
    func arrived(_ request: ReceivedMessageRequest) {
        guard arrivedRequests.count < MessagingClient.mostRequests else { return hub.emit(.missed(1)) }
        arrivedRequests.append(request)
        fetchBell.ring()
    }

    /// How many may wait to be opened; all are in ``messageRequests()``.
    private static let mostRequests = 256

    func tellRequest() async {
        let request = arrivedRequests.removeFirst()
        hub.emit(.messageRequest(await opened(request)))
    }

    private func opened(_ request: ReceivedMessageRequest) async -> ChatRequest {
        let messages = await opened([request.message].compactMap { $0 })
        return ChatRequest(
            conversation: request.conversation, user: request.user, createdAt: request.createdAt,
            message: messages.first.map(chatMessage))
    }
}
