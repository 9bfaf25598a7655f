import ParleyProtocol

/// Message requests that have come and were not emitted yet: what the strangers wrote is opened first, for which their
/// keys may have to be fetched.
struct MessageRequestInbox {
    private var waiting: [MessageRequest] = []

    /// How many may wait to be opened; all are in ``MessagingClient/MessageRequests/all()``.
    static let capacity = 256

    var isEmpty: Bool { waiting.isEmpty }

    /// - Returns: whether there was room.
    mutating func append(_ request: MessageRequest) -> Bool {
        guard waiting.count < MessageRequestInbox.capacity else { return false }
        waiting.append(request)
        return true
    }

    mutating func removeFirst() -> MessageRequest? { waiting.isEmpty ? nil : waiting.removeFirst() }
}

/// Emits the requests that came, opened.
struct MessageRequestReader {
    let context: ClientContext

    func handle(_ request: MessageRequest) {
        guard context.messageRequests.append(request) else { return context.hub.emit(.missed(1)) }
        context.wakeUps.fetch.signal()
    }

    nonisolated(nonsending) func emitNext() async {
        guard let request = context.messageRequests.removeFirst() else { return }
        context.hub.emit(.messageRequest(await opened(request)))
    }

    nonisolated(nonsending) func opened(_ request: MessageRequest) async -> ChatRequest {
        let messages = await context.delivery.opened([request.message].compactMap { $0 })
        return ChatRequest(
            conversation: request.conversation, user: request.user, createdAt: request.createdAt,
            message: messages.first.map(context.chatMessages.message))
    }
}

extension ClientContext {
    var messageRequestReader: MessageRequestReader { MessageRequestReader(context: self) }
}
