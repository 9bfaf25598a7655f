/// The event on `conversations/{cid}/typing`: a user has begun to write, or stopped.
public struct TypingIndicator: AddressedEvent, GatewayObject {
    package static let names = ["typing.indicator"]
    package var topic: Topic { .conversation(conversation, .typing) }
    package var received: ReceivedEvent { .typing(self) }

    public let conversation: ConversationID
    public let sender: DeviceAddress
    public let isTyping: Bool
    /// The end of a start without renewal; for a stop, its time.
    public let expiresAt: Timestamp

    public init(conversation: ConversationID, sender: DeviceAddress, isTyping: Bool, expiresAt: Timestamp) {
        (self.conversation, self.sender, self.isTyping, self.expiresAt) = (conversation, sender, isTyping, expiresAt)
    }

    package init<Pass: FieldPass<TypingIndicator>>(fields pass: inout Pass) throws(Pass.Failure) {
        conversation = try pass.required("conversation_id", \.conversation)
        sender = try pass.part(\.sender)
        isTyping = try pass.required("is_typing", \.isTyping)
        expiresAt = try pass.required("expires_at", \.expiresAt)
    }
}
