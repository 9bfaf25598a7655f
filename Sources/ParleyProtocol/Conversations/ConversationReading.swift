/// The event `conversation.read`: how far the user has read a conversation, on any of their devices. It clears the
/// conversation on the others, and its mark as unread.
public struct ConversationReading: PersonalEvent, GatewayObject {
    package static let names = ["conversation.read"]
    package var received: ReceivedEvent { .conversationRead(self) }

    public let conversation: ConversationID
    /// `nil` if nothing is read.
    public let message: MessageID?
    /// Of the message; 0 if nothing is read.
    public let seq: Int
    public let unread: UnreadCount
    public let at: Timestamp

    public init(conversation: ConversationID, message: MessageID?, seq: Int, unread: UnreadCount, at: Timestamp) {
        (self.conversation, self.message, self.seq, self.unread, self.at) = (conversation, message, seq, unread, at)
    }

    package init<Pass: FieldPass<ConversationReading>>(fields pass: inout Pass) throws(Pass.Failure) {
        conversation = try pass.required("conversation_id", \.conversation)
        message = try pass.optional("last_read_message_id", \.message)
        seq = try pass.required("seq", \.seq)
        unread = try pass.required("unread_count", \.unread)
        at = try pass.required("at", \.at)
    }
}

/// The event `conversation.settings`: the user's preferences for a conversation, as set on one of their devices.
public struct ConversationSettings: PersonalEvent, GatewayObject {
    package static let names = ["conversation.settings"]
    package var received: ReceivedEvent { .conversationSettings(self) }

    public let conversation: ConversationID
    public let preferences: ConversationPreferences

    public init(conversation: ConversationID, preferences: ConversationPreferences) {
        (self.conversation, self.preferences) = (conversation, preferences)
    }

    package init<Pass: FieldPass<ConversationSettings>>(fields pass: inout Pass) throws(Pass.Failure) {
        conversation = try pass.required("conversation_id", \.conversation)
        preferences = try pass.part(\.preferences)
    }
}
