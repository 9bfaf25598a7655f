/// An event on a device's subscriptions, by what a client does with it; parsed once from topic and payload (protocol
/// §2, §3).
package enum ReceivedEvent: Sendable {
    case record(MessageRecord)
    case receipt(Watermark)
    case typing(TypingIndicator)
    case presence(PresenceUpdate)
    /// The user is a member, and the conversation may have changed.
    case conversation(Conversation)
    /// The user is no longer a member.
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
    /// An event for the app alone.
    case other(any GatewayEvent)
    /// Nothing for a client, or an event of a later version.
    case ignored
}

extension ReceivedEvent {
    /// Reads an event.
    ///
    /// - Throws: ``ReadingError`` if it is no event, lacks a field, or came on a topic of something else.
    package init(topic: Topic, payload: [UInt8]) throws(ReadingError) {
        let (name, data) = try EventTable.split(payload)
        // The most frequent event, which is therefore not boxed.
        guard MessageRecord.names.contains(name) else {
            self = try EventTable.read(name, data, on: topic)?.received ?? .ignored
            return
        }
        let record = try MessageRecord(reading: data)
        guard record.belongs(on: topic) else { throw .misplaced(type: name) }
        self = .record(record)
    }
}
