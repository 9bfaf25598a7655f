import GRDB
import ParleyProtocol
import ParleyRules

extension Snapshot {
    /// The record that a change is to be made to; `nil` if it is not in that conversation, or withheld from the user.
    package func target(
        _ id: MessageID, in conversation: ConversationKey, seenBy user: UserID
    ) throws -> AcceptChange.Target? {
        let row = try database.row(
            """
            SELECT seq, kind, type, sender, content IS NOT NULL, expires_at, disappears_at FROM records
            WHERE id = ? AND conversation = ? AND (withheld = 0 OR sender = ?)
            """, [id.blob, conversation.value, user.text])
        guard let row else { return nil }
        let deletion = try database.row(
            "SELECT id, seq, created_at FROM records WHERE target = ? AND kind = ? ORDER BY seq LIMIT 1",
            [id.blob, RecordKind.delete.columnCode])
        return AcceptChange.Target(
            seq: row[0], kind: try row.coded(1), type: try row.coded(2), sender: try row.level(3), hasContent: row[4],
            expiresAt: row.optionalTime(5), disappearsAt: row.optionalTime(6), edits: try edits(of: id),
            deletion: try deletion.map {
                AcceptChange.Deletion(id: try $0.uuid(0), seq: $0[1], createdAt: $0.time(2))
            })
    }

    private func edits(of message: MessageID) throws -> Int {
        try database.row(
            "SELECT count(*) FROM records WHERE target = ? AND kind = ?",
            [message.blob, RecordKind.edit.columnCode])?[0] ?? 0
    }
}

extension WriteTransaction {
    /// A message was deleted: its ciphertext goes, and that of its edits.
    package func removeCiphertext(of message: MessageID) throws {
        try database.run(
            "UPDATE records SET content = NULL, nonce = NULL, recipient_keys = NULL WHERE id = ?", [message.blob])
        try database.run(
            """
            UPDATE records SET content = NULL, nonce = NULL, recipient_keys = NULL
            WHERE target = ? AND kind = ? AND content IS NOT NULL
            """, [message.blob, RecordKind.edit.columnCode])
    }
}
