import Foundation
import GRDB
import ParleyProtocol

extension Snapshot {
    /// - Parameter condition: the condition, and what follows it in the statement.
    func records(_ condition: String, _ arguments: StatementArguments) throws -> [CachedMessage] {
        try database.map("SELECT \(messageColumns) FROM messages WHERE \(condition)", arguments) {
            try CachedMessage($0, cipher)
        }
    }

    package func message(_ id: MessageID, in conversation: ConversationID) throws -> CachedMessage? {
        try records("conversation = ? AND id = ?", [conversation.blob, id.blob]).first
    }

    /// The record at a position of a log.
    package func message(at seq: Int, of epoch: String, in conversation: ConversationID) throws -> CachedMessage? {
        try records("conversation = ? AND epoch = ? AND seq = ?", [conversation.blob, epoch, seq]).first
    }

    /// At most `limit` messages of one epoch that are before a sequence number, the newest of those, in ascending
    /// order. There may be holes between them.
    package func messages(
        in conversation: ConversationID, epoch: String, before seq: Int, limit: Int
    ) throws -> [CachedMessage] {
        try records(
            "conversation = ? AND epoch = ? AND target IS NULL AND seq < ? ORDER BY seq DESC LIMIT ?",
            [conversation.blob, epoch, seq, max(0, limit)]
        ).reversed()
    }

    /// The changes to a message, in the order in which they were made.
    package func changes(of target: MessageID, in conversation: ConversationID) throws -> [CachedMessage] {
        try records("conversation = ? AND target = ? ORDER BY chapter, seq", [conversation.blob, target.blob])
    }

    /// The number of unread messages after `seq`.
    ///
    /// - Parameter counts: decides for messages that were stored before this was a column.
    package func unread(
        in conversation: ConversationID, epoch: String, after seq: Int, counts: ([UInt8]) -> Bool
    ) throws -> Int {
        let condition = "conversation = ? AND epoch = ? AND seq > ?"
        let noted =
            try database.row(
                "SELECT count(*) FROM messages WHERE \(condition) AND counts IS NOT 0 AND counts = 1",
                [conversation.blob, epoch, seq])?.integer(0) ?? 0
        let others = try records(
            "\(condition) AND counts IS NOT 0 AND counts IS NULL", [conversation.blob, epoch, seq])
        return noted
            + others.count { message in
                guard case .whole(let stored) = message else { return true }
                return counts(stored.payload)
            }
    }

    package func nextExpiry() throws -> Timestamp? {
        try database.row("SELECT min(expires_at) FROM messages WHERE expires_at IS NOT NULL")?.optionalTime(0)
    }
}

extension WriteTransaction {
    /// Stores a message, unless it is stored already.
    @discardableResult
    package func insert(_ message: StoredMessage) throws -> Insertion {
        let (position, wanted) = (message.position, message.chapter)
        if try put(message, in: try chapter(of: position, atMost: wanted)) { return .inserted }
        if let known = try facts.message(position.id, in: position.conversation) {
            if known.position == position { return .known }
            return known.position.epoch == position.epoch ? .idTaken : .earlier(known)
        }
        let isTaken = try database.row(
            "SELECT 1 FROM messages WHERE conversation = ? AND epoch = ? AND seq = ?",
            [position.conversation.blob, position.epoch, position.seq])
        guard isTaken == nil else { return .placeTaken }
        // The position in that chapter belongs to another epoch.
        for chapter in try chapters(of: position, from: wanted) where try put(message, in: chapter) { return .inserted }
        return .placeTaken
    }

    /// - Returns: whether the position was free.
    private func put(_ message: StoredMessage, in chapter: Int) throws -> Bool {
        var message = message
        message.chapter = chapter
        let position = message.position
        try database.run(
            """
            INSERT INTO messages (conversation, epoch, seq, id, target, expires_at, counts, sealed, chapter)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
            """,
            [
                position.conversation.blob, position.epoch, position.seq, position.id.blob, message.target?.blob,
                message.expiresAt?.milliseconds, message.counts, try sealed(message), chapter,
            ])
        guard database.changesCount > 0 else { return false }
        changes.append(.put(key: Int(database.lastInsertedRowID), message))
        return true
    }

