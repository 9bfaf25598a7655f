import ParleyProtocol

/// Strangers who ask to write: what they have sent is shown, and nothing else of theirs comes before the user answers.
///
/// An inbox of those who are yet to be told of: what they wrote is opened first, which may take their keys.
struct MessageRequestInbox {
    private var waiting: [ReceivedMessageRequest] = []

    /// How many may wait to be opened; all are in ``MessagingClient/messageRequests()``.
    static let capacity = 256

    var isEmpty: Bool { waiting.isEmpty }

    /// - Returns: whether there was room.
    mutating func append(_ request: ReceivedMessageRequest) -> Bool {
        guard waiting.count < MessageRequestInbox.capacity else { return false }
        waiting.append(request)
        return true
    }

    mutating func removeFirst() -> ReceivedMessageRequest? { waiting.isEmpty ? nil : waiting.removeFirst() }
}

/// Gives out the requests that came, opened.
struct MessageRequestReader {
    let context: ClientContext

    func handle(_ request: ReceivedMessageRequest) {
        guard context.messageRequests.append(request) else { return context.hub.emit(.missed(1)) }
        context.bells.fetch.ring()
    }

    nonisolated(nonsending) func emitNext() async {
        guard let request = context.messageRequests.removeFirst() else { return }
        context.hub.emit(.messageRequest(await opened(request)))
    }

    nonisolated(nonsending) func opened(_ request: ReceivedMessageRequest) async -> ChatRequest {
        let messages = await context.delivery.opened([request.message].compactMap { $0 })
        return ChatRequest(
            conversation: request.conversation, user: request.user, createdAt: request.createdAt,
            message: messages.first.map(context.chatMessages.message))
    }
}

extension ClientContext {
    var messageRequestReader: MessageRequestReader { MessageRequestReader(context: self) }
}

extension MessagingClient {
    /// Those who ask to write to the user and wait, the last ones first as far as the gateway gives them so.
    public func messageRequests() async throws(ClientError) -> [ChatRequest] {
        var requests: [ChatRequest] = []
        var cursor: String?
        repeat {
            let page = try await context.ask { [cursor] (gateway) async throws(RequestError) in
                try await gateway.messageRequests(page: Page(limit: Limits.pageItems, cursor: cursor))
            }
            for request in page.items { requests.append(await context.messageRequestReader.opened(request)) }
            cursor = page.nextCursor
        } while cursor != nil
        return requests
    }

    /// Lets somebody write. The conversation is the user's from now on, with the message that asked.
    ///
    /// - Throws: ``ClientError/refused(_:)`` with `not_found` where nobody asks.
    @discardableResult
    public func accept(_ request: ConversationID) async throws(ClientError) -> ConversationSummary {
        _ = try await context.ask { (gateway) async throws(RequestError) in try await gateway.acceptRequest(request) }
        try await context.following.follow(request)
        guard let summary = context.conversationUpdates.summary(request) else { throw .unknownConversation(request) }
        return summary
    }

    /// Puts a request away. Whoever asked is not told, and cannot ask again.
    public func decline(_ request: ConversationID) async throws(ClientError) {
        try await context.ask { (gateway) async throws(RequestError) in try await gateway.declineRequest(request) }
    }
}
