import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol

/// Makes ``ChatMessage``s of stored and of queued messages.
struct ChatMessages {
    let outbox: Outbox, logs: ConversationLogs, keyring: Keyring
    let device: DeviceAddress, disk: StoreAccess, hub: EventHub

    /// Opens a record with the keys that are known now.
    func open(_ record: MessageRecord) -> Result<[UInt8], OpeningError> {
        keyring.open(record, among: logs.members(of: record.conversation))
    }

    /// Opens a stored message with the keys that are known now, if possible.
    func opened(_ message: KeptMessage) -> KeptMessage {
        guard message.isSealed, case .success(let content) = open(message.record) else { return message }
        return message.opened(content)
    }

    func message(_ message: KeptMessage) -> ChatMessage {
        let changes = outbox.changes.applied(to: message.changes, of: message.record.id, by: device.user)
        return ChatMessage(message, changes, status(of: message)) { open($0) }
    }

    private func status(of message: KeptMessage) -> ChatMessage.Status? {
        guard message.record.sender.user == device.user else { return nil }
        return logs[message.record.conversation]?.status(of: message, own: device.user)
    }

    // MARK: What is not in the log yet

    /// The unsent and failed messages and changes, of one conversation or of all.
    func waiting(in conversation: ConversationID?) throws(ClientError) -> [ChatMessage] {
        try disk.read { try conversation.map($0.queued(in:)) ?? $0.queued() }.compactMap(waiting)
    }

    /// The unsent and failed messages of a conversation.
    func waitingMessages(in conversation: ConversationID) throws(ClientError) -> [ChatMessage] {
        try waiting(in: conversation).filter { $0.kind == .known(.message) }
    }

    private func waiting(_ item: QueuedMessage) -> ChatMessage? {
        guard let draft = item.draft else { return nil }
        let status: ChatMessage.Status =
            switch item.state {
            case .failed(let reason): .failed(SendError(kept: reason))
            case .pending: outbox.isAccepted(item.id) ? .sent : .queued
            }
        let changes = outbox.changes.applied(to: MessageChanges(), of: item.id, by: device.user)
        var message = draft.message(item.id, in: item.conversation, of: device, status, changes)
        message.leftOut = item.request.flatMap { SealedDraft($0, draft) }?.leftOut ?? []
        return message
    }

    // MARK: One of them

    func message(_ id: MessageID, in conversation: ConversationID) throws(ClientError) -> ChatMessage? {
        let (stored, queued) = try disk.read { (try $0.message(id, in: conversation), try $0.queued(id)) }
        if let kept = KeptMessage(stored) { return message(kept) }
        return queued.flatMap { $0.conversation == conversation ? waiting($0) : nil }
    }

    /// A message has changed.
    func emit(_ id: MessageID, in conversation: ConversationID) {
        if let message = try? message(id, in: conversation) { hub.emit(.messageChanged(message)) }
    }

    /// The newest message of a conversation, sent or not.
    func newest(in id: ConversationID) -> ChatMessage? {
        if let waiting = try? waitingMessages(in: id).last { return waiting }
        let found = try? disk.read { try $0.messages(in: id, ChapterAnchor.newest, limit: 1).last }
        return KeptMessage(found).map(message)
    }
}

extension ChatMessage {
    /// A message of the log.
    ///
    /// - Parameters:
    ///   - changes: the changes to it, unsent ones included.
    ///   - open: opens a record with the keys that are known now.
    init(
        _ kept: KeptMessage, _ changes: MessageChanges, _ status: Status?,
        open: (MessageRecord) -> Result<[UInt8], OpeningError>
    ) {
        let record = kept.record
        self.init(
            id: record.id, conversation: record.conversation,
            position: Position(chapter: kept.chapter, epoch: record.epoch, seq: record.seq), kind: record.kind,
            target: record.target,
            sender: record.sender, type: record.type, suite: record.suite, replyTo: record.replyTo,
            expiresAt: record.expiresAt, createdAt: record.createdAt, content: Content(of: kept, changes, open: open),
            editedAt: changes.editedAt, reactions: changes.shownReactions, status: status, leftOut: kept.shownLeftOut)
    }

    /// A message of the log without status and unsent changes, opened if possible.
    init(_ kept: KeptMessage, open: (MessageRecord) -> Result<[UInt8], OpeningError>) {
        var opened = kept
        if kept.isSealed, case .success(let content) = open(kept.record) { opened = kept.opened(content) }
        self.init(opened, opened.changes, nil, open: open)
    }
}

extension ChatMessage.Content {
    fileprivate init(
        of message: KeptMessage, _ changes: MessageChanges, open: (MessageRecord) -> Result<[UInt8], OpeningError>
    ) {
        let record = message.record
        if message.isReplay {
            self = .unreadable(.replayed)
        } else if changes.isRemoved {
            self = .removed
        } else if let json = changes.shownContent(over: message.content) {
            self = ChatMessage.Content(json, kind: record.kind, type: record.type)
        } else if let notice = record.system?.value {
            self = .system(notice)
        } else if record.content == nil {
            self = .removed
        } else {
            switch open(record) {
            case .success: self = .unreadable(.badContent)
            case .failure(let failure): self = .unreadable(failure)
            }
        }
    }
}
