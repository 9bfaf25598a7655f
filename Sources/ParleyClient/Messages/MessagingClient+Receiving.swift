import Platform
import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol

// What came: opened in its place, kept, and then given out.

extension MessagingClient {
    /// How many records are opened and kept in one transaction.
    private static let batch = 64

    /// A record came live.
    func arrived(_ record: ReceivedRecord) {
        let id = record.conversation
        // It may be behind its subscription's end.
        guard let entry = known[id], entry.isFollowed else { return }
        // What waited in the broker while the gateway was put back says nothing of how things stand.
        guard entry.isPresent(record) || !entry.isPast(record.epoch) else { return }
        known[id]?.log.receive(record)
        deliverBell.ring()
        if known[id]?.log.want != nil { fetchBell.ring() }
    }

    /// Takes up what is next in each conversation's log, until there is nothing.
    func deliverLoop() async {
        var backoff = Backoff(first: .milliseconds(200), longest: .seconds(30))
        while !Task.isCancelled {
            guard let id = known.values.first(where: { !$0.log.ready(limit: 1).isEmpty })?.id else {
                waiters.wake(.delivered)
                await deliverBell.wait()
                continue
            }
            known[id]?.delivery = .underWay
            do throws(DeviceStoreError) {
                try await deliver(id)
                backoff.reset()
            } catch {
                hub.emit(.storageFailed(error))
                await deliverBell.wait(until: .now + backoff.next(using: &generator))
            }
            known[id]?.delivery = .idle
            if known[id]?.isSettled == true {
                waiters.wake(.settled(id))
                fetchBell.ring()
            }
        }
    }

    private func deliver(_ id: ConversationID) async throws(DeviceStoreError) {
        let expected = known[id]?.log.ready(limit: MessagingClient.batch) ?? []
        var kept = await opened(expected)
        // While keys were fetched the log may have begun anew.
        let records = known[id]?.log.ready(limit: expected.count) ?? []
        guard !records.isEmpty, records == expected, var entry = known[id] else { return }

        entry.log.took(kept.count)
        for record in records {
            if record.sender.user == device.user { entry.ownSeq = max(entry.ownSeq, record.seq) }
            // A new message brings a conversation back.
            if record.kind == .known(.message), record.type != .known(.system) { entry.preferences.isArchived = false }
        }
        let (keeping, resends) = try keepRecords(&kept, in: &entry)
        let isOther = known[id]?.unread.count != entry.unread.count || known[id]?.preferences != entry.preferences
        known[id]?.log = entry.log
        known[id]?.unread = entry.unread
        known[id]?.unopened = entry.unopened
        known[id]?.unopenedChanges = entry.unopenedChanges
        known[id]?.ownSeq = entry.ownSeq
        known[id]?.preferences = entry.preferences
        for message in kept where keeping.finished.contains(message.record.id) { stands(message.record) }
        for message in kept where !keeping.known.contains(message.record.id) { give(message, keeping) }
        if isOther { tell(id) { .conversationChanged($0) } }
        if kept.contains(where: { $0.record.expiresAt != nil }) { expiryBell.ring() }
        start(resends)
        noteUnopened(kept)
        markDelivered(kept.map(\.record), in: id)
    }

    /// Keeps records in their places, and in the same transaction all that follows from them: what is unread, what could not
    /// be opened, and what is asked for or answered because of that.
    func keepRecords(
        _ kept: inout [KeptMessage], in entry: inout FollowedConversation
    ) throws(DeviceStoreError) -> (keeping: Keeping, resends: [Resend]) {
        try store.write { transaction in
            let keeping = try transaction.keep(&kept, of: device, chapter: entry.chapter)
            try recount(&entry, in: transaction.facts)
            entry.noteUnopened(kept, on: device)
            try transaction.save(entry.kept(own: device.user))
            return (keeping, try resends(because: kept, in: entry, transaction))
        }
    }

