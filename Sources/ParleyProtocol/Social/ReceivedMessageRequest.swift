/// Somebody who asks to write to the user: an item of `requests/list`, and the event `message.request`.
public struct ReceivedMessageRequest: Hashable, Sendable {
    /// The direct conversation that there will be; the user sees nothing else of it before he accepts.
    public let conversation: ConversationID
    /// Who asks.
    public let user: UserID
    public let createdAt: Timestamp
    /// The one message that he was allowed; `nil` if it is there no more.
    public let message: ReceivedRecord?

    public init(conversation: ConversationID, user: UserID, createdAt: Timestamp, message: ReceivedRecord?) {
        self.conversation = conversation
        self.user = user
        self.createdAt = createdAt
        self.message = message
    }
}

extension ReceivedMessageRequest: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            conversation: try object.uuid("conversation_id").required("conversation_id"),
            user: try object.level("user_id").required("user_id"),
            createdAt: try object.timestamp("created_at").required("created_at"),
            message: try object.object("message").map { (record) throws(Rejection) in
                try ReceivedRecord(members: record)
            })
        if let message, message.conversation != conversation || message.sender.user != user {
            throw .badRequest("message", "of another conversation or sender")
        }
    }
}
