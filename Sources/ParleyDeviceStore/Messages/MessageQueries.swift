import GRDB
import ParleyProtocol

extension Snapshot {
    package func message(_ id: MessageID, in conversation: ConversationID) throws -> CachedMessage? {
        try database.row(
            "SELECT \(messageColumns) FROM messages WHERE conversation = ? AND id = ?", [conversation.blob, id.blob]
        ).map { try CachedMessage($0, cipher) }
    }

    /// At most `limit` messages, in ascending order of their sequence numbers. There may be holes between them:
    /// `ConversationState.kept` says where there are none.
    package func messages(
        in conversation: ConversationID, epoch: String, _ anchor: PageAnchor, limit: Int
    ) throws -> [CachedMessage] {
        let limit = max(0, limit)
        return switch anchor {
        case .newest: try page(conversation, epoch, "seq <= ? ORDER BY seq DESC", Int.max, limit).reversed()
        case .before(let seq): try page(conversation, epoch, "seq < ? ORDER BY seq DESC", seq, limit).reversed()
        case .after(let seq): try page(conversation, epoch, "seq > ? ORDER BY seq", seq, limit)
        case .around(let seq):
            try page(conversation, epoch, "seq < ? ORDER BY seq DESC", seq, limit / 2).reversed()
                + page(conversation, epoch, "seq >= ? ORDER BY seq", seq, limit - limit / 2)
        }
    }

    private func page(
        _ conversation: ConversationID, _ epoch: String, _ order: String, _ seq: Int, _ limit: Int
    ) throws -> [CachedMessage] {
        try database.map(
            "SELECT \(messageColumns) FROM messages WHERE conversation = ? AND epoch = ? AND \(order) LIMIT ?",
            [conversation.blob, epoch, seq, limit]
        ) { try CachedMessage($0, cipher) }
    }
}

extension WriteTransaction {
    /// Keeps a message. One that is there already stays as it is.
    @discardableResult
    package func insert(_ message: StoredMessage) throws -> Insertion {
        let place = message.place
        let sealed = try cipher.seal(
            message.payload, at: .message(place, expiresAt: message.expiresAt))
        try database.run(
            """
            INSERT INTO messages (conversation, epoch, seq, id, expires_at, sealed) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """,
            [
                place.conversation.blob, place.epoch, place.seq, place.id.blob, message.expiresAt?.milliseconds, sealed,
            ])
        guard database.changesCount == 0 else {
            changes.append(.put(key: Int(database.lastInsertedRowID), message))
            return .inserted
        }
        guard let known = try facts.message(place.id, in: place.conversation) else { return .placeTaken }
        return known.place == place ? .known : .idTaken
    }

    /// Puts something else where a message is kept: its text after an edit, what it holds once it can be opened.
    ///
    /// - Returns: whether there was one at that place.
    @discardableResult
    package func replace(_ message: StoredMessage) throws -> Bool {
        let place = message.place
        let row = try database.row(
            """
            UPDATE messages SET expires_at = ?, sealed = ? WHERE conversation = ? AND epoch = ? AND seq = ? AND id = ?
            RETURNING key
            """,
            [
                message.expiresAt?.milliseconds,
                try cipher.seal(message.payload, at: .message(place, expiresAt: message.expiresAt)),
                place.conversation.blob, place.epoch, place.seq, place.id.blob,
            ])
        guard let row else { return false }
        changes.append(.put(key: try row.integer(0), message))
        return true
    }

    /// Removes every message that was to go by `now`.
    package func removeExpired(at now: Timestamp) throws {
        try remove("expires_at <= ?", [now.milliseconds])
    }

    /// Removes every message of an epoch that is over.
    package func forget(epoch: String, of conversation: ConversationID) throws {
        try remove("conversation = ? AND epoch = ?", [conversation.blob, epoch])
    }

    private func remove(_ condition: String, _ arguments: StatementArguments) throws {
        let rows = try database.rows("DELETE FROM messages WHERE \(condition) RETURNING key", arguments)
        while let row = try rows.next() { changes.append(.remove(key: try row.integer(0))) }
    }
}

let messageColumns = "key, conversation, epoch, seq, id, expires_at, sealed"

extension MessagePlace {
    /// From the columns of `messageColumns`.
    init(_ row: Row) throws(DamagedRow) {
        self.init(
            conversation: try row.uuid(1), epoch: try row.text(2), seq: try row.integer(3), id: try row.uuid(4))
    }
}

extension CachedMessage {
    /// From the columns of `messageColumns`.
    init(_ row: Row, _ cipher: RowCipher) throws(DamagedRow) {
        let place = try MessagePlace(row)
        let expiresAt = try row.optionalTime(5)
        if let payload = cipher.open(try row.bytes(6), at: .message(place, expiresAt: expiresAt)) {
            self = .whole(StoredMessage(place: place, expiresAt: expiresAt, payload: payload))
        } else {
            self = .damaged(place)
        }
    }
}
