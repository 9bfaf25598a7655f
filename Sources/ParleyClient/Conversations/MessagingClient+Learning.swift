import ParleyDeviceStore
import ParleyProtocol

// What becomes known of a conversation: from lists, events and replies.

extension MessagingClient {
    private static let channels: [ConversationChannel] = [.messages, .receipts, .typing, .info]

    /// Takes up what the gateway says of a conversation.
    ///
    /// - Returns: whether it was not followed before.
    @discardableResult
    func learn(_ conversation: ReceivedConversation) -> Bool {
        let id = conversation.id
        let old = known[id]
        var entry = old ?? FollowedConversation(id)
        var object = conversation
        // A retained event may be older than what is known.
        if let known = entry.object, known.updatedAt > conversation.updatedAt { object = known }
        entry.object = object
        entry.isMember = true
        if let lastSeq = conversation.lastSeq {
            entry.log.learned(epoch: conversation.epoch, lastSeq: lastSeq)
        }
        if let standing = conversation.standing {
            entry.unread.counted(
                standing.unreadCount, readSeq: standing.lastReadSeq, lastSeq: conversation.lastSeq ?? 0)
        }
        let isNew = old?.isFollowed != true
        if configuration.follows == .all || entry.isFollowed { entry.isFollowed = true }
        known[id] = entry
        if isNew, entry.isFollowed { subscribe(to: id) }
        keep(id)
        if old?.object == nil || old?.isMember == false {
            tell(id) { .conversationAdded($0) }
        } else if old?.object?.hasSameFace(as: object) == false || old?.unread != entry.unread {
            tell(id) { .conversationChanged($0) }
        }
        fetchBell.ring()
        return isNew && entry.isFollowed
    }

    /// The user is no member any more.
    func removed(_ id: ConversationID) {
        guard let entry = known[id], entry.isMember else { return }
        known[id]?.isMember = false
        known[id]?.isFollowed = false
        for channel in MessagingClient.channels { connection.unsubscribe(from: Topic.conversation(id, channel).name) }
        receipts.reset(id)
        keep(id)
        hub.emit(.conversationRemoved(id))
        waiters.wake(.settled(id))
    }

    func subscribe(to id: ConversationID) {
        known[id, default: FollowedConversation(id)].isFollowed = true
        for channel in MessagingClient.channels { connection.subscribe(to: Topic.conversation(id, channel).name) }
    }

    func tell(_ id: ConversationID, _ event: (ConversationSummary) -> ClientEvent) {
        if let summary = summary(id) { hub.emit(event(summary)) }
    }

    /// Keeps what is known of a conversation. Should that fail, it is learned again on the next connection.
    func keep(_ id: ConversationID) {
        guard let state = state(of: id) else { return }
        note { try $0.save(state) }
    }

    func state(of id: ConversationID) -> ConversationState? {
        known[id].map { $0.kept(own: device.user) }
    }
}

extension ReceivedConversation {
    /// Whether a list would show both alike.
    fileprivate func hasSameFace(as other: ReceivedConversation) -> Bool {
        name == other.name && members == other.members && type == other.type
    }
}
