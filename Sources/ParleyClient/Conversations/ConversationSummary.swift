import ParleyProtocol

/// A conversation as a list shows it.
public struct ConversationSummary: Hashable, Sendable, Identifiable {
    public let id: ConversationID
    public let type: Named<ConversationType>
    public let name: String?
    public let members: [Member]
    public let updatedAt: Timestamp
    /// The newest message that this device has, sent or not.
    public let lastMessage: ChatMessage?
    /// Messages of others after the one up to which the user has read, deleted and disappeared ones left out:
    /// up to 1,000, which means that many or more.
    public let unreadCount: Int
    /// Up to where the user has read, on any device; 0 for nothing.
    public let lastReadSeq: Int
    /// Whether the user is a member still.
    public let isMember: Bool
    /// How the user wants it treated: muted, archived, marked as unread by hand.
    public let preferences: ConversationPreferences
    /// Not open: the other one's message request waits. The user may accept it, by an answer too; until then they see
    /// nothing of the conversation.
    public let isOpen: Bool

    /// Whether it raises no notifications at this time.
    public func isMuted(at now: Timestamp) -> Bool {
        switch preferences.muting {
        case .off: false
        case .forever: true
        case .until(let end): now < end
        }
    }

    public var isArchived: Bool { preferences.isArchived }

    /// The other one of a direct conversation.
    public func peer(of user: UserID) -> UserID? {
        type == .known(.direct) ? members.first { $0.user != user }?.user : nil
    }
}
