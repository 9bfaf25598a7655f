import Foundation
import GRDB
import ParleyProtocol
import ParleyRules

extension WriteTransaction {
    /// Appends a record to its conversation's log.
    package func insert(_ record: MessageRecord, conversation: ConversationKey, position: Int, digest: [UInt8]) throws {
        try database.run(
            """
            INSERT INTO records (position, conversation, seq, id, kind, target, sender, sender_device, type, suite,
                content, nonce, recipient_keys, reply_to, created_at, expires_at, digest)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                position, conversation.value, record.seq, record.id.blob, record.kind.columnCode, record.target?.blob,
                record.sender.user.text, record.sender.device.text, record.type.columnCode, record.suite?.columnCode,
                record.content.map { Data($0) }, record.nonce.map { Data($0) },
                record.recipientKeys.map { Data($0) }, record.replyTo?.blob, record.createdAt.milliseconds,
                record.expiresAt?.milliseconds, Data(digest),
            ])
    }
}

extension Snapshot {
    /// The record with this id, in whichever conversation.
    package func identity(of id: MessageID) throws -> AcceptMessage.ExistingRecord? {
        let row = try database.row(
            """
            SELECT c.id, r.seq, r.created_at, r.digest FROM records r JOIN conversations c ON c.key = r.conversation
            WHERE r.id = ?
            """, [id.blob])
        guard let row else { return nil }
        return AcceptMessage.ExistingRecord(
            conversation: try row.uuid(0), seq: row[1], createdAt: row.time(2), digest: row.bytes(3) ?? [])
    }

    /// Where in a conversation's log a record stands; `nil` if it is not in that conversation.
    package func seq(of id: MessageID, in conversation: ConversationKey) throws -> Int? {
        try database.row("SELECT seq FROM records WHERE id = ? AND conversation = ?", [id.blob, conversation.value])?[0]
    }

    /// The last `limit` records before `seq`, newest first.
    package func records(
        _ conversation: ConversationState, before seq: Int, limit: Int, _ body: (MessageRecord) throws -> Bool
    ) throws {
        try records(conversation, "r.seq < ? ORDER BY r.seq DESC", seq, limit, body)
    }

    /// The first `limit` records after `seq`, oldest first.
    package func records(
        _ conversation: ConversationState, after seq: Int, limit: Int, _ body: (MessageRecord) throws -> Bool
    ) throws {
        try records(conversation, "r.seq > ? ORDER BY r.seq", seq, limit, body)
    }

    private func records(
        _ conversation: ConversationState, _ order: String, _ seq: Int, _ limit: Int,
        _ body: (MessageRecord) throws -> Bool
    ) throws {
        let rows = try database.rows(
            "SELECT \(recordColumns) FROM records r WHERE r.conversation = ? AND \(order) LIMIT ?",
            [conversation.key.value, seq, limit])
        while let row = try rows.next() {
            guard try body(MessageRecord(row, conversation: conversation.facts.id, epoch: conversation.facts.epoch))
            else { return }
        }
    }
}

let recordColumns = """
    r.id, r.seq, r.kind, r.target, r.sender, r.sender_device, r.type, r.suite, r.content, r.nonce, r.recipient_keys,
    r.reply_to, r.expires_at, r.created_at
    """

extension MessageRecord {
    /// From the columns of `recordColumns`, which stand first in the row.
    init(_ row: Row, conversation: ConversationID, epoch: String) throws {
        let suite: Suite? = (row[7] as Int?) == nil ? nil : try row.coded(7)
        self.init(
            id: try row.uuid(0), conversation: conversation, epoch: epoch, seq: row[1], kind: try row.coded(2),
            target: try row.optionalUUID(3),
            sender: DeviceAddress(user: try row.level(4), device: try row.level(5)), type: try row.coded(6),
            suite: suite, content: row.bytes(8), nonce: row.bytes(9), recipientKeys: row.bytes(10),
            replyTo: try row.optionalUUID(11), expiresAt: row.optionalTime(12), createdAt: row.time(13))
    }
}
