import ParleyProtocol

/// Message requests that have come and were not emitted yet: what the strangers wrote is opened first, for which their
/// keys may have to be fetched.
final class MessageRequestInbox {
    private var waiting: [MessageRequest] = []

    /// How many may wait to be opened; all are in ``MessagingClient/MessageRequests/all()``.
    static let capacity = 256

    var isEmpty: Bool { waiting.isEmpty }

    /// - Returns: whether there was room.
    func append(_ request: MessageRequest) -> Bool {
        guard waiting.count < MessageRequestInbox.capacity else { return false }
        waiting.append(request)
        return true
    }

    func removeFirst() -> MessageRequest? { waiting.isEmpty ? nil : waiting.removeFirst() }
}

/// Emits the requests that came, opened.
struct MessageRequestReader {
    let messageRequests: MessageRequestInbox, hub: EventHub
    let chatMessages: ChatMessages, delivery: RecordDelivery, fetchSignal: WakeSignal

    func handle(_ request: MessageRequest) {
        guard messageRequests.append(request) else { return hub.emit(.missed(1)) }
        fetchSignal.signal()
    }

    nonisolated(nonsending) func emitNext() async {
        guard let request = messageRequests.removeFirst() else { return }
        hub.emit(.messageRequest(await opened(request)))
    }

    nonisolated(nonsending) func opened(_ request: MessageRequest) async -> ChatRequest {
        let messages = await delivery.opened([request.message].compactMap { $0 })
        return ChatRequest(
            conversation: request.conversation, user: request.user, createdAt: request.createdAt,
            message: messages.first.map(chatMessages.message))
    }
}
