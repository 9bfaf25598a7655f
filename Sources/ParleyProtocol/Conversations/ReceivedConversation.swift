/// A conversation as a device has it from an event or a reply (protocol §5).
///
/// The counterpart of ``Conversation`` and ``ConversationListing``, which the gateway writes.
public struct ReceivedConversation: Hashable, Sendable {
    public let id: ConversationID
    public let type: Named<ConversationType>
    public let name: String?
    public let createdBy: UserID
    public let createdAt: Timestamp
    public let updatedAt: Timestamp
    public let epoch: String
    /// `nil` in `conversation.updated`, which is retained and says nothing that changes with each message.
    public let lastSeq: Int?
    public let members: [ReceivedMember]
    /// What is the caller's own; only in lists.
    public let standing: Standing?

    /// What a list says of a conversation for its caller alone.
    public struct Standing: Hashable, Sendable {
        public let lastMessage: ReceivedRecord?
        public let unreadCount: Int
        public let lastReadSeq: Int
        public let preferences: ConversationPreferences

        public init(
            lastMessage: ReceivedRecord?, unreadCount: Int, lastReadSeq: Int,
            preferences: ConversationPreferences = ConversationPreferences()
        ) {
            self.lastMessage = lastMessage
            self.unreadCount = unreadCount
            self.lastReadSeq = lastReadSeq
            self.preferences = preferences
        }
    }

    public init(
        id: ConversationID, type: Named<ConversationType>, name: String?, createdBy: UserID, createdAt: Timestamp,
        updatedAt: Timestamp, epoch: String, lastSeq: Int?, members: [ReceivedMember], standing: Standing? = nil
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
        self.standing = standing
    }
}

/// A member of a conversation, as a device has it.
public struct ReceivedMember: Hashable, Sendable {
    public let user: UserID
    /// The display name.
    public let username: String
    public let role: Named<MemberRole>
    public let joinedAt: Timestamp

    public init(user: UserID, username: String, role: Named<MemberRole>, joinedAt: Timestamp) {
        self.user = user
        self.username = username
        self.role = role
        self.joinedAt = joinedAt
    }
}

/// The `data` of a reply to `conversations/list`.
public struct ConversationList: Hashable, Sendable {
    /// The last active first.
    public let conversations: [ReceivedConversation]
    /// How many there are beside those of this page too.
    public let total: Int
    public let limit: Int
    public let offset: Int

    public init(conversations: [ReceivedConversation], total: Int, limit: Int, offset: Int) {
        self.conversations = conversations
        self.total = total
        self.limit = limit
        self.offset = offset
    }
}

// MARK: Reading

extension ReceivedConversation: GatewayValue {
    /// The longest name that is read, in characters: more than a name of this version has.
    static let longestName = 1024

    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            id: try object.uuid("id").required("id"), type: try object.named("type").required("type"),
            name: try object.text("name", maximum: ReceivedConversation.longestName),
            createdBy: try object.level("created_by").required("created_by"),
            createdAt: try object.timestamp("created_at").required("created_at"),
            updatedAt: try object.timestamp("updated_at").required("updated_at"),
            epoch: try object.text("epoch", maximum: 64).required("epoch"), lastSeq: try object.count("last_seq"),
            members: try object.values("members").required("members"),
            standing: object.has("unread_count") ? try Standing(members: object) : nil)
    }
}

extension ReceivedConversation.Standing: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            lastMessage: try object.object("last_message").map { (record) throws(Rejection) in
                try ReceivedRecord(members: record)
            },
            unreadCount: try object.count("unread_count").required("unread_count"),
            lastReadSeq: try object.count("last_read_seq") ?? 0,
            preferences: try ConversationPreferences(members: object))
    }
}

extension ReceivedMember: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            user: try object.level("user_id").required("user_id"),
            username: try object.text("username", maximum: ReceivedConversation.longestName).required("username"),
            role: try object.named("role").required("role"),
            joinedAt: try object.timestamp("joined_at").required("joined_at"))
    }
}

extension ConversationList: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            conversations: try object.values("conversations").required("conversations"),
            total: try object.count("total").required("total"), limit: try object.count("limit").required("limit"),
            offset: try object.count("offset").required("offset"))
    }
}
