import ParleyProtocol

@testable import ParleyStore

/// A record of which nothing matters but that it may be unread, for logs of thousands of them.
struct UnreadRow {
    let conversation: Int
    let seq: Int
    let position: Int

    /// 16 bytes that are nobody else's.
    var id: [UInt8] { Array("\(position + 1_000_000_000_000_000)".utf8) }
}

extension WriteTransaction {
    func insert(_ rows: [UnreadRow], from sender: UserID) throws {
        let (content, nonce, digest) = (
            [UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 12), [UInt8](repeating: 0, count: 16)
        )
        try database.run(
            rows.map { row in
                [
                    .integer(row.position), .integer(row.conversation), .integer(row.seq), .blob(row.id),
                    .text(sender.text), .blob(content), .blob(nonce), .blob(digest),
                ]
            }, row: "(?, ?, ?, ?, 0, ?, 'phone', 0, ?, ?, 0, ?)"
        ) { rows in
            """
            INSERT INTO records (position, conversation, seq, id, kind, sender, sender_device, type, content, nonce,
                created_at, digest)
            VALUES \(rows)
            """
        }
    }
}
