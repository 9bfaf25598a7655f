import ParleyProtocol

/// What decisions about a conversation need to know of it.
public struct ConversationFacts: Hashable, Sendable {
    public let id: ConversationID
    public let type: ConversationType
    public let epoch: String
    /// The place of the last record; 0 before the first.
    public var lastSeq: Int
    /// When the last record was made. The next is never made earlier, whatever the clock says.
    public var updatedAt: Timestamp
    /// In the order of their ids.
    public let members: [UserID]

    public init(
        id: ConversationID, type: ConversationType, epoch: String, lastSeq: Int, updatedAt: Timestamp, members: [UserID]
    ) {
        self.id = id
        self.type = type
        self.epoch = epoch
        self.lastSeq = lastSeq
        self.updatedAt = updatedAt
        self.members = members
    }

    public func hasMember(_ user: UserID) -> Bool { members.contains(user) }

    /// This conversation, if the user may see it.
    public static func visible(
        _ conversation: ConversationFacts?, to user: UserID
    ) throws(Rejection) -> ConversationFacts {
        guard let conversation, conversation.hasMember(user) else { throw .conversationNotFound }
        return conversation
    }
}
