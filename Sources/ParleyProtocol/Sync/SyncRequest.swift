/// `sync/get`: the records of the caller's conversations after these cursors.
public struct SyncRequest: Query {
    public static let operation = Operation(validatedArea: "sync", verb: "get")
    public static let table: TableShape? = .cursors
    public typealias Reply = SyncReply

    /// The last record that a device has of a conversation.
    public struct Cursor: Hashable, Sendable {
        public let epoch: String
        public let seq: Int

        public init(epoch: String, seq: Int) { (self.epoch, self.seq) = (epoch, seq) }
    }

    public let cursors: [ConversationID: Cursor]
    /// The most records in the reply.
    public let limit: Int
    /// The `next_cursor` of the previous reply, for the conversations that did not fit beside the records.
    public let cursor: String?

    public init(cursors: [ConversationID: Cursor], limit: Int = Limits.pageItems, cursor: String? = nil) {
        (self.cursors, self.limit, self.cursor) = (cursors, limit, cursor)
    }

    package init<Pass: FieldPass<SyncRequest>>(fields pass: inout Pass) throws(Pass.Failure) {
        limit = try pass.required("limit", \.limit, as: .integer(1...Limits.pageItems), default: Limits.pageItems)
        cursor = try pass.optional("cursor", \.cursor, as: .text(Page.longestCursor))
        cursors = try pass.required("cursors", \.cursors, as: CursorsForm())
    }
}

private struct CursorsForm: FieldForm {
    /// `"ID":{"epoch":"","seq":0},` in bytes.
    private static let shortestEntry = UUIDValue.textLength + 26

    func read(_ name: String, of object: JSONObject) throws(Rejection) -> [ConversationID: SyncRequest.Cursor]? {
        var cursors: [ConversationID: SyncRequest.Cursor] = [:]
        cursors.reserveCapacity((object.value(name)?.place.count ?? 0) / CursorsForm.shortestEntry)
        let isThere = try object.forEachEntry(of: .cursors) { (id: ConversationID, value) throws(Rejection) in
            cursors[id] = SyncRequest.Cursor(
                epoch: try value.text("epoch", maximum: Limits.epochCharacters).required("cursors.epoch"),
                seq: try value.integer("seq", in: 0...Int.max).required("cursors.seq"))
        }
        return isThere ? cursors : nil
    }

    func write(_ value: [ConversationID: SyncRequest.Cursor], to writer: inout JSONWriter) {
        writer.object { members in
            for (id, cursor) in value.sorted(by: { $0.key < $1.key }) {
                members.key(id)
                members.object {
                    $0.member("epoch", cursor.epoch)
                    $0.member("seq", cursor.seq)
                }
            }
        }
    }

    var schema: FieldSchema {
        let cursor = FieldSchema.members(
            FieldSchema.Member("epoch", .text(0...Limits.epochCharacters)),
            FieldSchema.Member("seq", .integer(0...Int.max)))
        return FieldSchema(.table(key: ConversationID.schema, value: cursor))
    }
}
