import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol

// A message that a device could not open, as when its keys were made anew after it was sealed: that device asks, and the
// one that sent it seals it anew, once.

/// What a client sends by itself because a message could not be opened.
struct Resend {
    let id: MessageID
    let position: Int
    let conversation: ConversationID
    let draft: Draft
    let event: ClientEvent
}

extension MessagingClient {
    /// So many wait to be sent at most. Whoever makes a device ask, or asks it, for more gets nothing by that.
    private static let mostResends = 64
    /// In milliseconds: what was sent before is not sealed anew.
    private static let resendAge: Int64 = 30 * 86_400_000

    /// Puts into the queue what follows from records that are kept in the same transaction: so each of them has it once.
    func resends(
        because kept: [KeptMessage], in conversation: FollowedConversation, _ transaction: WriteTransaction
    ) throws -> [Resend] {
        var resends: [Resend] = []
        for message in kept where pendingChanges.resending + resends.count < MessagingClient.mostResends {
            guard !queue.isFull else { break }
            if message.isSealed {
                guard conversation.isMissed(message, by: device), let resend = try request(message, transaction) else {
                    continue
                }
                resends.append(resend)
            } else if let resend = try answer(message, transaction) {
                resends.append(resend)
            }
        }
        return resends
    }

    /// What `resends` put into the queue is on disk.
    func start(_ resends: [Resend]) {
        guard !resends.isEmpty else { return }
        for resend in resends {
            queue.insert(resend.id, in: resend.conversation, position: resend.position)
            pendingChanges.add(resend.id, resend.draft)
            hub.emit(resend.event)
        }
        sendBell.ring()
    }

    // MARK: Asking

    /// Asks for what was sealed for this device by one whose keys are accepted, and could not be opened all the same. A client
    /// that keeps nothing would ask again each time.
    private func request(_ message: KeptMessage, _ transaction: WriteTransaction) throws -> Resend? {
        let record = message.record
        guard configuration.storage == .database, known[record.conversation]?.isOpen == true,
            case .failure(.notAuthentic) = open(record), peers.book.isRecipient(record.sender),
            let id = record.kind == .known(.edit) ? record.target : record.id,
            record.kind == .known(.edit) || record.kind == .known(.message),
            var target = KeptMessage(try transaction.facts.message(id, in: record.conversation)),
            target.resending == nil, !target.changes.isRemoved, target.record.sender == record.sender
        else { return nil }
        if record.kind == .known(.message), target.shownContent != nil { return nil }
        target.resending = .request
        return try put(
            .reaction, try MessageContent.resendRequest.encoded(), for: target, onlyFor: [], transaction,
            .resendRequested(id, in: record.conversation, of: record.sender))
    }

    // MARK: Answering

    /// Seals a message of this device anew for somebody for whom it was sealed before.
    private func answer(_ message: KeptMessage, _ transaction: WriteTransaction) throws -> Resend? {
        let record = message.record
        guard record.kind == .known(.reaction), record.sender != device, let json = message.content,
            let object = try? JSONObject(parsing: json), (try? ResendRequest(object)) != nil,
            let id = record.target,
            var target = KeptMessage(try transaction.facts.message(id, in: record.conversation)),
            target.record.sender == device, target.resending == nil, let content = target.shownContent,
            isRecipient(record.sender.user, of: target),
            target.record.createdAt.milliseconds > configuration.now().milliseconds - MessagingClient.resendAge
        else { return nil }
        target.resending = .answer
        // A text that was changed is sent as the change that it was.
        let isChanged = target.changes.editedAt != nil
        freshness.isStale(record.sender.user)
        return try put(
            .edit, isChanged ? content : ResentMark.put(on: content), for: target,
            onlyFor: isDirect(target) ? [] : target.sealedFor + [device.user], transaction,
            .resent(id, in: record.conversation, for: record.sender))
    }

    private func isDirect(_ message: KeptMessage) -> Bool {
        known[message.record.conversation]?.object?.type == .known(.direct)
    }

    /// Whoever has joined a group since was none.
    private func isRecipient(_ user: UserID, of message: KeptMessage) -> Bool {
        if isDirect(message) { return known[message.record.conversation]?.members.contains(user) ?? false }
        return message.sealedFor.contains(user) || (user == device.user && !message.sealedFor.isEmpty)
    }

    /// Puts a change to `target` into the queue, and keeps that this was done.
    private func put(
        _ kind: Draft.Kind, _ content: [UInt8], for target: KeptMessage, onlyFor: [UserID],
        _ transaction: WriteTransaction, _ event: ClientEvent
    ) throws -> Resend? {
        let record = target.record
        guard let resending = target.resending,
            let type = record.type.value.flatMap({ MessageType.Sendable(rawValue: $0.rawValue) })
        else { return nil }
        var draft = Draft(
            type: type, content: content, replyTo: nil, expiresIn: nil, suite: nil, writtenAt: .now,
            change: Draft.Change(kind: kind, target: record.id))
        draft.resending = resending
        draft.onlyFor = onlyFor
        let id = MessageID.random()
        try transaction.replace(target.stored(for: device.user))
        try transaction.enqueue(id, in: record.conversation, content: draft.payload)
        return Resend(
            id: id, position: try transaction.facts.queued(id)?.position ?? .max, conversation: record.conversation,
            draft: draft, event: event)
    }
}
