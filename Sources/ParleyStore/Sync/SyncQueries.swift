import GRDB
import ParleyProtocol
import ParleyRules

/// One of a user's conversations: what decides how much of it his device has missed.
package struct SyncCandidate: Hashable, Sendable {
    package let key: ConversationKey
    package let id: ConversationID
    package let log: SyncPlan.Log
    package let updatedAt: Timestamp
    package let preferences: ConversationPreferences
}

extension Snapshot {
    /// All conversations that are the user's own, in no order.
    package func syncCandidates(of user: UserID, now: Timestamp) throws -> [SyncCandidate] {
        let search = try HotStatement(
            """
            SELECT c.key, c.id, c.epoch, c.last_seq, c.updated_at, m.visible_from,
                m.is_muted, m.muted_until, m.is_archived, m.is_marked_unread
            FROM members m JOIN conversations c ON c.key = m.conversation WHERE m.user = ? AND m.is_open = 1
            """, database)
        try search.bind(user.text, at: 1)
        defer { search.reset() }
        var candidates: [SyncCandidate] = []
        while try search.hasRow() {
            let muting: ConversationPreferences.Muting =
                if search.isTrue(6) { search.optionalTime(7).map { .until($0) } ?? .forever } else { .off }
            candidates.append(
                SyncCandidate(
                    key: ConversationKey(value: Int64(search.integer(0))), id: try search.uuid(1),
                    log: SyncPlan.Log(
                        epoch: search.text(2), lastSeq: search.integer(3), visibleFrom: search.integer(5)),
                    updatedAt: search.time(4),
                    preferences: ConversationPreferences(
                        muting: muting, isArchived: search.isTrue(8), isMarkedUnread: search.isTrue(9)
                    ).standing(at: now)))
        }
        return candidates
    }

    /// The records of a conversation after a place, oldest first, until `body` wants no more.
    package func records(
        of candidate: SyncCandidate, after seq: Int, _ body: (MessageRecord) throws -> Bool
    ) throws {
        let rows = try database.rows(
            "SELECT \(recordColumns) FROM records r WHERE r.conversation = ? AND r.seq > ? ORDER BY r.seq",
            [candidate.key.value, seq])
        while let row = try rows.next() {
            let record = try MessageRecord(row, conversation: candidate.id, epoch: candidate.log.epoch)
            guard try body(record) else { return }
        }
    }
}
