import ParleyProtocol

/// Somebody who asks to write to the user, and waits.
public struct ChatRequest: Hashable, Sendable, Identifiable {
    /// The direct conversation that there will be: what
    /// ``MessagingClient/MessageRequests/accept(_:)`` and its like are given.
    public let conversation: ConversationID
    /// Who asks.
    public let user: UserID
    public let createdAt: Timestamp
    /// The one message that they were allowed; `nil` if it is there no more.
    public let message: ChatMessage?

    public var id: ConversationID { conversation }
}
