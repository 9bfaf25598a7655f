import ParleyProtocol
import ParleyRules

/// Where a record is, and who sees it.
package struct RecordLocation: Hashable, Sendable {
    package let record: SendMessageRule.ExistingRecord
    let sender: UserID
    /// Whether it is shown to its sender alone.
    let isWithheld: Bool

    package init(record: SendMessageRule.ExistingRecord, sender: UserID, isWithheld: Bool) {
        (self.record, self.sender, self.isWithheld) = (record, sender, isWithheld)
    }

    /// Its seq; `nil` if it is in another conversation, or the user does not see it.
    package func seq(in conversation: ConversationFacts, visibleTo user: UserID) -> Int? {
        guard record.conversation == conversation.id, let member = conversation.member(user),
            record.seq > member.visibleFrom, !isWithheld || sender == user
        else { return nil }
        return record.seq
    }
}

package struct RecordWrites {
    let database: Database

    /// Appends a record to its conversation's log.
    ///
    /// - Parameter isWithheld: whether it is shown to its sender alone.
    package func insert(
        _ record: MessageRecord, conversation: ConversationKey, position: StreamPosition, digest: [UInt8],
        isWithheld: Bool = false
    ) throws(StoreError) {
        try insert([
            PendingWrites.Record(
                record: record, conversation: conversation, position: position, digest: digest, isWithheld: isWithheld)
        ])
    }

    /// Many at once: PostgreSQL reads the constraints of the table anew for each statement.
    func insert(_ writes: [PendingWrites.Record]) throws(StoreError) {
        let values = repeatElement("?", count: RecordWrites.columns.count).joined(separator: ", ")
        try database.run(writes.map(RecordWrites.row), row: "(\(values))") { rows in
            "INSERT INTO records (\(RecordWrites.columns.joined(separator: ", "))) VALUES \(rows)"
        }
    }

    private static let columns = [
        "position", "conversation", "seq", "id", "kind", "target", "sender", "sender_device", "type", "suite",
        "content", "nonce", "recipient_keys", "reply_to", "created_at", "expires_at", "digest", "system", "withheld",
        "disappears_at", "is_legacy",
    ]

    /// The values of `columns`.
    private static func row(_ write: PendingWrites.Record) -> [BoundValue] {
        let record = write.record
        let suite = (record.suite?.value).map(SuiteColumns.init)
        return [
            .integer(write.position.value), .key(write.conversation), .integer(record.seq), .id(record.id),
            .integer(record.kind.value?.columnCode), .blob(record.target?.value.bytes),
            .text(record.sender.user.text), .text(record.sender.device.text), .integer(record.type.value?.columnCode),
            .integer(suite?.bound.columnCode), .blob(record.content), .blob(record.nonce),
            .blob(record.recipientKeysJSON), .blob(record.replyTo?.value.bytes), .time(record.createdAt),
            .time(record.expiresAt), .blob(write.digest), .blob(record.systemJSON), .bool(write.isWithheld),
            .time(record.disappearsAt), .bool(suite?.isLegacy ?? false),
        ]
    }
}

package struct RecordQueries {
    let database: Database

    /// In any conversation.
    package func location(of id: MessageID) throws(StoreError) -> RecordLocation? { try locations(of: [id])[id] }

    func locations(of ids: some Collection<MessageID>) throws(StoreError) -> [MessageID: RecordLocation] {
        try database.table(ids.map { [.id($0)] }, key: "?") { ids in
            """
            SELECT r.id, c.id, r.seq, r.created_at, r.digest, r.sender, r.withheld
            FROM records r JOIN conversations c ON c.key = r.conversation WHERE r.id IN (\(ids))
            """
        } _: { row in
            let record = SendMessageRule.ExistingRecord(
                conversation: try row.uuid(1), seq: row.integer(2), createdAt: row.time(3), digest: row.bytes(4) ?? [])
            return (
                try row.uuid(0), RecordLocation(record: record, sender: try row.level(5), isWithheld: row.isTrue(6))
            )
        }
    }

    /// The record as `viewer` sees it.
    package func record(
        at seq: Int, in conversation: ConversationState, seenBy viewer: UserID
    ) throws -> MessageRecord? {
        var found: MessageRecord?
        try read(conversation, before: seq + 1, after: seq - 1, seenBy: viewer, limit: 1) { record in
            found = record
            return false
        }
        return found
    }

    /// The last `limit` records before `seq` and after `floor`, newest first, as `viewer` sees them.
    package func read(
        _ conversation: ConversationState, before seq: Int, after floor: Int, seenBy viewer: UserID, limit: Int,
        _ body: (MessageRecord) throws -> Bool
    ) throws {
        try read(conversation, after: floor, before: seq, "ORDER BY r.seq DESC", viewer, limit, body)
    }

    /// The first `limit` records after `seq`, oldest first, as `viewer` sees them.
    package func read(
        _ conversation: ConversationState, after seq: Int, seenBy viewer: UserID, limit: Int,
        _ body: (MessageRecord) throws -> Bool
    ) throws {
        try read(conversation, after: seq, before: .max, "ORDER BY r.seq", viewer, limit, body)
    }

    private func read(
        _ conversation: ConversationState, after floor: Int, before ceiling: Int, _ order: String, _ viewer: UserID,
        _ limit: Int, _ body: (MessageRecord) throws -> Bool
    ) throws {
        let end = conversation.facts.end(seenBy: viewer).lastSeq
        let (id, epoch) = (conversation.facts.id, conversation.facts.epoch)
        try database.read(
            """
            SELECT \(RecordColumn.list) FROM records r
            WHERE r.conversation = ? AND r.seq > ? AND r.seq < ? AND r.seq <= ? \(order) LIMIT ?
            """, [conversation.key, floor, ceiling, end, limit]
        ) { row in try body(MessageRecord(row, conversation: id, epoch: epoch, seenBy: viewer)) }
    }

    package func id(at seq: Int, in conversation: ConversationKey) throws(StoreError) -> MessageID? {
        try database.row("SELECT id FROM records WHERE conversation = ? AND seq = ?", [conversation.value, seq])?
            .uuid(0)
    }
}
