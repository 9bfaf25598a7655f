import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol

// What waits to be sent, and what was set aside.

extension MessagingClient {
    /// The messages that were set aside, in the order in which they were written; their status says why.
    public func setAside() throws(ClientError) -> [ChatMessage] {
        try waiting(in: nil).filter { message in
            if case .setAside? = message.status { true } else { false }
        }
    }

    /// Sends a message that was set aside, in its old place among those that wait, sealed anew.
    public func retry(_ id: MessageID) throws(ClientError) {
        let item = try write { transaction -> QueuedMessage? in
            guard try transaction.retry(id) else { return nil }
            try transaction.setRequest(nil, of: id)
            return try transaction.facts.queued(id)
        }
        guard let item else { throw .unknownMessage(id) }
        sent.forget(id)
        // Perhaps for want of keys that are there now.
        for user in known[item.conversation]?.members ?? [] { freshness.isStale(user) }
        queue.insert(id, in: item.conversation, position: item.position)
        hub.emit(.status(id, in: item.conversation, .queued))
        sendBell.ring()
    }

    /// Takes a message out of the queue for good. It may have reached the gateway already.
    public func discard(_ id: MessageID) throws(ClientError) {
        let wasThere = try write { try $0.discard(id) }
        guard wasThere else { throw .unknownMessage(id) }
        queue.remove(id)
        sent.note(id, .failure(.discarded))
        waiters.wake(.outcome(id))
    }

    /// What is not in the log yet, of one conversation or of all.
    func waiting(in conversation: ConversationID?) throws(ClientError) -> [ChatMessage] {
        try read { try conversation.map($0.queued(in:)) ?? $0.queued() }.compactMap { item in
            guard let draft = item.content.flatMap({ Draft(payload: $0) }) else { return nil }
            let status: ChatMessage.Status =
                switch item.state {
                case .setAside(let reason): .setAside(SetAsideReason(kept: reason))
                case .pending: isTaken(item.id) ? .sent : .queued
                }
            return chatMessage(item.id, item.conversation, draft, status)
        }
    }

    /// Whether the gateway has it, though its record has yet to come.
    private func isTaken(_ id: MessageID) -> Bool {
        if case .success? = sent[id] { true } else { false }
    }

    /// A message as it is shown before it stands in the log.
    func chatMessage(
        _ id: MessageID, _ conversation: ConversationID, _ draft: Draft, _ status: ChatMessage.Status
    ) -> ChatMessage {
        let content: ChatMessage.Content
        do throws(OpeningFailure) {
            content = .opened(try OpenedContent(type: .known(draft.type.type), json: draft.content))
        } catch {
            content = .unreadable(error)
        }
        return ChatMessage(
            id: id, conversation: conversation, place: nil, kind: .known(.message), target: nil, sender: device,
            type: .known(draft.type.type), suite: draft.suite.map { .known($0) }, replyTo: draft.replyTo,
            expiresAt: nil, createdAt: draft.writtenAt, content: content, status: status)
    }
}