    /// Gives out what was kept. A receipt may have overtaken one of this device's own: then it is told after it.
    private func give(_ kept: KeptMessage, _ keeping: Keeping) {
        // What came too late is removed before anybody sees it.
        if let end = kept.record.expiresAt, end <= configuration.now() { return }
        let message = chatMessage(kept)
        hub.emit(kept.record.isChange ? .change(message) : .message(message))
        if let target = keeping.changed[message.id] { hub.emit(.message(chatMessage(target))) }
        if keeping.finished.contains(message.id), let status = message.status, status != .sent {
            hub.emit(.status(message.id, in: message.conversation, status))
        }
    }

    /// One of this device's own messages is in the log.
    func stands(_ record: ReceivedRecord) {
        queue.remove(record.id)
        let draft = pendingChanges.draft(record.id)
        pendingChanges.remove(record.id)
        resendingEnded(draft)
        if sent[record.id] == nil { hub.emit(.status(record.id, in: record.conversation, .sent)) }
        tellLeftOut(record.id, in: record.conversation)
        sent.note(
            record.id,
            .success(
                SentMessage(id: record.id, epoch: record.epoch, seq: record.seq, createdAt: record.createdAt)))
        waiters.wake(.outcome(record.id))
    }

    // MARK: Opening

    /// Opens what can be opened with what is known now.
    func opened(_ message: KeptMessage) -> KeptMessage {
        guard message.isSealed, case .success(let content) = open(message.record) else { return message }
        return message.opened(content)
    }

    func open(_ record: ReceivedRecord) -> Result<[UInt8], OpeningFailure> {
        do throws(OpeningFailure) {
            let (message, header) = try record.sealed()
            return .success(try cipher.open(message, header, with: knownKeys(for: record)))
        } catch {
            return .failure(reason(of: error, record.sender))
        }
    }

    /// With keys that are not accepted it was not tried: that is the better reason.
    private func reason(of failure: OpeningFailure, _ sender: DeviceAddress) -> OpeningFailure {
        guard sender != device, failure == .notAuthentic || failure == .senderKeysUnknown else { return failure }
        if peers.book.isHeld(sender) { return .senderKeyChanged }
        switch peers.book.fault(of: sender) {
        case .uncertified?, .outdated?: return .senderNotCertified
        case .weakKey?, .badSignature?, .listedTwice?, .tooManyDevices?, nil: return failure
        }
    }

    private func knownKeys(for record: ReceivedRecord) -> KnownKeys {
        guard record.sender == device else { return .ofSender(peers.book.knownKeys(of: record.sender)) }
        let named = record.recipientKeys?.map(\.address)
        var keys: [DeviceAddress: [IdentityKey]] = [:]
        let members = known[record.conversation]?.members ?? []
        for address in named ?? peers.book.recipients(of: members, besides: device).sealed.map(\.device) {
            keys[address] = peers.book.knownKeys(of: address)
        }
        return .ofRecipients(keys)
    }

    /// Opens records, each in its place. Keys without which some cannot be opened are fetched, once in a while, before
    /// those are tried again.
    func opened(_ records: [ReceivedRecord]) async -> [KeptMessage] {
        var messages = records.map { opened(KeptMessage(record: $0)) }
        var users: Set<UserID> = []
        for message in messages where message.isSealed { users.formUnion(usersWithNewerKeys(for: message.record)) }
        for user in users.sorted() where freshness.mayGuess(user, now: .now) {
            // What cannot be had now is shown as such, and opened when it can.
            try? await fetchKeys(of: user, timeout: .seconds(10))
        }
        guard !users.isEmpty else { return messages }
        for index in messages.indices { messages[index] = opened(messages[index]) }
        return messages
    }

    /// Whose keys may be others than those with which a record could not be opened.
    private func usersWithNewerKeys(for record: ReceivedRecord) -> [UserID] {
        if record.sender == device {
            return known[record.conversation]?.members.filter { !peers.book.isKnown($0) } ?? []
        }
        if peers.book.knownKeys(of: record.sender).isEmpty { return [record.sender.user] }
        switch open(record) {
        case .failure(.notAuthentic), .failure(.senderNotCertified): return [record.sender.user]
        case .failure(.senderKeyChanged):
            // As of a listing that may be over by now.
            return freshness.isFresh(record.sender.user, now: .now) ? [] : [record.sender.user]
        case .success, .failure: return []
        }
    }

