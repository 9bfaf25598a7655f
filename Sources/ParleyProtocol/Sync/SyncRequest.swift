/// `sync/get`: everything that the caller's conversations have after these cursors.
public struct SyncRequest: Query {
    public static let operation = Operation(validatedArea: "sync", verb: "get")
    public static let fields = "cursors: {conversation_id: {epoch, seq}}, limit?=200, cursor?"
    public static let table: TableShape? = .cursors
    public typealias Reply = SyncReply

    /// How far a device has a conversation's log.
    public struct Cursor: Hashable, Sendable {
        public let epoch: String
        public let seq: Int

        public init(epoch: String, seq: Int) {
            self.epoch = epoch
            self.seq = seq
        }
    }

    public let cursors: [ConversationID: Cursor]
    /// The most records in the reply.
    public let limit: Int
    /// `next_cursor` of the reply before, for what did not fit beside the records.
    public let cursor: String?

    public init(cursors: [ConversationID: Cursor], limit: Int = Limits.pageItems, cursor: String? = nil) {
        self.cursors = cursors
        self.limit = limit
        self.cursor = cursor
    }

    /// `"ID":{"epoch":"","seq":0},` in bytes.
    private static let shortestEntry = UUIDValue.textLength + 26

    public init(_ object: JSONObject) throws(Rejection) {
        limit = try object.integer("limit", in: 1...Limits.pageItems) ?? Limits.pageItems
        cursor = try object.text("cursor", maximum: Page.longestCursor)
        var cursors: [ConversationID: Cursor] = [:]
        cursors.reserveCapacity((object.value("cursors")?.place.count ?? 0) / SyncRequest.shortestEntry)
        let isThere = try object.forEachEntry(of: .cursors) { (id: ConversationID, value) throws(Rejection) in
            cursors[id] = Cursor(
                epoch: try value.text("epoch", maximum: Limits.epochCharacters).required("cursors.epoch"),
                seq: try value.integer("seq", in: 0...Int.max).required("cursors.seq"))
        }
        guard isThere else { throw .badRequest("cursors", "missing") }
        self.cursors = cursors
    }

    public func writeFields(to object: inout JSONWriter) {
        object.key("cursors")
        object.object { members in
            for (id, cursor) in cursors.sorted(by: { $0.key < $1.key }) {
                members.key(id)
                members.object {
                    $0.member("epoch", cursor.epoch)
                    $0.member("seq", cursor.seq)
                }
            }
        }
        object.member("limit", limit)
        if let cursor { object.member("cursor", cursor) }
    }
}
