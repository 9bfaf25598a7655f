import GRDB
import ParleyProtocol
import ParleyRules

extension Snapshot {
    package func watermark(of user: UserID, in conversation: ConversationKey) throws -> WatermarkFacts? {
        let row = try database.row(
            """
            SELECT delivered_seq, delivered_at, read_seq, read_at FROM members WHERE conversation = ? AND user = ?
            """, [conversation.value, user.text])
        guard let row else { return nil }
        return WatermarkFacts(
            deliveredSeq: row[0], deliveredAt: row.optionalTime(1), readSeq: row[2], readAt: row.optionalTime(3))
    }

    /// How far all the others have come: the least of their watermarks.
    package func leastWatermark(besides user: UserID, in conversation: ConversationKey) throws -> (
        delivered: Int, read: Int
    ) {
        let row = try database.row(
            "SELECT min(delivered_seq), min(read_seq) FROM members WHERE conversation = ? AND user <> ?",
            [conversation.value, user.text])
        return (row?[0] as Int? ?? 0, row?[1] as Int? ?? 0)
    }

    /// The id of the record at a place in a log.
    package func messageID(at seq: Int, in conversation: ConversationKey) throws -> MessageID? {
        try database.row("SELECT id FROM records WHERE conversation = ? AND seq = ?", [conversation.value, seq])?.uuid(
            0)
    }
}

extension WriteTransaction {
    /// Moves watermarks; the rule that they only go forward is the caller's, the schema holds `read <= delivered`.
    package func setWatermark(_ state: WatermarkFacts, of user: UserID, in conversation: ConversationKey) throws {
        try database.run(
            """
            UPDATE members SET delivered_seq = ?, delivered_at = ?, read_seq = ?, read_at = ?
            WHERE conversation = ? AND user = ?
            """,
            [
                state.deliveredSeq, state.deliveredAt?.milliseconds, state.readSeq, state.readAt?.milliseconds,
                conversation.value, user.text,
            ])
    }
}
