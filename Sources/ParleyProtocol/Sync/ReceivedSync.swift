/// The `data` of a reply to `sync/get`: a part of what was missed.
public struct ReceivedSync: Hashable, Sendable {
    public let conversations: [SyncedConversation]
    /// Those that were named and in which the caller is not, whether they exist or not.
    public let left: [ConversationID]
    /// Whether this was the last part.
    public let isComplete: Bool
    /// What the next part is asked for by, beside the cursors that have moved on (``SyncRequest/cursor``).
    public let nextCursor: String?

    public init(
        conversations: [SyncedConversation], left: [ConversationID], isComplete: Bool, nextCursor: String? = nil
    ) {
        self.conversations = conversations
        self.left = left
        self.isComplete = isComplete
        self.nextCursor = nextCursor
    }
}

/// How one conversation stands, and what of its log the caller had not.
public struct SyncedConversation: Hashable, Sendable {
    public let id: ConversationID
    /// Whether the cursor was of the epoch that stands. If not there are no records here: the log is to be read anew.
    public let isRecovered: Bool
    public let epoch: String
    public let lastSeq: Int
    /// By ascending seq: what follows the cursor, as far as it found room.
    public let messages: [ReceivedRecord]
    /// How far each member has come, as others may know it.
    public let watermarks: [UserID: Marks]
    public let unreadCount: Int

    /// What a member has received and seen, each up to a seq.
    public struct Marks: Hashable, Sendable {
        public let delivered: Int
        public let read: Int

        public init(delivered: Int, read: Int) {
            self.delivered = delivered
            self.read = read
        }
    }

    public init(
        id: ConversationID, isRecovered: Bool, epoch: String, lastSeq: Int, messages: [ReceivedRecord],
        watermarks: [UserID: Marks], unreadCount: Int
    ) {
        self.id = id
        self.isRecovered = isRecovered
        self.epoch = epoch
        self.lastSeq = lastSeq
        self.messages = messages
        self.watermarks = watermarks
        self.unreadCount = unreadCount
    }
}

// MARK: Reading

extension ReceivedSync: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            conversations: try object.values("conversations").required("conversations"),
            left: try object.uuids("left") ?? [], isComplete: try object.bool("complete").required("complete"),
            nextCursor: try object.text("next_cursor", maximum: Page.longestCursor))
    }
}

extension SyncedConversation: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        var watermarks: [UserID: Marks] = [:]
        for (name, marks) in try object.object("watermarks")?.objectMembers("watermarks") ?? [] {
            guard let user = UserID(name) else { throw .badRequest("watermarks", "a name is not a user id") }
            watermarks[user] = try Marks(members: marks)
        }
        self.init(
            id: try object.uuid("conversation_id").required("conversation_id"),
            isRecovered: try object.bool("recovered").required("recovered"),
            epoch: try object.text("epoch", maximum: Limits.epochCharacters).required("epoch"),
            lastSeq: try object.count("last_seq").required("last_seq"),
            messages: try object.values("messages").required("messages"), watermarks: watermarks,
            unreadCount: try object.count("unread_count").required("unread_count"))
    }
}

extension SyncedConversation.Marks: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            delivered: try object.count("delivered").required("delivered"),
            read: try object.count("read").required("read"))
    }
}
