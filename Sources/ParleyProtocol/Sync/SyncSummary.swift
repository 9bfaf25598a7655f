/// What `sync/get` says of one conversation beside its records.
public struct SyncSummary: Hashable, Sendable {
    public let conversation: ConversationID
    /// Whether the log goes on from the caller's cursor; `false` where its epoch is another.
    public let isRecovered: Bool
    public let epoch: String
    /// The place of the last record there is, in this reply or not.
    public let lastSeq: Int
    /// Of every member, as far as the caller is told.
    public let watermarks: [UserID: Watermarks]
    public let unreadCount: Int
    public let preferences: ConversationPreferences

    public init(
        conversation: ConversationID, isRecovered: Bool, epoch: String, lastSeq: Int,
        watermarks: [UserID: Watermarks], unreadCount: Int, preferences: ConversationPreferences
    ) {
        self.conversation = conversation
        self.isRecovered = isRecovered
        self.epoch = epoch
        self.lastSeq = lastSeq
        self.watermarks = watermarks
        self.unreadCount = unreadCount
        self.preferences = preferences
    }

    /// Writes the conversation as an element of the reply.
    ///
    /// - Parameters:
    ///   - messages: records that are JSON already, comma between them.
    ///   - object: the conversation itself, for a caller to whom it is new.
    public func write(
        messages: some Collection<UInt8>, object conversationObject: Conversation?, to writer: inout JSONWriter
    ) {
        writer.object { object in
            object.member("conversation_id", conversation)
            object.member("recovered", isRecovered)
            object.member("epoch", epoch)
            object.member("last_seq", lastSeq)
            object.member("messages", elements: messages)
            object.member("watermarks") { table in
                for (user, places) in watermarks.sorted(by: { $0.key < $1.key }) {
                    table.key(user)
                    places.write(to: &table)
                }
            }
            object.member("unread_count", unreadCount)
            preferences.writeFields(to: &object)
            if let conversationObject {
                object.key("conversation")
                conversationObject.write(to: &object)
            }
        }
    }
}