    /// Moves a message of an earlier epoch to its position in the present one. If both epochs have it at the same
    /// sequence number they share it, and all before it: those stay in the earlier one's chapter.
    ///
    /// - Returns: whether it was moved; not if the position holds another message.
    @discardableResult
    package func move(_ old: MessagePosition, to message: StoredMessage) throws -> Bool {
        let row = try database.row(
            "SELECT key, chapter FROM messages WHERE conversation = ? AND epoch = ? AND seq = ? AND id = ?",
            [old.conversation.blob, old.epoch, old.seq, old.id.blob])
        guard let row else { return false }
        let (key, held) = (try row.integer(0), try row.integer(1))
        let position = message.position
        let isShared = old.seq == position.seq
        for chapter in isShared ? [held] : try chapters(of: position, from: message.chapter) {
            try database.run(
                """
                UPDATE OR IGNORE messages
                SET epoch = ?, seq = ?, target = ?, expires_at = ?, counts = ?, sealed = ?, chapter = ? WHERE key = ?
                """,
                [
                    position.epoch, position.seq, message.target?.blob, message.expiresAt?.milliseconds, message.counts,
                    try sealed(message), chapter, key,
                ])
            guard database.changesCount > 0 else { continue }
            changes.append(.put(key: key, message))
            if isShared {
                try database.run(
                    """
                    UPDATE OR IGNORE messages SET chapter = ?
                    WHERE conversation = ? AND epoch = ? AND seq < ? AND chapter > ?
                    """, [chapter, position.conversation.blob, position.epoch, position.seq, chapter])
            }
            return true
        }
        return false
    }

    /// The chapter of a new record: that of the next stored record of its epoch, since all records before a shared one
    /// are shared, too.
    private func chapter(of position: MessagePosition, atMost chapter: Int) throws -> Int {
        guard chapter > 0 else { return 0 }
        let next = try database.row(
            "SELECT chapter FROM messages WHERE conversation = ? AND epoch = ? AND seq > ? ORDER BY seq LIMIT 1",
            [position.conversation.blob, position.epoch, position.seq])
        return min(chapter, try next?.integer(0) ?? chapter)
    }

    /// The chapters to try for a record, in order; the last one has room.
    private func chapters(of position: MessagePosition, from chapter: Int) throws -> [Int] {
        let ofEpoch = try database.row(
            "SELECT max(chapter) FROM messages WHERE conversation = ? AND epoch = ?",
            [position.conversation.blob, position.epoch])?.optionalInteger(0)
        let last = try facts.lastChapter(of: position.conversation) ?? chapter
        return [chapter, ofEpoch ?? chapter, last == .max ? last : last + 1]
    }

    private func sealed(_ message: StoredMessage) throws -> Data {
        try cipher.seal(
            message.payload, at: .message(message.position, target: message.target, expiresAt: message.expiresAt))
    }

    /// Replaces a stored message, after an edit, or once it can be opened.
    ///
    /// - Returns: whether it was stored.
    @discardableResult
    package func replace(_ message: StoredMessage) throws -> Bool {
        let position = message.position
        let row = try database.row(
            """
            UPDATE messages SET target = ?, expires_at = ?, counts = ?, sealed = ?
            WHERE conversation = ? AND epoch = ? AND seq = ? AND id = ? RETURNING key
            """,
            [
                message.target?.blob, message.expiresAt?.milliseconds, message.counts, try sealed(message),
                position.conversation.blob, position.epoch, position.seq, position.id.blob,
            ])
        guard let row else { return false }
        changes.append(.put(key: try row.integer(0), message))
        return true
    }

    /// Deletes every message that has expired by `now`, with its changes.
    ///
    /// - Returns: their places.
    @discardableResult
    package func removeExpired(at now: Timestamp) throws -> [MessagePosition] {
        let places = try database.map(
            "SELECT \(messageColumns) FROM messages WHERE expires_at <= ? ORDER BY expires_at", [now.milliseconds]
        ) { try MessagePosition($0) }
        guard !places.isEmpty else { return [] }
        for position in places {
            try remove("conversation = ? AND target = ?", [position.conversation.blob, position.id.blob])
        }
        try remove("expires_at <= ?", [now.milliseconds])
        return places
    }

    private func remove(_ condition: String, _ arguments: StatementArguments) throws {
        let rows = try database.rows("DELETE FROM messages WHERE \(condition) RETURNING key", arguments)
        while let row = try rows.next() { changes.append(.remove(key: try row.integer(0))) }
    }
}

let messageColumns = "key, conversation, epoch, seq, id, expires_at, sealed, target, counts, chapter"

extension MessagePosition {
    /// From the columns of `messageColumns`.
    init(_ row: Row) throws(DamagedRowError) {
        self.init(
            conversation: try row.uuid(1), epoch: try row.text(2), seq: try row.integer(3), id: try row.uuid(4))
    }
}

extension CachedMessage {
    /// From the columns of `messageColumns`.
    init(_ row: Row, _ cipher: RowCipher) throws(DamagedRowError) {
        let position = try MessagePosition(row)
        let expiresAt = try row.optionalTime(5)
        let target: MessageID? = try row.optionalUUID(7)
        let sealed = SealedCell.message(position, target: target, expiresAt: expiresAt)
        let chapter = try row.integer(9)
        if let payload = cipher.open(try row.bytes(6), at: sealed) {
            let counts = try row.optionalInteger(8) == 1
            self = .whole(
                StoredMessage(
                    position: position, target: target, expiresAt: expiresAt, counts: counts, payload: payload,
                    chapter: chapter))
        } else {
            self = .damaged(position, chapter: chapter)
        }
    }
}
