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

    package func writeEvent(to writer: inout JSONWriter) {
        writer.event("typing.indicator") { write(to: &$0) }
    }
}

extension TypingIndicator: GatewayObject {
    package init<Pass: FieldPass<TypingIndicator>>(fields pass: inout Pass) throws(Pass.Failure) {
        conversation = try pass.required("conversation_id", \.conversation)
        sender = try pass.part(\.sender)
        isTyping = try pass.required("is_typing", \.isTyping)
        expiresAt = try pass.required("expires_at", \.expiresAt)
    }
}
