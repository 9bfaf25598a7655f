import ParleyProtocol
import ParleyRules

// A member's watermarks are the furthest of their devices'. The disclosed ones are stored beside them and may be less:
// a member who sends no read receipts, or may not write to the other, discloses nothing.

package struct ReceiptQueries {
    let database: Database

    /// `nil` for a reader who is no member.
    package func state(
        of reader: DeviceAddress, in conversation: ConversationID
    ) throws(StoreError) -> ReceiptState? {
        let receipt = FactKeys.Receipt(conversation: conversation, reader: reader)
        return try states([receipt])[receipt]
    }

    /// Without readers who are no members.
    func states(
        _ receipts: some Collection<FactKeys.Receipt>
    ) throws(StoreError) -> [FactKeys.Receipt: ReceiptState] {
        let keys = receipts.map { receipt in
            [BoundValue.id(receipt.conversation), .text(receipt.reader.user.text), .text(receipt.reader.device.text)]
        }
        return try database.table(keys, key: "(CAST(? AS BLOB), CAST(? AS TEXT), CAST(? AS TEXT))") { keys in
            """
            SELECT v.column1, v.column2, v.column3, m.delivered_seq, m.delivered_at, m.read_seq, m.read_at,
                coalesce(d.delivered_seq, 0), coalesce(d.read_seq, 0), m.told_delivered_seq, m.told_read_seq,
                m.joined_seq
            FROM (VALUES \(keys)) AS v
            JOIN conversations c ON c.id = v.column1
            JOIN members m ON m.conversation = c.key AND m.user = v.column2
            LEFT JOIN device_watermarks d ON d.conversation = m.conversation AND d.user = m.user
                AND d.device = v.column3
            """
        } _: { row in
            let receipt = FactKeys.Receipt(
                conversation: try row.uuid(0), reader: DeviceAddress(user: try row.level(1), device: try row.level(2)))
            let joinedSeq = row.integer(11)
            let state = ReceiptState(
                user: WatermarkFacts(
                    deliveredSeq: row.integer(3), deliveredAt: row.optionalTime(4), readSeq: row.integer(5),
                    readAt: row.optionalTime(6)),
                device: Watermarks(delivered: row.integer(7), read: row.integer(8)),
                disclosed: Watermarks(delivered: max(row.integer(9), joinedSeq), read: max(row.integer(10), joinedSeq)))
            return (receipt, state)
        }
    }

    /// The least disclosed watermarks of the others.
    package func leastWatermark(besides user: UserID, in conversation: ConversationKey) throws(StoreError) -> (
        delivered: Int, read: Int
    ) {
        let row = try database.row(
            """
            SELECT min(CASE WHEN told_delivered_seq > joined_seq THEN told_delivered_seq ELSE joined_seq END),
                min(CASE WHEN told_read_seq > joined_seq THEN told_read_seq ELSE joined_seq END)
            FROM members WHERE conversation = ? AND "user" <> ?
            """, [conversation.value, user.text])
        return (row?[0] as Int? ?? 0, row?[1] as Int? ?? 0)
    }

    /// The watermarks of all members as `user` sees them: their own, and the disclosed ones of the others.
    package func watermarks(
        in conversation: ConversationKey, for user: UserID
    ) throws(StoreError) -> [UserID: Watermarks] {
        let watermarks = try database.list(
            """
            SELECT "user",
                CASE WHEN "user" = ?1 THEN delivered_seq WHEN told_delivered_seq > joined_seq THEN told_delivered_seq
                    ELSE joined_seq END,
                CASE WHEN "user" = ?1 THEN read_seq WHEN told_read_seq > joined_seq THEN told_read_seq
                    ELSE joined_seq END
            FROM members WHERE conversation = ?2
            """, [user.text, conversation.value]
        ) { (try $0.level(0) as UserID, Watermarks(delivered: $0[1], read: $0[2])) }
        return Dictionary(uniqueKeysWithValues: watermarks)
    }
}

/// The watermarks that follow from one receipt of a device.
struct WatermarkWrite {
    let advance: ReceiptRule.Advance
    let reader: DeviceAddress
    let conversation: ConversationKey
}

package struct ReceiptWrites {
    let database: Database

    /// Removes the watermarks of a user's devices, who reads nothing there any more.
    package func removeWatermarks(of user: UserID, in conversation: ConversationKey) throws(StoreError) {
        try database.run(
            #"DELETE FROM device_watermarks WHERE conversation = ? AND "user" = ?"#, [conversation.value, user.text])
    }

    /// Writes watermarks as decided. The rule lets them only go forward; the schema holds `read <= delivered`.
    ///
    /// A conversation in which something was read is no longer marked as unread.
    func advance(_ writes: [WatermarkWrite]) throws(StoreError) {
        // Of several receipts of one device, and of one user in a conversation, the last includes the others.
        var devices: [WatermarkKey: WatermarkWrite] = [:]
        var members: [WatermarkKey: WatermarkWrite] = [:]
        for write in writes {
            let (key, reader) = (write.conversation, write.reader)
            devices[WatermarkKey(conversation: key, user: reader.user, device: reader.device)] = write
            members[WatermarkKey(conversation: key, user: reader.user, device: nil)] = write
        }
        try database.run(
            devices.values.map { write in
                let device = write.advance.device
                return [
                    .key(write.conversation), .text(write.reader.user.text), .text(write.reader.device.text),
                    .integer(device.delivered), .integer(device.read),
                ]
            }, row: "(?, ?, ?, ?, ?)"
        ) { rows in
            """
            INSERT INTO device_watermarks (conversation, "user", device, delivered_seq, read_seq) VALUES \(rows)
            ON CONFLICT (conversation, "user", device)
            DO UPDATE SET delivered_seq = excluded.delivered_seq, read_seq = excluded.read_seq
            """
        }
        try database.run(
            members.values.map { write in
                let (user, disclosed) = (write.advance.user, write.advance.disclosed)
                return [
                    .key(write.conversation), .text(write.reader.user.text), .integer(user.deliveredSeq),
                    .time(user.deliveredAt), .integer(user.readSeq), .time(user.readAt), .integer(disclosed.delivered),
                    .integer(disclosed.read),
                ]
            },
            row: """
                (CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT),
                CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT))
                """
        ) { rows in
            """
            UPDATE members SET delivered_seq = v.column3, delivered_at = v.column4, read_seq = v.column5,
                read_at = v.column6, told_delivered_seq = v.column7, told_read_seq = v.column8,
                is_marked_unread = CASE WHEN members.read_seq < v.column5 THEN 0 ELSE members.is_marked_unread END
            FROM (VALUES \(rows)) AS v WHERE members.conversation = v.column1 AND members.user = v.column2
            """
        }
    }
}

private struct WatermarkKey: Hashable {
    let conversation: ConversationKey
    let user: UserID
    let device: DeviceID?
}
