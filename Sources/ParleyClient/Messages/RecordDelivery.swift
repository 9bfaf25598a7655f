import Platform
import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol

/// Handles what came of each conversation's log: opened in its place, kept, and then emitted.
struct RecordDelivery {
    let context: ClientContext

    /// How many records are opened and kept in one transaction.
    private static let batch = 64

    /// A record came live.
    func handle(_ record: MessageRecord) {
        guard case .received(let isPageMissing) = context.logs.receive(record) else { return }
        context.wakeUps.deliver.signal()
        if isPageMissing { context.wakeUps.fetch.signal() }
    }

    /// Delivers what is next in each conversation's log, until there is nothing, and waits for more.
    nonisolated(nonsending) func run() async {
        var backoff = Backoff(first: .milliseconds(200), longest: .seconds(30))
        while !Task.isCancelled {
            guard let id = context.logs.beginDelivery() else {
                context.waiters.wake(.delivered)
                await context.wakeUps.deliver.wait()
                continue
            }
            do throws(DeviceStoreError) {
                try await deliver(id)
                backoff.reset()
            } catch {
                context.hub.emit(.storageFailed(error))
                await context.wakeUps.deliver.wait(until: .now + backoff.next(using: &context.generator))
            }
            if context.logs.endDelivery(of: id) {
                context.waiters.wake(.settled(id))
                context.wakeUps.fetch.signal()
            }
        }
    }

    private nonisolated(nonsending) func deliver(_ id: ConversationID) async throws(DeviceStoreError) {
        let expected = context.logs[id]?.log.ready(limit: RecordDelivery.batch) ?? []
        var kept = await opened(expected)
        // While keys were fetched the log may have begun anew.
        let records = context.logs[id]?.log.ready(limit: expected.count) ?? []
        guard !records.isEmpty, records == expected, let old = context.logs[id] else { return }

        var entry = old
        entry.advance(by: records, own: context.device.user)
        let outcome = try context.recordKeeper.save(&kept, in: &entry)
        context.logs.replace(entry)
        context.recordKeeper.finishSending(kept, outcome.keeping)
        for message in kept where !outcome.keeping.known.contains(message.record.id) { emit(message, outcome.keeping) }
        if old.unread.count != entry.unread.count || old.preferences != entry.preferences {
            context.conversationUpdates.emit(id) { .conversationChanged($0) }
        }
        if kept.contains(where: { $0.record.expiresAt != nil }) { context.wakeUps.expiry.signal() }
        context.resending.start(outcome.resends)
        context.logs.recordUnopened(kept)
        context.receipts.markDelivered(kept.map(\.record), in: id)
    }

    /// Emits what was kept. A receipt may have overtaken one of this device's own: then it is emitted after it.
    private func emit(_ kept: KeptMessage, _ keeping: Keeping) {
        // What came too late is removed before anybody sees it.
        if let end = kept.record.expiresAt, end <= context.configuration.now() { return }
        let message = context.chatMessages.message(kept)
        context.hub.emit(kept.record.isChange ? .change(message) : .message(message))
        if let target = keeping.changed[message.id] {
            context.hub.emit(.message(context.chatMessages.message(target)))
        }
        if keeping.finished.contains(message.id), let status = message.status, status != .sent {
            context.hub.emit(.status(message.id, in: message.conversation, status))
        }
    }

    /// Opens records, each in its place. Keys without which some cannot be opened are fetched, once in a while, before
    /// those are tried again.
    nonisolated(nonsending) func opened(_ records: [MessageRecord]) async -> [KeptMessage] {
        var messages = records.map { context.opened(KeptMessage(record: $0)) }
        var users: Set<UserID> = []
        for message in messages where message.isSealed {
            let members = context.logs.members(of: message.record.conversation)
            users.formUnion(context.keyring.usersWithNewerKeys(for: message.record, among: members, now: .now))
        }
        for user in users.sorted() where context.keyring.freshness.claimGuess(user, now: .now) {
            // What cannot be had now is shown as such, and opened when it can.
            try? await context.keyExchange.fetch(of: user, timeout: .seconds(10))
        }
        guard !users.isEmpty else { return messages }
        for index in messages.indices { messages[index] = context.opened(messages[index]) }
        return messages
    }
}

extension ClientContext {
    var delivery: RecordDelivery { RecordDelivery(context: self) }
}

extension FollowedConversation {
    /// These records, which are next in the log, are delivered for good.
    ///
    /// - Parameter user: the device's own.
    fileprivate mutating func advance(by records: [MessageRecord], own user: UserID) {
        log.advance(by: records.count)
        for record in records {
            if record.sender.user == user { ownSeq = max(ownSeq, record.seq) }
            // A new message brings a conversation back.
            if record.kind == .known(.message), record.type != .known(.system) { preferences.isArchived = false }
        }
    }
}

extension MessageRecord {
    /// What was sealed, and what it is bound to.
    package func sealed() throws(OpeningError) -> (SealedMessage, MessageHeader) {
        guard let named = suite else { throw .malformed }
        let suite = try Suite(named: named.name)
        guard let content, let nonce, let type = type.value, let kind = kind.value else { throw .malformed }
        let header = MessageHeader(
            suite: suite, conversation: conversation, id: id, sender: sender, type: type, replyTo: replyTo, kind: kind,
            target: target, expiresIn: expiresIn)
        return (
            SealedMessage(suite: suite, nonce: nonce, content: content, recipientKeys: recipientKeys?.value), header
        )
    }
}
