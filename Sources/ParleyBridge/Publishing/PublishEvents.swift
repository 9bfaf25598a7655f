import ParleyProtocol
import ParleyStore

/// Publishes events of a transaction when it is committed.
protocol EventPublishing {
    /// - Parameter unread: the number of unread messages that the payload leaves room for.
    /// - Returns: the position of the event.
    @discardableResult
    func publish(
        _ topic: Topic, retain: Bool, unread: UnreadScope?, _ payload: (inout JSONWriter) -> Void
    ) throws(StoreError) -> StreamPosition
}

extension EventPublishing {
    /// Publishes an event on its topic.
    @discardableResult
    func publish<E: AddressedEvent>(
        _ event: E, unread: UnreadScope? = nil
    ) throws(StoreError) -> StreamPosition {
        try publish(event.topic, retain: E.isRetained, unread: unread, event.writeEvent)
    }

    /// Publishes an event to one user.
    @discardableResult
    func publish<E: PersonalEvent>(
        _ event: E, to user: UserID, unread: UnreadScope? = nil
    ) throws(StoreError) -> StreamPosition {
        try publish(.user(user, E.channel), retain: E.isRetained, unread: unread, event.writeEvent)
    }

    /// Removes the retained message of a topic by an empty payload (MQTT 5, 3.3.1.3).
    func clear(_ topic: Topic) throws(StoreError) {
        try publish(topic, retain: true, unread: nil) { _ in }
    }
}

extension Batch: EventPublishing {}
extension ApplyContext: EventPublishing {}

extension Effects {
    mutating func publish<E: AddressedEvent>(
        _ event: E, _ transaction: WriteTransaction
    ) throws(StoreError) {
        try self.event(event.topic, retain: E.isRetained, transaction, event.writeEvent)
    }

    /// Publishes `info` of these conversations, without those that have ended.
    mutating func publishInfo(
        of conversations: [ConversationKey], _ transaction: WriteTransaction
    ) throws(StoreError) {
        for key in conversations {
            guard let conversation = try transaction.facts.conversations.object(key, seenBy: nil) else { continue }
            try publish(ConversationUpdated(conversation), transaction)
        }
    }

    /// The same at this cell's broker alone.
    mutating func publishInfoHere(of conversations: [ConversationKey], _ facts: Snapshot) throws(StoreError) {
        for key in conversations {
            guard let conversation = try facts.conversations.object(key, seenBy: nil) else { continue }
            publishHere(ConversationUpdated(conversation))
        }
    }
}
