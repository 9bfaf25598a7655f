/// The `data` of a reply to `sync/get`: a part of what was missed.
///
/// Ask again, with each conversation's cursor at the last record that came, until `isComplete`. Conversations of which
/// no record was missing come with the last part of the records, and by `nextCursor` as far as there was no room for
/// them.
public struct SyncReply: GatewayObject {
    package let entries: ReadyMadeList<SyncedConversation>
    /// Those that were named and in which the caller is not, whether they exist or not.
    public let left: [ConversationID]
    /// Whether no record is left to come; there may be a `nextCursor` still.
    public let isComplete: Bool
    /// What the next part is asked for by, beside the cursors that have moved on (``SyncRequest/cursor``).
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

/// The state of one conversation, and what of its log the caller had not.
public struct SyncedConversation: GatewayObject {
    public let id: ConversationID
    /// Whether the cursor was of the present epoch. If not there are no records here: the log is to be read anew.
    public let isRecovered: Bool
    public let epoch: String
    /// The place of the last record there is, in this reply or not.
    public let lastSeq: Int
    package var records: ReadyMadeList<MessageRecord>
    /// Of every member, as far as they are disclosed to the caller.
    public let watermarks: [UserID: Watermarks]
    public let unreadCount: Int
    public let preferences: ConversationPreferences
    /// The conversation itself; only where the caller's cursors did not name it.
    public let conversation: Conversation?

    /// By ascending seq: what follows the cursor, as far as there was room.
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
