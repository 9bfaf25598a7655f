import GRDB
import ParleyProtocol

private let columns = "id, epoch, low_seq, high_seq, delivered_seq, sealed, chapter"

extension Snapshot {
    /// All conversations, by id.
    package func conversations() throws -> [ConversationState] {
        try database.map("SELECT \(columns) FROM conversations ORDER BY id") { try ConversationState($0, cipher) }
    }

    package func conversation(_ id: ConversationID) throws -> ConversationState? {
        try database.row("SELECT \(columns) FROM conversations WHERE id = ?", [id.blob]).map {
            try ConversationState($0, cipher)
        }
    }
}

extension WriteTransaction {
    package func save(_ state: ConversationState) throws {
        let sealed = try state.object.map { try cipher.seal($0, at: .conversation(state.id)) }
        try database.run(
            "INSERT OR REPLACE INTO conversations (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                state.id.blob, state.kept?.epoch, state.kept?.seqs.lowerBound, state.kept?.seqs.upperBound,
                state.deliveredSeq, sealed, state.chapter,
            ])
    }
}

extension ConversationState {
    fileprivate init(_ row: Row, _ cipher: RowCipher) throws(DamagedRowError) {
        let id: ConversationID = try row.uuid(0)
        var kept: KeptStretch?
        if let low = try row.optionalInteger(2), let high = try row.optionalInteger(3) {
            guard low <= high else { throw DamagedRowError() }
            kept = KeptStretch(epoch: try row.text(1), seqs: low...high)
        }
        self.init(
            id: id, kept: kept, deliveredSeq: try row.integer(4),
            object: try row.optionalBytes(5).flatMap { cipher.open($0, at: .conversation(id)) },
            chapter: max(0, try row.integer(6)))
    }
}
