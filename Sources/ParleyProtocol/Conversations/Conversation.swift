public enum ConversationType: String, Sendable, CaseIterable, Codable {
    case direct, group
}

public enum MemberRole: String, Sendable, CaseIterable, Codable {
    case admin, member
}

public struct Member: GatewayObject {
    public let user: UserID
    /// The display name.
    public let username: String
    public let role: Named<MemberRole>
    public let joinedAt: Timestamp

    public init(user: UserID, username: String, role: Named<MemberRole>, joinedAt: Timestamp) {
        (self.user, self.username, self.role, self.joinedAt) = (user, username, role, joinedAt)
    }

    @inline(__always)
    package init<Pass: FieldPass<Member>>(fields pass: inout Pass) throws(Pass.Failure) {
        user = try pass.required("user_id", \.user)
        username = try pass.required("username", \.username, as: .name)
        role = try pass.required("role", \.role)
        joinedAt = try pass.required("joined_at", \.joinedAt)
    }
}

/// The conversation object of protocol §5.
public struct Conversation: GatewayObject {
    public let id: ConversationID
    public let type: Named<ConversationType>
    public let name: String?
    public let createdBy: UserID
    public let createdAt: Timestamp
    public let updatedAt: Timestamp
    public let epoch: String
    /// `nil` in `conversation.updated`, which is retained and does not follow each message.
    public private(set) var lastSeq: Int?
    public let members: [Member]
    /// Only in lists.
    public package(set) var listEntry: ListEntry?

    /// The part of a list's entry that is its caller's own.
    public struct ListEntry: GatewayObject {
        public let lastMessage: MessageRecord?
        public let unread: UnreadCount
        public let lastReadSeq: Int
        public let preferences: ConversationPreferences

        public init(
            lastMessage: MessageRecord?, unread: UnreadCount, lastReadSeq: Int,
            preferences: ConversationPreferences = ConversationPreferences()
        ) {
            self.lastMessage = lastMessage
            self.unread = unread
            self.lastReadSeq = lastReadSeq
            self.preferences = preferences
        }

        @inline(__always)
        package init<Pass: FieldPass<Self>>(fields pass: inout Pass) throws(Pass.Failure) {
            lastMessage = try pass.optional("last_message", \.lastMessage, as: .object())
            unread = try pass.required("unread_count", \.unread)
            lastReadSeq = try pass.required("last_read_seq", \.lastReadSeq, default: 0)
            preferences = try pass.part(\.preferences)
        }
    }

    public init(
        id: ConversationID, type: Named<ConversationType>, name: String?, createdBy: UserID, createdAt: Timestamp,
        updatedAt: Timestamp, epoch: String, lastSeq: Int?, members: [Member], listEntry: ListEntry? = nil
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
        self.listEntry = listEntry
    }

    @inline(__always)
    package init<Pass: FieldPass<Conversation>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        type = try pass.required("type", \.type)
        name = try pass.optional("name", \.name, as: .name)
        createdBy = try pass.required("created_by", \.createdBy)
        createdAt = try pass.required("created_at", \.createdAt)
        updatedAt = try pass.required("updated_at", \.updatedAt)
        epoch = try pass.required("epoch", \.epoch, as: .epoch)
        lastSeq = try pass.optional("last_seq", \.lastSeq, without: .omitted)
        members = try pass.required("members", \.members, as: .objects())
        listEntry = try pass.part(\.listEntry, shownBy: "unread_count")
    }

    package func write(to writer: inout JSONWriter) { writer.object { writeMembers(to: &$0) } }

    /// Without the counters that change with each message.
    package var withoutCounters: Conversation {
        var conversation = self
        conversation.lastSeq = nil
        return conversation
    }

    /// Without its reader's own part.
    package var withoutListEntry: Conversation {
        var conversation = self
        conversation.listEntry = nil
        return conversation
    }
}

/// The number of messages in a conversation that its reader has not read.
public enum UnreadCount: Hashable, Sendable {
    /// `Limits.unreadCount` stands for that many or more.
    case counted(Int)
    /// The gateway leaves room for the number and counts when it has written the rest. A device never has it.
    case countedLater

    /// 0 for `countedLater`.
    public var number: Int {
        switch self {
        case .counted(let number): number
        case .countedLater: 0
        }
    }
}

extension UnreadCount: JSONReadable {
    public func write(to writer: inout JSONWriter) {
        switch self {
        case .counted(let number): number.write(to: &writer)
        case .countedLater: writer.room(upTo: Limits.unreadCount)
        }
    }

    public static func read(_ name: String, of object: JSONObject) throws(Rejection) -> UnreadCount? {
        try Int.read(name, of: object).map { .counted($0) }
    }

    public static var schema: FieldSchema { Int.schema }
}

/// The `data` of a reply to `conversations/list`: a page of the caller's conversations, the last active first.
public struct ConversationList: GatewayObject {
    package let items: ReadyMadeList<Conversation>
    /// Over all pages.
    public let total: Int
    public let limit: Int
    public let offset: Int

    public var conversations: [Conversation] { items.values }

    package init(_ items: ReadyMadeList<Conversation>, total: Int, limit: Int, offset: Int) {
        (self.items, self.total, self.limit, self.offset) = (items, total, limit, offset)
    }

    @inline(__always)
    package init<Pass: FieldPass<ConversationList>>(fields pass: inout Pass) throws(Pass.Failure) {
        items = try pass.required("conversations", \.items, as: .readyMadeList())
        total = try pass.required("total", \.total)
        limit = try pass.required("limit", \.limit)
        offset = try pass.required("offset", \.offset)
    }
}
