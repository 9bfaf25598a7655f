import ParleyProtocol

/// A conversation as a list shows it.
public struct ConversationSummary: Hashable, Sendable, Identifiable {
    public let id: ConversationID
    public let type: Named<ConversationType>
    public let name: String?
    public let members: [Member]
    public let updatedAt: Timestamp
    /// The newest message on this device, sent or not.
    public let lastMessage: ChatMessage?
    /// Unread messages of others, without deleted and expired ones; 1,000 means that many or more.
    public let unreadCount: Int
    /// The position up to which the user has read, on any device; 0 for nothing.
    public let lastReadSeq: Int
    /// Whether the user is still a member.
    public let isMember: Bool
    /// Muted, archived, marked as unread by hand.
    public let preferences: ConversationPreferences
    /// `false` while the other user's message request waits. Until the user accepts it, by an answer too, they see
    /// nothing of the conversation.
    public let isOpen: Bool

    /// Whether notifications are off at this time.
    public func isMuted(at now: Timestamp) -> Bool {
        switch preferences.muting {
        case .off: false
        case .forever: true
        case .until(let end): now < end
        }
    }

    public var isArchived: Bool { preferences.isArchived }

    /// The other member of a direct conversation.
    public func peer(of user: UserID) -> UserID? {
        type == .known(.direct) ? members.first { $0.user != user }?.user : nil
    }
}
