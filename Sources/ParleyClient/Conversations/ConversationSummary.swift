import ParleyProtocol

/// A conversation as a list shows it.
public struct ConversationSummary: Hashable, Sendable, Identifiable {
    public let id: ConversationID
    public let type: Named<ConversationType>
    public let name: String?
    public let members: [ReceivedMember]
    public let updatedAt: Timestamp
    /// The newest message that this device has, sent or not.
    public let lastMessage: ChatMessage?
    /// Messages of others after the one up to which the user has read.
    public let unreadCount: Int
    /// Up to where the user has read, on any device; 0 for nothing.
    public let lastReadSeq: Int
    /// Whether the user is a member still.
    public let isMember: Bool

    /// The other one of a direct conversation.
    public func peer(of user: UserID) -> UserID? {
        type == .known(.direct) ? members.first { $0.user != user }?.user : nil
    }
}
