import ParleyProtocol

/// A record of a log for operators, without its content.
package struct TracedRecord: Hashable, Sendable {
    package let id: MessageID
    package let conversation: ConversationID
    package let key: ConversationKey
    package let sender: UserID
    package let seq: Int
    package let position: StreamPosition
    package let createdAt: Timestamp
    /// Whether it is shown to its sender alone.
    package let isWithheld: Bool
}

/// Records for operators.
package struct TracedRecordQueries {
    let database: Database

    package func record(_ id: MessageID) throws(StoreError) -> TracedRecord? {
        try database.first(
            """
            SELECT r.id, c.id, c.key, r.sender, r.seq, r.position, r.created_at, r.withheld
            FROM records r JOIN conversations c ON c.key = r.conversation WHERE r.id = ?
            """, [id.blob]
        ) { row in
            TracedRecord(
                id: try row.uuid(0), conversation: try row.uuid(1), key: ConversationKey(value: row[2]),
                sender: try row.level(3), seq: row[4], position: StreamPosition(row[5]), createdAt: row.time(6),
                isWithheld: row.isTrue(7))
        }
    }

    /// The recipients of a record with their receipts, in the order of their ids.
    package func members(for record: TracedRecord, limit: Int) throws(StoreError) -> [TracedMember] {
        guard !record.isWithheld else { return [] }
        return try database.list(
            """
            SELECT m."user", CASE WHEN m.delivered_seq >= ?1 THEN m.delivered_at END,
                CASE WHEN m.read_seq >= ?1 THEN m.read_at END
            FROM members m WHERE m.conversation = ?2 AND m."user" <> ?3 AND m.joined_seq < ?1
            ORDER BY m."user" LIMIT ?4
            """, [record.seq, record.key.value, record.sender.text, limit]
        ) { row in
            TracedMember(user: try row.level(0), deliveredAt: row.optionalTime(1), readAt: row.optionalTime(2))
        }
    }
}
