public enum ConversationType: String, Sendable, CaseIterable, Codable {
    case direct, group
}

public enum MemberRole: String, Sendable, CaseIterable, Codable {
    case admin, member
}

/// A member of a conversation.
public struct Member: Hashable, Sendable {
    public let user: UserID
    /// The display name.
    public let username: String
    public let role: MemberRole
    public let joinedAt: Timestamp

    public init(user: UserID, username: String, role: MemberRole, joinedAt: Timestamp) {
        self.user = user
        self.username = username
        self.role = role
        self.joinedAt = joinedAt
    }
}

/// The conversation object of protocol §5, the same for every member.
public struct Conversation: Hashable, Sendable {
    public let id: ConversationID
    public let type: ConversationType
    public let name: String?
    public let createdBy: UserID
    public let createdAt: Timestamp
    public let updatedAt: Timestamp
    public let epoch: String
    public let lastSeq: Int
    public let members: [Member]

    public init(
        id: ConversationID, type: ConversationType, name: String?, createdBy: UserID, createdAt: Timestamp,
        updatedAt: Timestamp, epoch: String, lastSeq: Int, members: [Member]
    ) {
        self.id = id
        self.type = type
        self.name = name
        self.createdBy = createdBy
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.epoch = epoch
        self.lastSeq = lastSeq
        self.members = members
    }

    /// With its counter, `last_seq`, in replies and `conversation.created`; without in the retained info.
    public func write(to writer: inout JSONWriter, withCounters: Bool = true) {
        writer.object { writeFields(to: &$0, withCounters: withCounters) }
    }

    fileprivate func writeFields(to object: inout JSONWriter, withCounters: Bool) {
        object.member("id", id)
        object.member("type", type.rawValue)
        object.member("name", name)
        object.member("created_by", createdBy)
        object.member("created_at", createdAt)
        object.member("updated_at", updatedAt)
        object.member("epoch", epoch)
        if withCounters { object.member("last_seq", lastSeq) }
        object.member("members", array: members) { writer, member in
            writer.object {
                $0.member("user_id", member.user)
                $0.member("username", member.username)
                $0.member("role", member.role.rawValue)
                $0.member("joined_at", member.joinedAt)
            }
        }
    }

    /// The event on `users/{uid}/events`.
    public func writeCreated(to writer: inout JSONWriter) {
        writer.event("conversation.created") { write(to: &$0) }
    }

    /// The event on `users/{uid}/events` of who is no member any more.
    public static func writeRemoved(_ id: ConversationID, to writer: inout JSONWriter) {
        writer.event("conversation.removed") { writer in
            writer.object { $0.member("conversation_id", id) }
        }
    }

    /// The retained event on `conversations/{cid}/info`.
    public func writeUpdated(to writer: inout JSONWriter) {
        writer.event("conversation.updated") { write(to: &$0, withCounters: false) }
    }
}

/// One row of `conversations/list`, as its caller sees it.
public struct ConversationListing: Hashable, Sendable {
    public let conversation: Conversation
    public let lastMessage: MessageRecord?
    /// `Limits.unreadCount` for that many or more.
    public let unreadCount: Int
    public let lastReadSeq: Int
    public let preferences: ConversationPreferences

    public init(
        conversation: Conversation, lastMessage: MessageRecord?, unreadCount: Int, lastReadSeq: Int,
        preferences: ConversationPreferences = ConversationPreferences()
    ) {
        self.conversation = conversation
        self.lastMessage = lastMessage
        self.unreadCount = unreadCount
        self.lastReadSeq = lastReadSeq
        self.preferences = preferences
    }

    /// The conversation with what is its caller's own.
    ///
    /// - Parameter isCounted: `false` leaves room for the number of unread messages, to be filled in later.
    public func write(to writer: inout JSONWriter, isCounted: Bool = true) {
        writer.object { object in
            conversation.writeFields(to: &object, withCounters: true)
            object.key("last_message")
            if let lastMessage { lastMessage.write(to: &object) } else { object.null() }
            object.writeUnreadCount(isCounted ? unreadCount : nil)
            object.member("last_read_seq", lastReadSeq)
            preferences.writeFields(to: &object)
        }
    }
}

extension JSONWriter {
    /// - Parameter count: `nil` leaves room for it.
    mutating func writeUnreadCount(_ count: Int?) {
        guard let count else { return memberWithRoom("unread_count", upTo: Limits.unreadCount) }
        member("unread_count", count)
    }
}
