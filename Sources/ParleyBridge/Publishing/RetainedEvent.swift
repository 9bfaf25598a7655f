import ParleyProtocol
import ParleyStore

/// An event that the broker retains and that follows from the database. Each is published as this, whatever changed it.
enum RetainedEvent {
    /// What friends are shown of a user from now on.
    case presence(Presence, of: UserID)
    /// A conversation, as all its members see it.
    case info(Conversation)
    /// A board of the week that runs for a group.
    case board(Leaderboard)
    /// Nobody is in the conversation any more: an empty payload takes back what was retained (MQTT 5, 3.3.1.3).
    case noInfo(ConversationID)
    /// Nobody is in the group any more: an empty payload takes back a board that was retained.
    case noBoard(GroupID, GroupChannel)

    fileprivate var topic: Topic {
        switch self {
        case .presence(_, let user): .user(user, .presence)
        case .info(let conversation): .conversation(conversation.id, .info)
        case .noInfo(let conversation): .conversation(conversation, .info)
        case .noBoard(let group, let channel): .group(group, channel)
        case .board(let board): .group(board.group, board.type.value?.channel ?? .checkIns)
        }
    }

    fileprivate func write(to writer: inout JSONWriter) {
        switch self {
        case .presence(let presence, let user): PresenceUpdate(user: user, presence).writeEvent(to: &writer)
        case .info(let conversation): conversation.writeUpdated(to: &writer)
        case .noInfo, .noBoard: break
        case .board(let board): board.writeEvent(to: &writer)
        }
    }
}

extension ApplyContext {
    func publish(_ event: RetainedEvent) throws(StoreError) {
        try publish(event.topic, retain: true) { event.write(to: &$0) }
    }
}

extension Effects {
    mutating func publish(_ retained: RetainedEvent, _ transaction: WriteTransaction) throws(StoreError) {
        try event(retained.topic, retain: true, transaction) { retained.write(to: &$0) }
    }

    /// Publishes `info` of those of the conversations that are still there.
    mutating func publishInfo(
        of conversations: [ConversationKey], _ transaction: WriteTransaction
    ) throws(StoreError) {
        for key in conversations {
            guard let conversation = try transaction.facts.conversations.object(key, seenBy: nil) else { continue }
            try publish(.info(conversation), transaction)
        }
    }
}
