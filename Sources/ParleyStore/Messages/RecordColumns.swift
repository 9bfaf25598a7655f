import ParleyProtocol

/// The columns that make a record, in the order in which every query for records selects them, first in its rows.
enum RecordColumn: Int, CaseIterable {
    case id, seq, kind, target, sender, device, type, suite, content, nonce, recipientKeys, replyTo, expiresAt,
        createdAt, system, withheld, disappearsAt, isLegacy

    /// For the SELECT of a query that calls the table `r`.
    static let list = allCases.map { "r." + $0.name }.joined(separator: ", ")

    /// The number of the first column after them.
    static let end = allCases.count

    private var name: String {
        switch self {
        case .id: "id"
        case .seq: "seq"
        case .kind: "kind"
        case .target: "target"
        case .sender: "sender"
        case .device: "sender_device"
        case .type: "type"
        case .suite: "suite"
        case .content: "content"
        case .nonce: "nonce"
        case .recipientKeys: "recipient_keys"
        case .replyTo: "reply_to"
        case .expiresAt: "expires_at"
        case .createdAt: "created_at"
        case .system: "system"
        case .withheld: "withheld"
        case .disappearsAt: "disappears_at"
        case .isLegacy: "is_legacy"
        }
    }
}

extension MessageRecord {
    /// From the columns of `RecordColumn`.
    init(_ row: some ColumnReader, conversation: ConversationID, epoch: String) throws(StoreError) {
        func column(_ column: RecordColumn) -> Int { column.rawValue }
        let bound: Suite.Bound? = try row.optionalCoded(column(.suite))
        let isLegacy = row.isTrue(column(.isLegacy))
        self.init(
            id: try row.uuid(column(.id)), conversation: conversation, epoch: epoch, seq: row.integer(column(.seq)),
            kind: try row.coded(column(.kind)), target: try row.optionalUUID(column(.target)),
            sender: DeviceAddress(user: try row.level(column(.sender)), device: try row.level(column(.device))),
            type: try row.coded(column(.type)), suite: bound.map { SuiteColumns(bound: $0, isLegacy: isLegacy).suite },
            content: row.bytes(column(.content)), nonce: row.bytes(column(.nonce)),
            recipientKeys: row.bytes(column(.recipientKeys)), replyTo: try row.optionalUUID(column(.replyTo)),
            expiresAt: row.optionalTime(column(.expiresAt)), createdAt: row.time(column(.createdAt)),
            system: row.bytes(column(.system)), disappearsAt: row.optionalTime(column(.disappearsAt)))
    }

    /// The same as `viewer` sees it: what is withheld from them is there, without its ciphertext.
    init(
        _ row: some ColumnReader, conversation: ConversationID, epoch: String, seenBy viewer: UserID
    ) throws(StoreError) {
        let record = try MessageRecord(row, conversation: conversation, epoch: epoch)
        let isWithheld = row.isTrue(RecordColumn.withheld.rawValue) && record.sender.user != viewer
        self = isWithheld ? record.withoutCiphertext : record
    }
}
