import ParleyProtocol

/// Opens and emits message requests, after fetching the stranger's keys.
struct MessageRequestReader {
    let messageRequests: BoundedQueue<MessageRequest>, hub: EventHub
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
