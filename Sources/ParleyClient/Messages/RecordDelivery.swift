import Platform
import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol

/// Opens, stores and emits the records of each conversation's log, in order.
struct RecordDelivery {
    let logs: ConversationLogs, keyring: Keyring, waiters: Waiters
    let configuration: ClientConfiguration, device: DeviceAddress, hub: EventHub
    let chatMessages: ChatMessages, conversationUpdates: ConversationUpdates, keyExchange: KeyExchange
    let receipts: ReceiptSender, recordKeeper: RecordKeeper, resending: ResendExchange
    let deliverSignal: WakeSignal, expirySignal: WakeSignal, fetchSignal: WakeSignal

    /// The records of one transaction.
    private static let batch = 64

    func handle(_ record: MessageRecord) {
        guard case .received(let isPageMissing) = logs.receive(record) else { return }
        deliverSignal.signal()
        if isPageMissing { fetchSignal.signal() }
    }

    /// Delivers the next records of each log, and waits for more.
    nonisolated(nonsending) func run() async {
        var backoff = Backoff(first: .milliseconds(200), longest: .seconds(30))
        while !Task.isCancelled {
            guard let id = logs.beginDelivery() else {
                waiters.wake(.delivered)
                await deliverSignal.wait()
                continue
            }
            do throws(DeviceStoreError) {
                try await deliver(id)
                backoff.reset()
            } catch {
                hub.emit(.storageFailed(error))
                await deliverSignal.wait(until: .now + backoff.next())
            }
            if logs.endDelivery(of: id) {
                waiters.wake(.settled(id))
                fetchSignal.signal()
            }
        }
    }

    private nonisolated(nonsending) func deliver(_ id: ConversationID) async throws(DeviceStoreError) {
        let expected = logs[id]?.log.ready(limit: RecordDelivery.batch) ?? []
        var kept = await opened(expected)
        // A new epoch may have begun while keys were fetched.
        let records = logs[id]?.log.ready(limit: expected.count) ?? []
        guard !records.isEmpty, records == expected, let old = logs[id] else { return }

        var entry = old
        entry.advance(by: records, own: device.user)
        let outcome = try recordKeeper.save(&kept, in: &entry)
        logs.replace(entry)
        recordKeeper.finishSending(kept, outcome.keeping)
        for message in kept where !outcome.keeping.known.contains(message.record.id) { emit(message, outcome.keeping) }
        if old.unread.count != entry.unread.count || old.preferences != entry.preferences {
            conversationUpdates.emit(id) { .conversationChanged($0) }
        }
        if kept.contains(where: { $0.record.expiresAt != nil }) { expirySignal.signal() }
        resending.start(outcome.resends)
        logs.unopened.record(kept)
        receipts.markDelivered(kept.map(\.record), in: id)
    }

    /// Emits a stored record. A receipt of it that came earlier is emitted after it.
    private func emit(_ kept: KeptMessage, _ keeping: Keeping) {
        // An expired message is deleted before it is shown.
        if let end = kept.record.expiresAt, end <= configuration.now() { return }
        let message = chatMessages.message(kept)
        let isSent = keeping.finished.contains(message.id)
        if kept.record.isChange {
            hub.emit(.change(message))
        } else {
            hub.emit(isSent ? .messageChanged(message) : .messageAdded(message))
        }
        if let target = keeping.changed[message.id] { hub.emit(.messageChanged(chatMessages.message(target))) }
        if isSent, let status = message.status, status != .sent {
            hub.emit(.status(message.id, in: message.conversation, status))
        }
    }

    /// Opens records, after fetching missing keys, at a limited rate.
    nonisolated(nonsending) func opened(_ records: [MessageRecord]) async -> [KeptMessage] {
        var messages = records.map { chatMessages.opened(KeptMessage(record: $0)) }
        var users: Set<UserID> = []
        for message in messages where message.isSealed {
            let members = logs.members(of: message.record.conversation)
            users.formUnion(keyring.usersWithNewerKeys(for: message.record, among: members, now: .now))
        }
        for user in users.sorted() where keyring.freshness.claimFetch(user, now: .now) {
            // Without the keys the message is shown as unreadable, and opened later.
            try? await keyExchange.fetch(of: user, timeout: .seconds(10))
        }
        guard !users.isEmpty else { return messages }
        for index in messages.indices { messages[index] = chatMessages.opened(messages[index]) }
        return messages
    }
}

extension FollowedConversation {
    /// The next records of the log are stored.
    ///
    /// - Parameter user: the device's own.
    fileprivate mutating func advance(by records: [MessageRecord], own user: UserID) {
        log.advance(by: records.count)
        for record in records {
            if record.sender.user == user { ownSeq = max(ownSeq, record.seq) }
            // A new message unarchives the conversation.
            if record.kind == .known(.message), record.type != .known(.system) { preferences.isArchived = false }
        }
    }
}

extension MessageRecord {
    package func sealed() throws(OpeningError) -> (SealedMessage, MessageHeader) {
        guard let named = suite else { throw .malformed }
        guard let suite = try Suite(named: named.name).bound else { throw .notBound }
        guard let content, let nonce, let type = type.value, let kind = kind.value else { throw .malformed }
        let header = MessageHeader(
            suite: suite, conversation: conversation, id: id, sender: sender, type: type, replyTo: replyTo, kind: kind,
            target: target, expiresIn: expiresIn)
        return (
            SealedMessage(suite: suite, nonce: nonce, content: content, recipientKeys: recipientKeys?.value), header
        )
    }
}
