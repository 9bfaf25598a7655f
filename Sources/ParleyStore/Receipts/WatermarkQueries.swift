import GRDB
import ParleyProtocol
import ParleyRules

// A member's watermarks are the furthest of his devices'. What the others were told of them is kept beside, because it
// is not the same: who sends no read receipts, or may not write to the other, moves his own and announces nothing.

/// What a receipt of a device's begins from.
package struct ReceiptState: Hashable, Sendable {
    package let user: WatermarkFacts
    /// Those of the device itself.
    package let device: Watermarks
    /// What the others have been told.
    package let told: Watermarks
    /// The user's setting.
    package let sendsReadReceipts: Bool
}

extension Snapshot {
    /// How far a member has come, seen from one of his devices; `nil` if the user is no member.
    package func receipts(of address: DeviceAddress, in conversation: ConversationKey) throws -> ReceiptState? {
        let row = try database.row(
            """
            SELECT m.delivered_seq, m.delivered_at, m.read_seq, m.read_at,
                coalesce(d.delivered_seq, 0), coalesce(d.read_seq, 0),
                max(m.told_delivered_seq, m.joined_seq), max(m.told_read_seq, m.joined_seq), u.send_read_receipts
            FROM members m JOIN users u ON u.id = m.user
            LEFT JOIN device_watermarks d ON d.conversation = m.conversation AND d.user = m.user AND d.device = ?
            WHERE m.conversation = ? AND m.user = ?
            """, [address.device.text, conversation.value, address.user.text])
        guard let row else { return nil }
        return ReceiptState(
            user: WatermarkFacts(
                deliveredSeq: row[0], deliveredAt: row.optionalTime(1), readSeq: row[2], readAt: row.optionalTime(3)),
            device: Watermarks(delivered: row[4], read: row[5]), told: Watermarks(delivered: row[6], read: row[7]),
            sendsReadReceipts: row[8])
    }

    /// Whether a user sends read receipts.
    package func sendsReadReceipts(_ user: UserID) throws -> Bool {
        try database.row("SELECT send_read_receipts FROM users WHERE id = ?", [user.text])?[0] ?? false
    }

    /// How far all the others have come, as far as they have told: the least of their watermarks.
    package func leastWatermark(besides user: UserID, in conversation: ConversationKey) throws -> (
        delivered: Int, read: Int
    ) {
        let row = try database.row(
            """
            SELECT min(max(told_delivered_seq, joined_seq)), min(max(told_read_seq, joined_seq)) FROM members
            WHERE conversation = ? AND user <> ?
            """, [conversation.value, user.text])
        return (row?[0] as Int? ?? 0, row?[1] as Int? ?? 0)
    }

    /// The watermarks of all members as `user` sees them: his own, and what the others have told.
    package func watermarks(
        in conversation: ConversationKey, for user: UserID
    ) throws -> [UserID: Watermarks] {
        var watermarks: [UserID: Watermarks] = [:]
        let rows = try database.rows(
            """
            SELECT user, CASE WHEN user = ?1 THEN delivered_seq ELSE max(told_delivered_seq, joined_seq) END,
                CASE WHEN user = ?1 THEN read_seq ELSE max(told_read_seq, joined_seq) END
            FROM members WHERE conversation = ?2
            """, [user.text, conversation.value])
        while let row = try rows.next() {
            watermarks[try row.level(0)] = Watermarks(delivered: row[1], read: row[2])
        }
        return watermarks
    }

    /// The id of the record at a place in a log.
    package func messageID(at seq: Int, in conversation: ConversationKey) throws -> MessageID? {
        try database.row("SELECT id FROM records WHERE conversation = ? AND seq = ?", [conversation.value, seq])?.uuid(
            0)
    }
}

extension WriteTransaction {
    /// Moves watermarks as decided; that they only go forward is the rule's, the schema holds `read <= delivered`.
    ///
    /// What is read is not marked as unread any more.
    package func advance(
        _ watermarks: AdvanceWatermark.Advance, of address: DeviceAddress, in conversation: ConversationKey
    ) throws {
        let (user, device, told) = (watermarks.user, watermarks.device, watermarks.told)
        try database.run(
            """
            INSERT INTO device_watermarks (conversation, user, device, delivered_seq, read_seq) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (conversation, user, device)
            DO UPDATE SET delivered_seq = excluded.delivered_seq, read_seq = excluded.read_seq
            """,
            [conversation.value, address.user.text, address.device.text, device.delivered, device.read])
        try database.run(
            """
            UPDATE members SET delivered_seq = ?1, delivered_at = ?2, read_seq = ?3, read_at = ?4,
                told_delivered_seq = ?5, told_read_seq = ?6,
                is_marked_unread = CASE WHEN read_seq < ?3 THEN 0 ELSE is_marked_unread END
            WHERE conversation = ?7 AND user = ?8
            """,
            [
                user.deliveredSeq, user.deliveredAt?.milliseconds, user.readSeq, user.readAt?.milliseconds,
                told.delivered, told.read, conversation.value, address.user.text,
            ])
    }
}
