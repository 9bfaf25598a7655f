import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@testable import ParleyStore

/// What is stored of a conversation, row by row, by none of the queries that are tested.
struct StoredState {
    struct Record {
        let seq: Int
        let id: MessageID
        let sender: UserID
        /// Whether it is a message of a person's that is still there.
        let isMessage: Bool
        /// The same, if what was deleted counted too.
        let wasMessage: Bool
        /// Whether it is shown to its sender alone.
        let isWithheld: Bool

        func isShown(to user: UserID) -> Bool { !isWithheld || sender == user }
    }

    struct Member {
        let user: UserID
        let joined: Int
        let visibleFrom: Int
        let own: Watermarks
        let told: Watermarks
        let isMarked: Bool
    }

    let records: [Record]
    let members: [UserID: Member]
    let devices: [UserID: [DeviceID: Watermarks]]

    init(_ id: ConversationID, _ snapshot: Snapshot) throws {
        let key = try #require(try snapshot.conversations.conversation(id)).key
        func rows<Element>(
            _ columns: String, of table: String, _ order: String, _ element: (Row) throws -> Element
        ) throws -> [Element] {
            let sql = "SELECT \(columns) FROM \(table) WHERE conversation = ? ORDER BY \(order)"
            return try snapshot.database.list(sql, [key], element)
        }
        let isMessage = "kind = 0 AND type <> 7"
        records = try rows(
            """
            seq, id, sender, CASE WHEN \(isMessage) AND content IS NOT NULL THEN 1 ELSE 0 END,
            CASE WHEN \(isMessage) THEN 1 ELSE 0 END, withheld
            """, of: "records", "seq"
        ) { row in
            Record(
                seq: row[0], id: try row.uuid(1), sender: try row.level(2), isMessage: row[3], wasMessage: row[4],
                isWithheld: row[5])
        }
        let members = try rows(
            """
            "user", joined_seq, visible_from, delivered_seq, read_seq, told_delivered_seq, told_read_seq,
            is_marked_unread
            """, of: "members", #""user""#
        ) { row in
            Member(
                user: try row.level(0), joined: row[1], visibleFrom: row[2],
                own: Watermarks(delivered: row[3], read: row[4]), told: Watermarks(delivered: row[5], read: row[6]),
                isMarked: row[7])
        }
        self.members = Dictionary(uniqueKeysWithValues: members.map { ($0.user, $0) })
        let devices = try rows(
            #""user", device, delivered_seq, read_seq"#, of: "device_watermarks", #""user", device"#
        ) { row in
            (
                user: try row.level(0) as UserID, device: try row.level(1) as DeviceID,
                marks: Watermarks(delivered: row[2], read: row[3])
            )
        }
        self.devices = devices.reduce(into: [:]) { table, row in
            table[row.user, default: [:]][row.device] = row.marks
        }
    }

    var lastSeq: Int { records.last?.seq ?? 0 }

    /// Where the log ends for somebody: nothing after it is shown to them.
    func lastSeq(for user: UserID) -> Int { records.last { $0.isShown(to: user) }?.seq ?? 0 }

    /// How many messages of others there are after a place.
    func messages(for user: UserID, after seq: Int, through last: Int = .max, deletedToo: Bool = false) -> Int {
        records.count { record in
            record.seq > seq && record.seq <= last && record.sender != user && record.isShown(to: user)
                && (deletedToo ? record.wasMessage : record.isMessage)
        }
    }
}
