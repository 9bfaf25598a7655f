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

/// What a device that was away has to catch up with.
package struct SyncQueries {
    let database: Database

    /// All conversations that are the user's own, in no order.
    package func candidates(of user: UserID, now: Timestamp) throws(StoreError) -> [SyncCandidate] {
        let search = try HotStatement(
            """
            SELECT c.key, c.id, c.epoch, CASE WHEN m.own_last_seq > c.last_seq THEN m.own_last_seq ELSE c.last_seq END,
                CASE WHEN m.own_updated_at > c.updated_at THEN m.own_updated_at ELSE c.updated_at END, m.visible_from,
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

    /// The records of a conversation after a place, oldest first, as `viewer` sees them, until `body` wants no more.
    package func records(
        of candidate: SyncCandidate, after seq: Int, seenBy viewer: UserID, _ body: (MessageRecord) throws -> Bool
    ) throws {
        let search = try HotStatement(
            """
            SELECT \(recordColumns) FROM records r WHERE r.conversation = ? AND r.seq > ? AND r.seq <= ? ORDER BY r.seq
            """, database)
        try search.bind(Int(candidate.key.value), at: 1)
        try search.bind(seq, at: 2)
        try search.bind(candidate.log.lastSeq, at: 3)
        defer { search.reset() }
        while try search.hasRow() {
            let record = try MessageRecord(search, conversation: candidate.id, epoch: candidate.log.epoch)
            let isWithheld = search.isTrue(15) && record.sender.user != viewer
            guard try body(isWithheld ? record.withoutCiphertext : record) else { return }
        }
    }
}

extension MessageRecord {
    /// From the columns of `recordColumns`, which stand first in the row.
    fileprivate init(_ row: HotStatement, conversation: ConversationID, epoch: String) throws(StoreError) {
        self.init(
            id: try row.uuid(0), conversation: conversation, epoch: epoch, seq: row.integer(1),
            kind: try row.coded(2), target: try row.optionalUUID(3),
            sender: DeviceAddress(user: try row.level(4), device: try row.level(5)), type: try row.coded(6),
            suite: row.isNull(7) ? nil : try row.coded(7), content: row.bytes(8), nonce: row.bytes(9),
            recipientKeys: row.bytes(10), replyTo: try row.optionalUUID(11), expiresAt: row.optionalTime(12),
            createdAt: row.time(13), system: row.bytes(14), disappearsAt: row.optionalTime(16))
    }
}
