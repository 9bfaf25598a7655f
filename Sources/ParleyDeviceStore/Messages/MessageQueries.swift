import GRDB
import ParleyProtocol

extension Snapshot {
    package func message(_ id: MessageID, in conversation: ConversationID) throws -> CachedMessage? {
        try database.row(
            "SELECT \(messageColumns) FROM messages WHERE conversation = ? AND id = ?", [conversation.blob, id.blob]
        ).map { try CachedMessage($0, cipher) }
    }

    /// At most `limit` records, in ascending order of their sequence numbers. There may be holes between them:
    /// `ConversationState.kept` says where there are none.
    package func messages(
        in conversation: ConversationID, epoch: String, _ anchor: PageAnchor, limit: Int,
        _ contents: PageContents = .messages
    ) throws -> [CachedMessage] {
        let limit = max(0, limit)
        func page(_ order: String, _ seq: Int, _ limit: Int) throws -> [CachedMessage] {
            let kind = contents == .messages ? "AND target IS NULL" : ""
            return try database.map(
                """
                SELECT \(messageColumns) FROM messages
                WHERE conversation = ? AND epoch = ? \(kind) AND \(order) LIMIT ?
                """, [conversation.blob, epoch, seq, limit]
            ) { try CachedMessage($0, cipher) }
        }
        return switch anchor {
        case .newest: try page("seq <= ? ORDER BY seq DESC", Int.max, limit).reversed()
        case .before(let seq): try page("seq < ? ORDER BY seq DESC", seq, limit).reversed()
        case .after(let seq): try page("seq > ? ORDER BY seq", seq, limit)
        case .around(let seq):
            try page("seq < ? ORDER BY seq DESC", seq, limit / 2).reversed()
                + page("seq >= ? ORDER BY seq", seq, limit - limit / 2)
        }
    }

    /// What is kept of the changes to a message, in the order in which they were made.
    package func changes(of target: MessageID, in conversation: ConversationID) throws -> [CachedMessage] {
        try database.map(
            "SELECT \(messageColumns) FROM messages WHERE conversation = ? AND target = ? ORDER BY seq",
            [conversation.blob, target.blob]
        ) { try CachedMessage($0, cipher) }
    }

    /// How many messages after `seq` count as unread.
    ///
    /// - Parameter counts: asked of those of which that was not noted when they were kept.
    package func unread(
        in conversation: ConversationID, epoch: String, after seq: Int, counts: ([UInt8]) -> Bool
    ) throws -> Int {
        let condition = "conversation = ? AND epoch = ? AND seq > ?"
        let noted =
            try database.row(
                "SELECT count(*) FROM messages WHERE \(condition) AND counts IS NOT 0 AND counts = 1",
                [conversation.blob, epoch, seq])?.integer(0) ?? 0
        let others = try database.map(
            "SELECT \(messageColumns) FROM messages WHERE \(condition) AND counts IS NOT 0 AND counts IS NULL",
            [conversation.blob, epoch, seq]
        ) { try CachedMessage($0, cipher) }
        return noted
            + others.count { message in
                guard case .whole(let stored) = message else { return true }
                return counts(stored.payload)
            }
    }

    /// When the next message is to go.
    package func nextExpiry() throws -> Timestamp? {
        try database.row("SELECT min(expires_at) FROM messages WHERE expires_at IS NOT NULL")?.optionalTime(0)
    }
}

extension WriteTransaction {
    /// Keeps a message. One that is there already stays as it is.
    @discardableResult
    package func insert(_ message: StoredMessage) throws -> Insertion {
        let place = message.place
        let sealed = try cipher.seal(
            message.payload, at: .message(place, target: message.target, expiresAt: message.expiresAt))
        try database.run(
            """
            INSERT INTO messages (conversation, epoch, seq, id, target, expires_at, counts, sealed)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
            """,
            [
                place.conversation.blob, place.epoch, place.seq, place.id.blob, message.target?.blob,
                message.expiresAt?.milliseconds, message.counts, sealed,
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
            UPDATE messages SET target = ?, expires_at = ?, counts = ?, sealed = ?
            WHERE conversation = ? AND epoch = ? AND seq = ? AND id = ? RETURNING key
            """,
            [
                message.target?.blob, message.expiresAt?.milliseconds, message.counts,
                try cipher.seal(
                    message.payload, at: .message(place, target: message.target, expiresAt: message.expiresAt)),
                place.conversation.blob, place.epoch, place.seq, place.id.blob,
            ])
        guard let row else { return false }
        changes.append(.put(key: try row.integer(0), message))
        return true
    }

    /// Removes every message that was to go by `now`, with all changes to it.
    ///
    /// - Returns: where they stood.
    @discardableResult
    package func removeExpired(at now: Timestamp) throws -> [MessagePlace] {
        let places = try database.map(
            "SELECT \(messageColumns) FROM messages WHERE expires_at <= ? ORDER BY expires_at", [now.milliseconds]
        ) { try MessagePlace($0) }
        guard !places.isEmpty else { return [] }
        for place in places {
            try remove("conversation = ? AND target = ?", [place.conversation.blob, place.id.blob])
        }
        try remove("expires_at <= ?", [now.milliseconds])
        return places
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

let messageColumns = "key, conversation, epoch, seq, id, expires_at, sealed, target, counts"

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
        let target: MessageID? = try row.optionalUUID(7)
        let sealed = SealedPlace.message(place, target: target, expiresAt: expiresAt)
        if let payload = cipher.open(try row.bytes(6), at: sealed) {
            let counts = try row.optionalInteger(8) == 1
            self = .whole(
                StoredMessage(place: place, target: target, expiresAt: expiresAt, counts: counts, payload: payload))
        } else {
            self = .damaged(place)
        }
    }
}
