/// The event on `conversations/{cid}/typing`: somebody began to write, or stopped.
public struct TypingIndicator: Hashable, Sendable {
    public let conversation: ConversationID
    public let sender: DeviceAddress
    public let isTyping: Bool
    /// When a start ends without renewal; for a stop, when it was.
    public let expiresAt: Timestamp

    public init(conversation: ConversationID, sender: DeviceAddress, isTyping: Bool, expiresAt: Timestamp) {
        self.conversation = conversation
        self.sender = sender
        self.isTyping = isTyping
        self.expiresAt = expiresAt
    }

    public func writeEvent(to writer: inout JSONWriter) {
        writer.event("typing.indicator") { writer in
            writer.object { object in
                object.member("conversation_id", conversation)
                sender.writeFields(to: &object)
                object.member("is_typing", isTyping)
                object.member("expires_at", expiresAt)
            }
        }
    }
}

extension TypingIndicator: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            conversation: try object.uuid("conversation_id").required("conversation_id"), sender: try object.address(),
            isTyping: try object.bool("is_typing").required("is_typing"),
            expiresAt: try object.timestamp("expires_at").required("expires_at"))
    }
}
