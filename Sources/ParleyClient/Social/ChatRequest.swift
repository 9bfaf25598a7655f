import ParleyProtocol

/// A stranger's request to write to the user.
public struct ChatRequest: Hashable, Sendable, Identifiable {
    /// The future direct conversation, for ``MessagingClient/MessageRequests/accept(_:)`` and `decline(_:)`.
    public let conversation: ConversationID
    public let user: UserID
    public let createdAt: Timestamp
    /// The stranger's only message; `nil` if it is gone.
    public let message: ChatMessage?

    public var id: ConversationID { conversation }
}
