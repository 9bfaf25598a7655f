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
        if let draft = item.content.flatMap({ Draft(payload: $0) }), let change = draft.change {
            pendingChanges.add(id, draft)
            tell(change.target, in: item.conversation)
        }
        hub.emit(.status(id, in: item.conversation, .queued))
        sendBell.ring()
    }

    /// Takes a message out of the queue for good. It may have reached the gateway already.
    public func discard(_ id: MessageID) throws(ClientError) {
        let item = try write { transaction -> QueuedMessage? in
            let item = try transaction.facts.queued(id)
            try transaction.discard(id)
            return item
        }
        guard let item else { throw .unknownMessage(id) }
        queue.remove(id)
        leftOut[id] = nil
        sent.note(id, .failure(.discarded))
        withdrawn(id, in: item.conversation)
        waiters.wake(.outcome(id))
    }

    /// What is not in the log yet, of one conversation or of all, changes with it.
    func waiting(in conversation: ConversationID?) throws(ClientError) -> [ChatMessage] {
        try read { try conversation.map($0.queued(in:)) ?? $0.queued() }.compactMap(waiting)
    }

    /// The messages that are not in the log yet.
    func waitingMessages(in conversation: ConversationID) throws(ClientError) -> [ChatMessage] {
        try waiting(in: conversation).filter { $0.kind == .known(.message) }
    }

    func waiting(_ item: QueuedMessage) -> ChatMessage? {
        guard let draft = item.content.flatMap({ Draft(payload: $0) }) else { return nil }
        let status: ChatMessage.Status =
            switch item.state {
            case .setAside(let reason): .setAside(SetAsideReason(kept: reason))
            case .pending: isTaken(item.id) ? .sent : .queued
            }
        var message = chatMessage(item.id, item.conversation, draft, status)
        message.leftOut = item.request.flatMap { SealedDraft($0, draft) }?.leftOut ?? []
        return message
    }

    /// Whether the gateway has it, though its record has yet to come.
    private func isTaken(_ id: MessageID) -> Bool {
        if case .success? = sent[id] { true } else { false }
    }

    /// A message as it is shown before it stands in the log.
    func chatMessage(
        _ id: MessageID, _ conversation: ConversationID, _ draft: Draft, _ status: ChatMessage.Status
    ) -> ChatMessage {
        let changes = pendingChanges.applied(to: MessageChanges(), of: id, by: device.user)
        var content = ChatMessage.Content.removed
        if !changes.isRemoved, draft.change?.kind != .delete {
            content = opened(
                changes.shownContent(over: draft.content) ?? draft.content, kind: .known(draft.kind),
                type: .known(draft.type.type))
        }
        return ChatMessage(
            id: id, conversation: conversation, place: nil, kind: .known(draft.kind), target: draft.change?.target,
            sender: device, type: .known(draft.type.type), suite: draft.suite.map { .known($0) },
            replyTo: draft.replyTo, expiresAt: nil, createdAt: draft.writtenAt, content: content,
            editedAt: changes.editedAt, reactions: changes.shownReactions, status: status)
    }
}
