/// A request to write to the user: an item of `requests/list`, and the event `message.request`.
public struct MessageRequest: PersonalEvent, GatewayObject {
    package static let names = ["message.request"]
    package var received: ReceivedEvent { .messageRequest(self) }

    /// The future direct conversation, of which the user sees nothing else before they accept.
    public let conversation: ConversationID
    /// The user who asks.
    public let user: UserID
    public let createdAt: Timestamp
    /// The one message that they may write; `nil` if it is gone.
    public let message: MessageRecord?

    public init(conversation: ConversationID, user: UserID, createdAt: Timestamp, message: MessageRecord?) {
        (self.conversation, self.user, self.createdAt, self.message) = (conversation, user, createdAt, message)
    }

    public init(message: MessageRecord) {
        self.init(
            conversation: message.conversation, user: message.sender.user, createdAt: message.createdAt,
            message: message)
    }

    package init<Pass: FieldPass<MessageRequest>>(fields pass: inout Pass) throws(Pass.Failure) {
        conversation = try pass.required("conversation_id", \.conversation)
        user = try pass.required("user_id", \.user)
        createdAt = try pass.required("created_at", \.createdAt)
        message = try pass.optional("message", \.message, as: .object())
        try pass.check(isConsistent, or: .badRequest("message", "of another conversation or sender"))
    }

    private var isConsistent: Bool {
        message.map { $0.conversation == conversation && $0.sender.user == user } ?? true
    }

    package func write(to writer: inout JSONWriter) { writer.object { writeMembers(to: &$0) } }
}
