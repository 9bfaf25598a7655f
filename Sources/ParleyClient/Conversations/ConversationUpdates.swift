import ParleyDeviceStore
import ParleyProtocol

/// Applies changes of a conversation, from lists, events and replies: saves it, subscribes and emits events.
struct ConversationUpdates {
    let outbox: Outbox, logs: ConversationLogs, signals: Signals, waiters: Waiters
    let device: DeviceAddress, gateway: GatewayAccess, disk: StoreAccess, hub: EventHub
    let chatMessages: ChatMessages, presence: PresenceWatch, fetchSignal: WakeSignal, sendSignal: WakeSignal

    private static let channels: [ConversationChannel] = [.messages, .receipts, .typing, .info, .challenges]

    // MARK: What the gateway says

    /// Merges a conversation object, unless it is a fault of the gateway.
    ///
    /// - Returns: whether it was not followed before.
    @discardableResult
    func merge(_ conversation: Conversation) -> Bool {
        let id = conversation.id
        let merge: ConversationLogs.Merge
        do throws(GatewayFaultError) {
            merge = try logs.merge(conversation)
        } catch {
            gateway.report(error)
            return false
        }
        recount(id)
        if merge.isNewlyFollowed { subscribe(to: id) }
        save(id)
        if let peer = summary(id)?.peer(of: device.user) { presence.watch(peer) }
        if let (added, removed) = merge.memberChange { hub.emit(.membersChanged(id, added: added, removed: removed)) }
        if merge.isAdded {
            emit(id) { .conversationAdded($0) }
        } else if merge.isChanged {
            emit(id) { .conversationChanged($0) }
        }
        fetchSignal.signal()
        return merge.isNewlyFollowed
    }

    /// - Throws: ``ClientError/gatewayFault(_:)``, which is reported.
    func check(_ conversation: Conversation) throws(ClientError) {
        do throws(GatewayFaultError) { try logs.check(conversation) } catch { throw gateway.report(error) }
    }

    /// The user is no member any more.
    func remove(_ id: ConversationID) {
        switch logs.remove(id) {
        case .none: return
        case .unfollowed: unsubscribe(from: id)
        case .left(let wasSeen):
            unsubscribe(from: id)
            signals.receipts.reset(id)
            save(id)
            if wasSeen { hub.emit(.conversationRemoved(id)) }
            waiters.wake(.settled(id))
        }
    }

    /// The other user's message request waits: the user may write, and gets no events of the conversation.
    func close(_ made: Conversation) {
        var entry = logs[made.id] ?? FollowedConversation(made.id)
        entry.object = made
        entry.membership = .unanswered
        logs.replace(entry)
        unsubscribe(from: made.id)
        save(made.id)
    }

    /// Preferences that the user has set on some device.
    func merge(_ settings: ConversationSettings) {
        let id = settings.conversation
        guard let entry = logs[id], entry.preferences != settings.preferences else { return }
        logs.update(id) { $0.preferences = settings.preferences }
        save(id)
        emit(id) { .conversationChanged($0) }
    }

    /// The gateway's history begins a new epoch. Stored messages stay, before the new ones.
    func begin(_ id: ConversationID, epoch: String) {
        guard logs[id] != nil else { return }
        let user = device.user
        logs.update(id) { $0.begin(epoch: epoch, own: user) }
        signals.receipts.reset(id)
        sendAgain(in: id)
        save(id)
        hub.emit(.historyReset(id))
    }

    /// Messages that were accepted and whose records have not come may be lost with the old epoch.
    private func sendAgain(in id: ConversationID) {
        for message in outbox.removeEchoes(of: id) {
            guard let item = try? disk.store.read({ try $0.queued(message) }), item.state == .pending else { continue }
            outbox.insert(item.id, in: id, position: item.position, nil)
        }
        sendSignal.signal()
    }

    // MARK: What is heard

    func subscribe(to id: ConversationID) {
        logs.follow(id)
        for channel in ConversationUpdates.channels {
            gateway.connection.subscribe(to: Topic.conversation(id, channel).name)
        }
    }

    private func unsubscribe(from id: ConversationID) {
        for channel in ConversationUpdates.channels {
            gateway.connection.unsubscribe(from: Topic.conversation(id, channel).name)
        }
    }

    // MARK: What is unread

    /// Counts the unread messages again, and saves and emits a change.
    func recount(_ id: ConversationID) {
        guard let old = logs[id] else { return }
        var entry = old
        guard (try? disk.store.read { try entry.recount(own: device.user, in: $0) }) != nil, old.unread != entry.unread
        else { return }
        logs.update(id) { $0.unread = entry.unread }
        save(id)
        if old.unread.count != entry.unread.count { emit(id) { .conversationChanged($0) } }
    }

    func markRead(_ id: ConversationID, upTo seq: Int) {
        guard var entry = logs[id], let epoch = entry.log.epoch else { return }
        let user = device.user
        let passed = try? disk.store.read { facts in
            try facts.unread(in: id, epoch: epoch, after: entry.unread.readSeq, for: user)
                - facts.unread(in: id, epoch: epoch, after: seq, for: user)
        }
        guard entry.unread.markRead(upTo: seq, passed: max(0, passed ?? 0)) else { return }
        entry.preferences.isMarkedUnread = false
        logs.replace(entry)
        recount(id)
        save(id)
        emit(id) { .conversationChanged($0) }
    }

    /// The user has read on another device.
    func merge(_ reading: ConversationReading) {
        let id = reading.conversation
        guard let entry = logs[id] else { return }
        markRead(id, upTo: reading.seq)
        let lastSeq = (entry.log.held?.upperBound ?? 1) - 1
        logs.update(id) { $0.unread.setCount(reading.unread.number, readSeq: reading.seq, lastSeq: lastSeq) }
        recount(id)
    }

    // MARK: What is kept and shown

    /// Saves a conversation. After a failure it is fetched again on the next connection.
    func save(_ id: ConversationID) {
        guard let state = logs[id]?.kept(own: device.user) else { return }
        disk.writeBestEffort { try $0.save(state) }
    }

    func emit(_ id: ConversationID, _ event: (ConversationSummary) -> ClientEvent) {
        if let summary = summary(id) { hub.emit(event(summary)) }
    }

    /// `nil` if only its id is known.
    func summary(_ id: ConversationID) -> ConversationSummary? {
        guard let entry = logs[id], let object = entry.object else { return nil }
        return ConversationSummary(
            id: id, type: object.type, name: object.name, members: object.members, updatedAt: object.updatedAt,
            lastMessage: chatMessages.newest(in: id), unreadCount: entry.unread.count,
            lastReadSeq: entry.unread.readSeq, isMember: entry.isMember, preferences: entry.preferences,
            isOpen: entry.isOpen)
    }
}

extension FollowedConversation {
    /// Counts the stored unread messages.
    ///
    /// - Parameter user: the device's own.
    mutating func recount(own user: UserID, in facts: Snapshot) throws {
        guard let epoch = log.epoch, let held = log.held else { return }
        let id = id
        try unread.recount(held: held, holdsStart: holdsStart) { seq in
            try facts.unread(in: id, epoch: epoch, after: seq, for: user)
        }
    }
}

extension Snapshot {
    /// The stored messages after a seq that count as unread.
    fileprivate func unread(
        in id: ConversationID, epoch: String, after seq: Int, for user: UserID
    ) throws -> Int {
        try unread(in: id, epoch: epoch, after: seq) { KeptMessage(payload: $0)?.counts(for: user) ?? true }
    }
}
