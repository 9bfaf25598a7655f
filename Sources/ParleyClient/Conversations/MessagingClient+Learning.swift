import ParleyDeviceStore
import ParleyProtocol

// What becomes known of a conversation: from lists, events and replies.

extension MessagingClient {
    private static let channels: [ConversationChannel] = [.messages, .receipts, .typing, .info]

    /// So many faults of a gateway are told at most.
    private static let mostToldFaults = 1000
    /// So many conversations are known at most.
    static let mostConversations = 20_000

    /// Says that the gateway has said what cannot be so, once.
    func tell(_ fault: GatewayFault) {
        guard toldFaults.count < MessagingClient.mostToldFaults, toldFaults.insert(fault).inserted else { return }
        hub.emit(.gatewayFault(fault))
    }

    /// Takes up what the gateway says of a conversation, if it can be so: whoever is sealed for is a member by this alone.
    ///
    /// - Returns: whether it was not followed before.
    @discardableResult
    func learn(_ conversation: ReceivedConversation) -> Bool {
        let id = conversation.id
        let old = known[id]
        if let fault = conversation.fault(for: device.user, known: old?.object) {
            tell(fault)
            return false
        }
        guard old != nil || known.count < MessagingClient.mostConversations else {
            tell(.tooManyConversations)
            return false
        }
        var entry = old ?? FollowedConversation(id)
        var object = conversation
        // A retained event may be older than what is known.
        if let known = entry.object, known.updatedAt > conversation.updatedAt { object = known }
        entry.object = object
        entry.join(following: configuration.follows == .all)
        if let lastSeq = conversation.lastSeq {
            entry.log.learned(epoch: conversation.epoch, lastSeq: lastSeq)
        } else if let epoch = entry.log.epoch, epoch != conversation.epoch, !entry.isPast(conversation.epoch) {
            // A retained event of a gateway that was put back: history says which epoch stands.
            entry.log.doubt()
        }
        if let standing = conversation.standing {
            entry.unread.counted(
                standing.unreadCount, readSeq: standing.lastReadSeq, lastSeq: conversation.lastSeq ?? 0)
            entry.preferences = standing.preferences
        }
        let isNew = old?.isFollowed != true
        known[id] = entry
        recount(id)
        if isNew, entry.isFollowed { subscribe(to: id) }
        keep(id)
        if let peer = summary(id)?.peer(of: device.user) { watch(peer) }
        tellMembers(of: object, since: old?.object)
        if old?.object == nil || old?.isMember == false || old?.isOpen == false {
            tell(id) { .conversationAdded($0) }
        } else if old?.object?.hasSameFace(as: object) == false || old?.unread.count != entry.unread.count
            || old?.preferences != entry.preferences
        {
            tell(id) { .conversationChanged($0) }
        }
        fetchBell.ring()
        return isNew && entry.isFollowed
    }

    /// Of the members of a group nothing can be proved: whoever comes and goes is named before anything is sealed for them.
    private func tellMembers(of conversation: ReceivedConversation, since old: ReceivedConversation?) {
        guard let old else { return }
        let (before, now) = (Set(old.members.map(\.user)), Set(conversation.members.map(\.user)))
        guard before != now else { return }
        hub.emit(
            .membersChanged(
                conversation.id, added: now.subtracting(before).sorted(), removed: before.subtracting(now).sorted()))
    }

    /// The user is no member any more.
    func removed(_ id: ConversationID) {
        guard let entry = known[id], entry.isMember || entry.isFollowed else { return }
        known[id]?.membership.leave()
        unsubscribe(from: id)
        // It was only asked for once more.
        guard entry.isMember else { return }
        receipts.reset(id)
        keep(id)
        if entry.object != nil { hub.emit(.conversationRemoved(id)) }
        waiters.wake(.settled(id))
    }

    func subscribe(to id: ConversationID) {
        known[id, default: FollowedConversation(id)].membership.follow()
        for channel in MessagingClient.channels { connection.subscribe(to: Topic.conversation(id, channel).name) }
    }

    func unsubscribe(from id: ConversationID) {
        for channel in MessagingClient.channels { connection.unsubscribe(from: Topic.conversation(id, channel).name) }
    }

    /// How the user wants it treated, as he said somewhere.
    func learn(_ settings: ReceivedSettings) {
        guard let entry = known[settings.conversation], entry.preferences != settings.preferences else { return }
        known[settings.conversation]?.preferences = settings.preferences
        keep(settings.conversation)
        tell(settings.conversation) { .conversationChanged($0) }
    }

    /// The user has read on some device of his.
    func learn(_ reading: ReceivedReading) {
        guard let entry = known[reading.conversation] else { return }
        wasRead(reading.conversation, upTo: reading.seq)
        let lastSeq = (entry.log.held?.upperBound ?? 1) - 1
        known[reading.conversation]?.unread.counted(reading.unreadCount, readSeq: reading.seq, lastSeq: lastSeq)
        recount(reading.conversation)
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
