import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol

// If a device cannot open a message, for example because its keys have changed, it asks the sending device to seal it
// again, once.

/// A request or an answer that a client sends by itself.
struct Resend {
    let id: MessageID
    let position: Int
    let conversation: ConversationID
    let draft: Draft
    let event: ClientEvent
}

/// Requests that messages be sealed again, and answers such requests.
struct ResendExchange {
    let outbox: Outbox, logs: ConversationLogs, keyring: Keyring
    let configuration: ClientConfiguration, device: DeviceAddress, disk: StoreAccess, hub: EventHub
    let chatMessages: ChatMessages, sendSignal: WakeSignal

    /// The most unsent requests; further ones are postponed.
    private static let mostRequests = 64
    /// The most unsent answers; further requests are ignored.
    private static let mostAnswers = 1024
    /// In milliseconds: older messages are not sealed again.
    private static let resendAge: Int64 = 30 * 86_400_000

    /// Queues the resends for records in the same transaction, so that each causes one only once. A client without a
    /// database would not remember.
    func resends(
        because kept: [KeptMessage], in conversation: FollowedConversation, _ transaction: WriteTransaction
    ) throws -> [Resend] {
        guard configuration.storage == .database else { return [] }
        var resends: [Resend] = []
        var waiting = outbox.changes.resending
        for message in kept where !outbox.queue.isFull {
            let resend: Resend?
            if message.isSealed {
                guard conversation.isMissed(message, by: device) else { continue }
                guard waiting[.request, default: 0] < ResendExchange.mostRequests else {
                    outbox.postponeRequest()
                    continue
                }
                resend = try request(message, transaction)
            } else {
                guard waiting[.answer, default: 0] < ResendExchange.mostAnswers else { continue }
                resend = try answer(message, transaction)
            }
            guard let resend, let step = resend.draft.resending else { continue }
            waiting[step, default: 0] += 1
            resends.append(resend)
        }
        return resends
    }

    /// Starts the queued resends once they are on disk.
    func start(_ resends: [Resend]) {
        guard !resends.isEmpty else { return }
        for resend in resends {
            outbox.insert(resend.id, in: resend.conversation, position: resend.position, resend.draft)
            hub.emit(resend.event)
        }
        sendSignal.signal()
    }

    // MARK: Asking

    /// Requests a message that was sealed for this device by one with accepted keys, and does not open. Old apps, whose
    /// form it may be in, know no such requests.
    private func request(_ message: KeptMessage, _ transaction: WriteTransaction) throws -> Resend? {
        let record = message.record
        guard record.kind == .known(.message), !record.isLegacy, logs[record.conversation]?.isOpen == true,
            case .failure(.notAuthentic) = chatMessages.open(record), keyring.book.isRecipient(record.sender),
            var target = KeptMessage(try transaction.facts.message(record.id, in: record.conversation)),
            target.resending == nil, target.isUnreadable(on: device)
        else { return nil }
        target.resending = .request
        return try put(
            .reaction, ResendRequest.json, for: target, onlyFor: [], transaction,
            .resendRequested(record.id, in: record.conversation, of: record.sender))
    }

    // MARK: Answering

    /// Seals a message of this device again, for a user whom it was sealed for before, with the content that this
    /// device wrote.
    private func answer(_ message: KeptMessage, _ transaction: WriteTransaction) throws -> Resend? {
        let record = message.record
        guard record.kind == .known(.reaction), record.sender != device, keyring.book.isRecipient(record.sender),
            let json = message.content, let object = try? JSONObject(parsing: json),
            (try? ResendRequest.isIn(object)) == true, let id = record.target,
            var target = KeptMessage(try transaction.facts.message(id, in: record.conversation)),
            target.record.sender == device, target.resending == nil, let content = target.ownContent,
            isRecipient(record.sender.user, of: target),
            target.record.createdAt.milliseconds > configuration.now().milliseconds - ResendExchange.resendAge
        else { return nil }
        target.resending = .answer
        keyring.freshness.markStale(record.sender.user)
        return try put(
            .edit, ResentMark.put(on: content), for: target,
            onlyFor: isDirect(target) ? [] : target.sealedFor + [device.user], transaction,
            .resent(id, in: record.conversation, for: record.sender))
    }

    /// Whether the message of an answer still exists: it may have been deleted or have expired.
    func isWorthSending(_ draft: Draft, in conversation: ConversationID) throws(ClientError) -> Bool {
        guard draft.resending == .answer, let target = draft.change?.target else { return true }
        let kept = KeptMessage(try disk.read { try $0.message(target, in: conversation) })
        return kept?.ownContent != nil
            && !outbox.changes.applied(to: MessageChanges(), of: target, by: device.user).isRemoved
    }

    private func isDirect(_ message: KeptMessage) -> Bool {
        logs[message.record.conversation]?.object?.type == .known(.direct)
    }

    /// Members who joined later were no recipients.
    private func isRecipient(_ user: UserID, of message: KeptMessage) -> Bool {
        if isDirect(message) { return logs[message.record.conversation]?.members.contains(user) ?? false }
        return message.sealedFor.contains(user) || (user == device.user && !message.sealedFor.isEmpty)
    }

    /// Queues a change to `target`, and records the step in it.
    private func put(
        _ kind: Draft.Kind, _ content: [UInt8], for target: KeptMessage, onlyFor: [UserID],
        _ transaction: WriteTransaction, _ event: ClientEvent
    ) throws -> Resend? {
        let record = target.record
        guard let resending = target.resending,
            let type = record.type.value.flatMap({ MessageType.Sendable(rawValue: $0.rawValue) })
        else { return nil }
        var draft = Draft(
            type: type, content: content, writtenAt: .now, change: Draft.Change(kind: kind, target: record.id))
        draft.resending = resending
        draft.onlyFor = onlyFor
        let id = MessageID.random()
        try transaction.replace(target.stored(for: device.user))
        try transaction.enqueue(id, in: record.conversation, content: draft.json)
        return Resend(
            id: id, position: try transaction.facts.queued(id)?.position ?? .max, conversation: record.conversation,
            draft: draft, event: event)
    }
}
