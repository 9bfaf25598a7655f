/// The `data` of a reply to `sync/get`: a part of the missed records.
///
/// Ask again, with each conversation's cursor at its last received record, until `isComplete`. Conversations without a
/// missing record come with the last part of the records, and through `nextCursor` if there is no room for them.
public struct SyncReply: GatewayObject {
    package let entries: ReadyMadeList<SyncedConversation>
    /// The named conversations in which the caller is not a member, whether they exist or not.
    public let left: [ConversationID]
    /// Whether there are no more records; there may still be a `nextCursor`.
    public let isComplete: Bool
    /// The cursor of the next part, beside the advanced cursors of the conversations (``SyncRequest/cursor``).
    public let nextCursor: String?

    public var conversations: [SyncedConversation] { entries.values }

    package init(
        _ entries: ReadyMadeList<SyncedConversation>, left: [ConversationID], isComplete: Bool,
        nextCursor: String? = nil
    ) {
        (self.entries, self.left, self.isComplete, self.nextCursor) = (entries, left, isComplete, nextCursor)
    }

    package init<Pass: FieldPass<SyncReply>>(fields pass: inout Pass) throws(Pass.Failure) {
        entries = try pass.required("conversations", \.entries, as: .readyMadeList())
        left = try pass.required("left", \.left, as: .uuids(), default: [])
        isComplete = try pass.required("complete", \.isComplete)
        nextCursor = try pass.optional("next_cursor", \.nextCursor, as: .text(Page.longestCursor))
    }
}

/// The state of one conversation, and the records after the caller's cursor.
public struct SyncedConversation: GatewayObject {
    public let id: ConversationID
    /// Whether the cursor is of the current epoch. Otherwise there are no records here, and the log must be read anew.
    public let isRecovered: Bool
    public let epoch: String
    /// Of the log's last record, in this reply or not.
    public let lastSeq: Int
    package var records: ReadyMadeList<MessageRecord>
    /// Of every member, as far as disclosed to the caller.
    public let watermarks: [UserID: Watermarks]
    public let unreadCount: Int
    public let preferences: ConversationPreferences
    /// Only of a conversation that the caller's cursors did not name.
    public let conversation: Conversation?

    /// By ascending seq: the records after the cursor for which there was room.
    public var messages: [MessageRecord] { records.values }

    package init(
        id: ConversationID, isRecovered: Bool, epoch: String, lastSeq: Int, records: ReadyMadeList<MessageRecord>,
        watermarks: [UserID: Watermarks], unreadCount: Int,
        preferences: ConversationPreferences = ConversationPreferences(), conversation: Conversation? = nil
    ) {
        self.id = id
        self.isRecovered = isRecovered
        self.epoch = epoch
        self.lastSeq = lastSeq
        self.records = records
        self.watermarks = watermarks
        self.unreadCount = unreadCount
        self.preferences = preferences
        self.conversation = conversation
    }

    package init<Pass: FieldPass<SyncedConversation>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("conversation_id", \.id)
        isRecovered = try pass.required("recovered", \.isRecovered)
        epoch = try pass.required("epoch", \.epoch, as: .epoch)
        lastSeq = try pass.required("last_seq", \.lastSeq)
        records = try pass.required("messages", \.records, as: .readyMadeList())
        watermarks = try pass.required("watermarks", \.watermarks, as: .byUser(.object()), default: [:])
        unreadCount = try pass.required("unread_count", \.unreadCount)
        preferences = try pass.part(\.preferences)
        conversation = try pass.optional("conversation", \.conversation, as: .object(), without: .omitted)
        // A device stores these under the id and the epoch of this entry.
        try pass.check(isConsistent, or: .badRequest("conversations", "an entry holds what is another's"))
    }

    private var isConsistent: Bool {
        messages.allSatisfy { $0.conversation == id && $0.epoch == epoch } && conversation.map { $0.id == id } ?? true
    }

    package func write(to writer: inout JSONWriter) { writer.object { writeMembers(to: &$0) } }
}
