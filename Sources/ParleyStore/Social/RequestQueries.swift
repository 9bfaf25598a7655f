import ParleyProtocol

package struct WaitingRequest: Sendable {
    package let sender: UserID
    package let createdAt: Timestamp
    /// The one message.
    package let message: MessageRecord
}

package struct RequestQueries {
    let database: Database

    /// The waiting requests to a user, the newest first, until `body` returns `false`.
    package func waiting(
        for recipient: UserID, after position: ListPosition?, limit: Int, _ body: (WaitingRequest) throws -> Bool
    ) throws {
        // A request is one message, and the last of its sender in that conversation.
        try database.read(
            """
            SELECT \(RecordColumn.list), q.sender, q.created_at, c.id, c.epoch FROM message_requests q
            JOIN conversations c ON c.key = q.conversation
            JOIN records r ON r.conversation = c.key AND r.seq = (
                SELECT seq FROM records
                WHERE conversation = c.key AND sender = q.sender AND kind = \(RecordKind.message.columnCode)
                ORDER BY seq DESC LIMIT 1)
            WHERE q.recipient = ? AND q.state = 'waiting' AND (q.created_at, q.sender) < (?, ?)
            ORDER BY q.created_at DESC, q.sender DESC LIMIT ?
            """,
            [recipient.text, position?.time.milliseconds ?? Int64.max, position?.user.text ?? "", limit]
        ) { row in
            try body(
                WaitingRequest(
                    sender: try row.level(RecordColumn.end), createdAt: row.time(RecordColumn.end + 1),
                    message: try MessageRecord(
                        row, conversation: try row.uuid(RecordColumn.end + 2), epoch: row[RecordColumn.end + 3])))
        }
    }
}
