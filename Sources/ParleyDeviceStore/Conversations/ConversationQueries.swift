import GRDB
import ParleyProtocol

private let columns = "id, epoch, low_seq, high_seq, delivered_seq, read_seq, sealed"

extension Snapshot {
    package func conversation(_ id: ConversationID) throws -> ConversationState? {
        try database.row("SELECT \(columns) FROM conversations WHERE id = ?", [id.blob])
            .map { try ConversationState($0, cipher) }
    }

    /// All of them, in the order of their ids.
    package func conversations() throws -> [ConversationState] {
        try database.map("SELECT \(columns) FROM conversations ORDER BY id") { try ConversationState($0, cipher) }
    }
}

extension WriteTransaction {
    /// Keeps this of the conversation, and nothing of what was kept of it before.
    package func save(_ state: ConversationState) throws {
        let sealed = try state.object.map { try cipher.seal($0, at: .conversation(state.id)) }
        try database.run(
            "INSERT OR REPLACE INTO conversations (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                state.id.blob, state.kept?.epoch, state.kept?.seqs.lowerBound, state.kept?.seqs.upperBound,
                state.deliveredSeq, state.readSeq, sealed,
            ])
    }

    /// Moves the stretch that is kept without a hole; a conversation that is not known yet becomes so.
    package func setKept(_ kept: KeptStretch?, of conversation: ConversationID) throws {
        try database.run(
            """
            INSERT INTO conversations (id, epoch, low_seq, high_seq, delivered_seq, read_seq) VALUES (?, ?, ?, ?, 0, 0)
            ON CONFLICT (id) DO UPDATE SET epoch = excluded.epoch, low_seq = excluded.low_seq,
                high_seq = excluded.high_seq
            """,
            [conversation.blob, kept?.epoch, kept?.seqs.lowerBound, kept?.seqs.upperBound])
    }

    /// Moves the device's own marks forward, never back.
    package func advanceMarks(delivered: Int = 0, read: Int = 0, of conversation: ConversationID) throws {
        try database.run(
            """
            UPDATE conversations SET delivered_seq = max(delivered_seq, ?), read_seq = max(read_seq, ?) WHERE id = ?
            """, [delivered, read, conversation.blob])
    }
}

extension ConversationState {
    fileprivate init(_ row: Row, _ cipher: RowCipher) throws(DamagedRow) {
        let id: ConversationID = try row.uuid(0)
        var kept: KeptStretch?
        if let low = try row.optionalInteger(2), let high = try row.optionalInteger(3) {
            guard low <= high else { throw DamagedRow() }
            kept = KeptStretch(epoch: try row.text(1), seqs: low...high)
        }
        self.init(
            id: id, kept: kept, deliveredSeq: try row.integer(4), readSeq: try row.integer(5),
            object: try row.optionalBytes(6).flatMap { cipher.open($0, at: .conversation(id)) })
    }
}
