import ParleyProtocol
import ParleyRules

/// A member of a conversation, with the facts that decide whether they are notified.
package struct PushRecipient: Hashable, Sendable {
    package let user: UserID
    package let joinedSeq: Int
    package let readSeq: Int
    /// Whether they have accepted the conversation, which otherwise is a message request.
    package let isOpen: Bool
    package let isMuted: Bool
    /// `nil` for ever, where it is muted.
    package let mutedUntil: Timestamp?
    /// Whether they have blocked the sender; in a direct conversation, whether either has blocked the other.
    package let isBlocked: Bool
    package let quietHours: QuietHours?
    /// The IANA name of their zone.
    package let timeZone: String?
}

extension PushEventQueries {
    /// The members of a conversation but the sender, in the order of their ids.
    ///
    /// - Parameter user: the one member that is asked for; `nil` for all.
    package func recipients(
        in conversation: ConversationKey, besides sender: UserID, only user: UserID? = nil
    ) throws(StoreError) -> [PushRecipient] {
        try database.list(
            """
            SELECT m."user", m.joined_seq, m.read_seq, m.is_open, m.is_muted, m.muted_until,
                EXISTS (SELECT 1 FROM blocks b WHERE b.blocker = m."user" AND b.blocked = ?1)
                    OR c.type = 'direct' AND EXISTS (
                        SELECT 1 FROM blocks b WHERE b.blocker = ?1 AND b.blocked = m."user"),
                u.quiet_from, u.quiet_to, u.time_zone
            FROM members m JOIN users u ON u.id = m."user" JOIN conversations c ON c.key = m.conversation
            WHERE m.conversation = ?2 AND m."user" <> ?1 AND m."user" >= ?3 AND m."user" <= ?4
            ORDER BY m."user"
            """, [sender.text, conversation.value, user?.text ?? "", user?.text ?? "~"]
        ) { row in
            let (from, to): (String?, String?) = (row[7], row[8])
            return PushRecipient(
                user: try row.level(0), joinedSeq: row[1], readSeq: row[2], isOpen: row[3], isMuted: row[4],
                mutedUntil: row.optionalTime(5), isBlocked: row.isTrue(6),
                quietHours: from.flatMap { from in to.map { QuietHours(from: from, to: $0) } }, timeZone: row[9])
        }
    }

    /// The read cursors of recipients who are still members, and who have no block between them and the sender.
    package func readSeqs(_ recipients: some Collection<Recipient>) throws(StoreError) -> [Recipient: Int] {
        let keys = Set(recipients).map {
            [BoundValue.text($0.user.text), .key($0.conversation), .text($0.sender.text)]
        }
        // Where nothing is to be found is asked by a value: PostgreSQL joins NOT EXISTS with all blocks there are.
        return try database.table(keys, key: "(CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS TEXT))") { keys in
            """
            SELECT m."user", m.conversation, k.column3, m.read_seq FROM (VALUES \(keys)) AS k
            CROSS JOIN members m CROSS JOIN conversations c
            WHERE m.conversation = k.column2 AND m."user" = k.column1 AND c.key = m.conversation
                AND (SELECT 1 FROM blocks b WHERE b.blocker = k.column1 AND b.blocked = k.column3) IS NULL
                AND NOT (c.type = 'direct' AND EXISTS (
                    SELECT 1 FROM blocks b WHERE b.blocker = k.column3 AND b.blocked = k.column1))
            """
        } _: { row in
            (Recipient(user: try row.level(0), conversation: row.key(1), sender: try row.level(2)), row.integer(3))
        }
    }

    /// The messages at these positions whose ciphertext still exists.
    package func present(at positions: some Collection<StreamPosition>) throws(StoreError) -> Set<StreamPosition> {
        var found: Set<StreamPosition> = []
        try database.read(Set(positions).map { [.integer($0.value)] }, key: "?") { positions in
            "SELECT position FROM records WHERE position IN (\(positions)) AND content IS NOT NULL"
        } _: { row in
            found.insert(StreamPosition(row.integer(0)))
        }
        return found
    }

    /// The recipient of a message.
    package struct Recipient: Hashable, Sendable {
        package let user: UserID
        package let conversation: ConversationKey
        package let sender: UserID

        package init(user: UserID, conversation: ConversationKey, sender: UserID) {
            (self.user, self.conversation, self.sender) = (user, conversation, sender)
        }
    }
}
