/// The event `conversation.read`: how far the user has read a conversation, on any device of his. It clears the
/// conversation on the others, a mark of unread included.
public struct ReceivedReading: Hashable, Sendable {
    public let conversation: ConversationID
    /// `nil` for nothing.
    public let message: MessageID?
    /// Where that message stands; 0 for nothing.
    public let seq: Int
    /// `Limits.unreadCount` for that many or more.
    public let unreadCount: Int
    public let at: Timestamp

    public init(conversation: ConversationID, message: MessageID?, seq: Int, unreadCount: Int, at: Timestamp) {
        self.conversation = conversation
        self.message = message
        self.seq = seq
        self.unreadCount = unreadCount
        self.at = at
    }

    /// Writes the event as the gateway does, on `users/{uid}/events`.
    ///
    /// - Parameter isCounted: `false` leaves room for the count, to be filled in later.
    public func writeEvent(to writer: inout JSONWriter, isCounted: Bool = true) {
        writer.event("conversation.read") { writer in
            writer.object { object in
                object.member("conversation_id", conversation)
                object.member("last_read_message_id", message)
                object.member("seq", seq)
                object.writeUnreadCount(isCounted ? unreadCount : nil)
                object.member("at", at)
            }
        }
    }
}

extension ReceivedReading: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            conversation: try object.uuid("conversation_id").required("conversation_id"),
            message: try object.uuid("last_read_message_id"),
            seq: try object.count("seq").required("seq"),
            unreadCount: try object.count("unread_count").required("unread_count"),
            at: try object.timestamp("at").required("at"))
    }
}

/// The event `conversation.settings`: how the user wants a conversation treated, as he said on a device of his.
public struct ReceivedSettings: Hashable, Sendable {
    public let conversation: ConversationID
    public let preferences: ConversationPreferences

    public init(conversation: ConversationID, preferences: ConversationPreferences) {
        self.conversation = conversation
        self.preferences = preferences
    }
}

extension ReceivedSettings: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            conversation: try object.uuid("conversation_id").required("conversation_id"),
            preferences: try ConversationPreferences(members: object))
    }
}

extension ConversationPreferences: GatewayValue {
    /// What is left out is as it is where nobody has said anything.
    package init(members object: JSONObject) throws(Rejection) {
        var muting = Muting.off
        if try object.bool("is_muted") ?? false {
            muting = try object.timestamp("muted_until").map { .until($0) } ?? .forever
        }
        self.init(
            muting: muting, isArchived: try object.bool("is_archived") ?? false,
            isMarkedUnread: try object.bool("is_unread") ?? false)
    }
}
