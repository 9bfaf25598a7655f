import GRDB
import ParleyProtocol

private let columns = """
    id, conversation, position, is_set_aside, attempts, not_before, sealed_content, sealed_request, sealed_reason
    """

extension Snapshot {
    /// What is to be done at `now`: of each conversation the first message that is not set aside, and of these the one
    /// written first whose time has come. So messages of one conversation never overtake each other, and a conversation
    /// that waits holds up no other.
    package func nextStep(at now: Timestamp) throws -> QueueStep {
        let row = try database.row(
            """
            SELECT \(columns) FROM queue q
            WHERE is_set_aside = 0 AND position = (
                SELECT min(position) FROM queue WHERE is_set_aside = 0 AND conversation = q.conversation)
            ORDER BY max(coalesce(not_before, ?1), ?1), position LIMIT 1
            """, [now.milliseconds])
        guard let row else { return .done }
        let message = try QueuedMessage(row, cipher)
        if let notBefore = message.notBefore, notBefore > now { return .wait(until: notBefore) }
        guard let content = message.content else { return .damaged(message) }
        return .send(message, content: content)
    }

    /// A message that waits or is set aside.
    package func queued(_ id: MessageID) throws -> QueuedMessage? {
        try database.row("SELECT \(columns) FROM queue WHERE id = ?", [id.blob]).map { try QueuedMessage($0, cipher) }
    }

    /// Everything in the queue, in order; of one conversation, or of all.
    package func queued(in conversation: ConversationID? = nil) throws -> [QueuedMessage] {
        try database.map(
            "SELECT \(columns) FROM queue WHERE ?1 IS NULL OR conversation = ?1 ORDER BY position",
            [conversation?.blob]
        ) { try QueuedMessage($0, cipher) }
    }

    /// The first message behind a position.
    func queued(after position: Int) throws -> QueuedMessage? {
        try database.row("SELECT \(columns) FROM queue WHERE position > ? ORDER BY position LIMIT 1", [position])
            .map { try QueuedMessage($0, cipher) }
    }
}

extension QueuedMessage {
    fileprivate init(_ row: Row, _ cipher: RowCipher) throws(DamagedRow) {
        let id: MessageID = try row.uuid(0)
        let conversation: ConversationID = try row.uuid(1)
        let position = try row.integer(2)
        func open(_ column: SealedPlace.QueueColumn, _ index: Int) throws(DamagedRow) -> [UInt8]? {
            guard let sealed = try row.optionalBytes(index) else { return nil }
            return cipher.open(sealed, at: .queue(column, position: position, id, conversation))
        }
        let isSetAside = try row.integer(3) != 0
        let reason = try open(.reason, 8) ?? []
        self.init(
            id: id, conversation: conversation, position: position,
            state: isSetAside ? .setAside(reason: String(decoding: reason, as: UTF8.self)) : .pending,
            attempts: try row.integer(4), notBefore: try row.optionalTime(5), content: try open(.content, 6),
            request: try open(.request, 7))
    }
}
