import ParleyProtocol
import ParleyRules

/// A conversation of a user, as sync sees it.
package struct SyncCandidate: Hashable, Sendable {
    package let key: ConversationKey
    package let id: ConversationID
    package let log: SyncPlan.Log
    package let updatedAt: Timestamp
    package let preferences: ConversationPreferences
}

package struct SyncQueries {
    let database: Database

    /// The joins are in this order whatever SQLite knows of the tables.
    static let candidateQuery = """
        SELECT c.key, c.id, c.epoch, CASE WHEN m.own_last_seq > c.last_seq THEN m.own_last_seq ELSE c.last_seq END,
            CASE WHEN m.own_updated_at > c.updated_at THEN m.own_updated_at ELSE c.updated_at END, m.visible_from,
            \(preferenceColumns)
        FROM members m CROSS JOIN conversations c WHERE m."user" = ? AND m.is_open = 1 AND c.key = m.conversation
        """

    /// All conversations that are open for the user, in no order.
    package func candidates(of user: UserID, now: Timestamp) throws(StoreError) -> [SyncCandidate] {
        try database.list(SyncQueries.candidateQuery, [user.text]) { row in
            SyncCandidate(
                key: row.key(0), id: try row.uuid(1),
                log: SyncPlan.Log(epoch: row.text(2), lastSeq: row.integer(3), visibleFrom: row.integer(5)),
                updatedAt: row.time(4), preferences: ConversationPreferences(row, from: 6, now: now))
        }
    }

    /// The records of a conversation after a seq, oldest first, as `viewer` sees them, until `body` returns `false`.
    package func records(
        of candidate: SyncCandidate, after seq: Int, seenBy viewer: UserID, _ body: (MessageRecord) throws -> Bool
    ) throws {
        try database.read(
            """
            SELECT \(RecordColumn.list) FROM records r WHERE r.conversation = ? AND r.seq > ? AND r.seq <= ? ORDER BY r.seq
            """, [candidate.key, seq, candidate.log.lastSeq]
        ) { row in
            try body(MessageRecord(row, conversation: candidate.id, epoch: candidate.log.epoch, seenBy: viewer))
        }
    }
}
