import Foundation
import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@testable import ParleyStore

/// What is stored of a conversation, row by row, by none of the queries that are tested.
struct StoredState {
    struct Record: Decodable {
        let seq: Int
        let id: String
        let sender: String
        /// Whether it is a message of a person's that is still there.
        let isMessage: Int
        /// The same, if what was deleted counted too.
        let wasMessage: Int
        /// Whether it is shown to its sender alone.
        let withheld: Int

        func isShown(to user: UserID) -> Bool { withheld == 0 || sender == user.text }
    }

    struct Member: Decodable {
        let user: String
        let joined: Int
        let visibleFrom: Int
        let delivered: Int
        let read: Int
        let toldDelivered: Int
        let toldRead: Int
        let isMarked: Int

        var own: Watermarks { Watermarks(delivered: delivered, read: read) }
        var told: Watermarks { Watermarks(delivered: toldDelivered, read: toldRead) }
    }

    struct Device: Decodable {
        let user: String
        let device: String
        let delivered: Int
        let read: Int
    }

    let records: [Record]
    let members: [UserID: Member]
    let devices: [UserID: [DeviceID: Watermarks]]

    init(_ id: ConversationID, _ snapshot: Snapshot) throws {
        let key = try #require(try snapshot.conversations.conversation(id)).key.value
        func rows<Row: Decodable>(_ columns: String, of table: String, _ order: String) throws -> [Row] {
            let sql = """
                SELECT json_group_array(json_object(\(columns)))
                FROM (SELECT * FROM \(table) WHERE conversation = \(key) ORDER BY \(order))
                """
            let json = try #require(try snapshot.database.row(sql)?.bytes(0))
            return try JSONDecoder().decode([Row].self, from: Data(json))
        }
        let isMessage = "kind = 0 AND type <> 7"
        records = try rows(
            """
            'seq', seq, 'id', lower(hex(id)), 'sender', sender, 'isMessage', \(isMessage) AND content IS NOT NULL,
            'wasMessage', \(isMessage), 'withheld', withheld
            """, of: "records", "seq")
        let members: [Member] = try rows(
            """
            'user', user, 'joined', joined_seq, 'visibleFrom', visible_from, 'delivered', delivered_seq,
            'read', read_seq, 'toldDelivered', told_delivered_seq, 'toldRead', told_read_seq,
            'isMarked', is_marked_unread
            """, of: "members", "user")
        self.members = Dictionary(uniqueKeysWithValues: members.map { (UserID(validated: $0.user), $0) })
        let devices: [Device] = try rows(
            "'user', user, 'device', device, 'delivered', delivered_seq, 'read', read_seq", of: "device_watermarks",
            "user, device")
        self.devices = devices.reduce(into: [:]) { table, row in
            table[UserID(validated: row.user), default: [:]][DeviceID(validated: row.device)] = Watermarks(
                delivered: row.delivered, read: row.read)
        }
    }

    var lastSeq: Int { records.last?.seq ?? 0 }

    /// Where the log ends for somebody: nothing after it is shown to them.
    func lastSeq(for user: UserID) -> Int { records.last { $0.isShown(to: user) }?.seq ?? 0 }

    /// How many messages of others there are after a place.
    func messages(for user: UserID, after seq: Int, through last: Int = .max, deletedToo: Bool = false) -> Int {
        records.count { record in
            record.seq > seq && record.seq <= last && record.sender != user.text && record.isShown(to: user)
                && (deletedToo ? record.wasMessage : record.isMessage) == 1
        }
    }
}