    func noteUnopened(_ messages: [KeptMessage]) {
        for message in messages where message.isSealed {
            let record = message.record
            unopened.note(
                UnopenedMessages.Entry(id: record.id, conversation: record.conversation, sender: record.sender))
        }
    }

    /// More is known of a user's keys: what could not be opened for want of them is tried again.
    func reopen(of user: UserID) {
        for entry in unopened.take(of: user, own: device) {
            guard let conversation = known[entry.conversation] else { continue }
            do throws(DeviceStoreError) {
                let found = try store.read { try $0.message(entry.id, in: entry.conversation) }
                guard case .whole(let stored)? = found, let kept = KeptMessage(stored) else {
                    continue
                }
                let message = opened(kept)
                var resends: [Resend] = []
                guard !message.isSealed else {
                    unopened.note(entry)
                    try store.write { resends = try self.resends(because: [message], in: conversation, $0) }
                    start(resends)
                    continue
                }
                let target = try store.write { transaction in
                    try transaction.replace(message.stored(for: device.user, as: stored.place.id))
                    resends = try self.resends(because: [message], in: conversation, transaction)
                    return message.record.isChange ? try transaction.takeUp(message, for: device.user) : nil
                }
                start(resends)
                hub.emit(message.record.isChange ? .change(chatMessage(message)) : .message(chatMessage(message)))
                if let target { hub.emit(.message(chatMessage(target))) }
            } catch {
                unopened.note(entry)
                hub.emit(.storageFailed(error))
            }
        }
    }

    // MARK: Showing

    func chatMessage(_ message: KeptMessage) -> ChatMessage {
        let record = message.record
        let changes = pendingChanges.applied(to: message.changes, of: record.id, by: device.user)
        return ChatMessage(
            id: record.id, conversation: record.conversation,
            place: ChatMessage.Place(chapter: message.chapter, epoch: record.epoch, seq: record.seq), kind: record.kind,
            target: record.target,
            sender: record.sender, type: record.type, suite: record.suite, replyTo: record.replyTo,
            expiresAt: record.expiresAt, createdAt: record.createdAt, content: content(of: message, changes),
            editedAt: changes.editedAt, reactions: changes.shownReactions, status: status(of: message),
            leftOut: message.shownLeftOut)
    }

    private func content(of message: KeptMessage, _ changes: MessageChanges) -> ChatMessage.Content {
        let record = message.record
        if message.isReplay { return .unreadable(.replayed) }
        if changes.isRemoved { return .removed }
        if let json = changes.shownContent(over: message.content) {
            return opened(json, kind: record.kind, type: record.type)
        }
        if let notice = record.system { return .system(notice) }
        guard record.content != nil else { return .removed }
        switch open(record) {
        case .success: return .unreadable(.badContent)
        case .failure(let failure): return .unreadable(failure)
        }
    }

    func opened(
        _ json: [UInt8], kind: Named<RecordKind>, type: Named<MessageType>
    ) -> ChatMessage.Content {
        do throws(OpeningFailure) {
            return .opened(try OpenedContent(kind: kind, type: type, json: json))
        } catch {
            return .unreadable(error)
        }
    }

    private func status(of message: KeptMessage) -> ChatMessage.Status? {
        guard message.record.sender.user == device.user else { return nil }
        return known[message.record.conversation]?.status(of: message, own: device.user)
    }
}

extension ReceivedRecord {
    /// What was sealed, and what it is bound to.
    package func sealed() throws(OpeningFailure) -> (SealedMessage, MessageHeader) {
        guard let named = suite else { throw .malformed }
        let suite = try Suite(named: named.name)
        guard let content, let nonce, let type = type.value, let kind = kind.value else { throw .malformed }
        let header = MessageHeader(
            suite: suite, conversation: conversation, id: id, sender: sender, type: type, replyTo: replyTo, kind: kind,
            target: target, expiresIn: expiresIn)
        return (SealedMessage(suite: suite, nonce: nonce, content: content, recipientKeys: recipientKeys), header)
    }
}
