/// The `data` of a reply to `sync/get`: a part of what was missed.
///
/// Ask again, with each conversation's cursor at the last record that came, until `isComplete`. How the conversations
/// stand of which no record was missing comes with the last part of the records, and by `nextCursor` as far as it found
/// no room there.
public struct ReceivedSync: Hashable, Sendable {
    public let conversations: [SyncedConversation]
    /// Those that were named and in which the caller is not, whether they exist or not.
    public let left: [ConversationID]
    /// Whether no record is left to come; there may be a `nextCursor` still.
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
    public let watermarks: [UserID: Watermarks]
    public let unreadCount: Int
    /// How the user wants it treated.
    public let preferences: ConversationPreferences
    /// The conversation itself; only where the caller's cursors did not name it.
    public let conversation: ReceivedConversation?

    public init(
        id: ConversationID, isRecovered: Bool, epoch: String, lastSeq: Int, messages: [ReceivedRecord],
        watermarks: [UserID: Watermarks], unreadCount: Int,
        preferences: ConversationPreferences = ConversationPreferences(), conversation: ReceivedConversation? = nil
    ) {
        self.id = id
        self.isRecovered = isRecovered
        self.epoch = epoch
        self.lastSeq = lastSeq
        self.messages = messages
        self.watermarks = watermarks
        self.unreadCount = unreadCount
        self.preferences = preferences
        self.conversation = conversation
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
        var watermarks: [UserID: Watermarks] = [:]
        for (name, marks) in try object.object("watermarks")?.objectMembers("watermarks") ?? [] {
            guard let user = UserID(name) else { throw .badRequest("watermarks", "a name is not a user id") }
            watermarks[user] = try Watermarks(members: marks)
        }
        self.init(
            id: try object.uuid("conversation_id").required("conversation_id"),
            isRecovered: try object.bool("recovered").required("recovered"),
            epoch: try object.text("epoch", maximum: Limits.epochCharacters).required("epoch"),
            lastSeq: try object.count("last_seq").required("last_seq"),
            messages: try object.values("messages").required("messages"), watermarks: watermarks,
            unreadCount: try object.count("unread_count").required("unread_count"),
            preferences: try ConversationPreferences(members: object),
            conversation: try object.object("conversation").map { (conversation) throws(Rejection) in
                try ReceivedConversation(members: conversation)
            })
        // Whoever asked keeps these under the id and the epoch that are named here.
        guard messages.allSatisfy({ $0.conversation == id && $0.epoch == epoch }),
            conversation.map({ $0.id == id }) ?? true
        else { throw .badRequest("conversations", "an entry holds what is another's") }
    }
}
