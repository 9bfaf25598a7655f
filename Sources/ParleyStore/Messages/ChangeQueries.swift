import ParleyProtocol
import ParleyRules

package struct ChangeTarget: Hashable, Sendable {
    package let target: ChangeMessageRule.Target
    let conversation: ConversationID
    /// Whether it is shown to its sender alone.
    let isWithheld: Bool

    /// `nil` if it is in another conversation or withheld from the user.
    package func target(in conversation: ConversationID, seenBy user: UserID) -> ChangeMessageRule.Target? {
        self.conversation == conversation && (!isWithheld || target.sender == user) ? target : nil
    }
}

extension RecordQueries {
    package func target(_ id: MessageID) throws(StoreError) -> ChangeTarget? { try targets([id])[id] }

    /// With the number of edits and the deletion.
    func targets(_ ids: some Collection<MessageID>) throws(StoreError) -> [MessageID: ChangeTarget] {
        try database.table(ids.map { [.id($0)] }, key: "?") { ids in
            """
            SELECT r.id, c.id, r.seq, r.kind, r.type, r.sender, r.content IS NOT NULL, r.expires_at, r.disappears_at,
                r.withheld,
                (SELECT count(*) FROM records WHERE target = r.id AND kind = \(RecordKind.edit.columnCode)),
                d.id, d.seq, d.created_at
            FROM records r JOIN conversations c ON c.key = r.conversation
            LEFT JOIN records d ON d.target = r.id AND d.kind = \(RecordKind.delete.columnCode)
            WHERE r.id IN (\(ids)) ORDER BY r.id, d.seq DESC
            """
        } _: { row in
            // Of several deletions the first is the last row.
            let deletion: ChangeMessageRule.Deletion? =
                row.isNull(11)
                ? nil
                : ChangeMessageRule.Deletion(id: try row.uuid(11), seq: row.integer(12), createdAt: row.time(13))
            let target = ChangeMessageRule.Target(
                seq: row.integer(2), kind: try row.coded(3), type: try row.coded(4), sender: try row.level(5),
                hasContent: row.isTrue(6), expiresAt: row.optionalTime(7), disappearsAt: row.optionalTime(8),
                edits: row.integer(10), deletion: deletion)
            return (
                try row.uuid(0),
                ChangeTarget(target: target, conversation: try row.uuid(1), isWithheld: row.isTrue(9))
            )
        }
    }
}

extension RecordWrites {
    /// Removes the ciphertext of a message and of its edits.
    package func removeCiphertext(of message: MessageID) throws(StoreError) {
        try database.run(
            "UPDATE records SET content = NULL, nonce = NULL, recipient_keys = NULL WHERE id = ?", [message.blob])
        try database.run(
            """
            UPDATE records SET content = NULL, nonce = NULL, recipient_keys = NULL
            WHERE target = ? AND kind = ? AND content IS NOT NULL
            """, [message.blob, RecordKind.edit.columnCode])
    }
}
