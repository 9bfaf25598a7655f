/// What a device hears on its subscriptions, by what a client does with it, parsed once from topic and payload
/// (protocol §2, §3).
package enum ReceivedEvent: Sendable {
    case record(MessageRecord)
    case receipt(Watermark)
    case typing(TypingIndicator)
    case presence(PresenceUpdate)
    /// The user is a member of it, and it may have changed.
    case conversation(Conversation)
    /// The user is no member any more.
    case conversationRemoved(ConversationID)
    case conversationRead(ConversationReading)
    case conversationSettings(ConversationSettings)
    case messageRequest(MessageRequest)
    case friendAdded(PersonNotice)
    case friendRemoved(PersonNotice)
    case deviceRevoked(DeviceRevocation)
    case deviceAdded(DeviceAddition)
    case linkApproved(LinkApproval)
    case keysChanged(UserID)
    case groupJoined(GroupJoined)
    case groupUpdated(GroupUpdated)
    case groupDeleted(GroupDeleted)
    case push(PushNotification)
    case leaderboard(Leaderboard)
    /// An event upon which a client does not act: it is the app's.
    case other(any GatewayEvent)
    /// Nothing for a client, or an event of a later version.
    case ignored
}

extension ReceivedEvent {
    /// Reads an event as it came.
    ///
    /// - Throws: ``ReadingError``: what is no event, or lacks what its type must have, or came on a topic that belongs
    ///   to something else.
    package init(topic: Topic, payload: [UInt8]) throws(ReadingError) {
        let (name, data) = try EventTable.split(payload)
        // Most of what comes: it is not boxed.
        guard MessageRecord.names.contains(name) else {
            self = try EventTable.read(name, data, on: topic)?.received ?? .ignored
            return
        }
        let record = try MessageRecord(reading: data)
        guard record.belongs(on: topic) else { throw .misplaced(type: name) }
        self = .record(record)
    }
}
