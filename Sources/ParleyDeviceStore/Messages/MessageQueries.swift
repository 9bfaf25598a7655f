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
        let (place, wanted) = (message.place, message.chapter)
        if try put(message, in: try chapter(of: place, atMost: wanted)) { return .inserted }
        if let known = try facts.message(place.id, in: place.conversation) {
            if known.place == place { return .known }
            return known.place.epoch == place.epoch ? .idTaken : .earlier(known)
        }
        let isTaken = try database.row(
            "SELECT 1 FROM messages WHERE conversation = ? AND epoch = ? AND seq = ?",
            [place.conversation.blob, place.epoch, place.seq])
        guard isTaken == nil else { return .placeTaken }
        // The position in that chapter belongs to another epoch.
        for chapter in try chapters(of: place, from: wanted) where try put(message, in: chapter) { return .inserted }
        return .placeTaken
    }

    /// - Returns: whether the position was free.
    private func put(_ message: StoredMessage, in chapter: Int) throws -> Bool {
        var message = message
        message.chapter = chapter
        let place = message.place
        try database.run(
            """
            INSERT INTO messages (conversation, epoch, seq, id, target, expires_at, counts, sealed, chapter)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
            """,
            [
                place.conversation.blob, place.epoch, place.seq, place.id.blob, message.target?.blob,
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
    package func move(_ old: MessagePlace, to message: StoredMessage) throws -> Bool {
        let row = try database.row(
            "SELECT key, chapter FROM messages WHERE conversation = ? AND epoch = ? AND seq = ? AND id = ?",
            [old.conversation.blob, old.epoch, old.seq, old.id.blob])
        guard let row else { return false }
        let (key, held) = (try row.integer(0), try row.integer(1))
        let place = message.place
        let isShared = old.seq == place.seq
        for chapter in isShared ? [held] : try chapters(of: place, from: message.chapter) {
            try database.run(
                """
                UPDATE OR IGNORE messages
                SET epoch = ?, seq = ?, target = ?, expires_at = ?, counts = ?, sealed = ?, chapter = ? WHERE key = ?
                """,
                [
                    place.epoch, place.seq, message.target?.blob, message.expiresAt?.milliseconds, message.counts,
                    try sealed(message), chapter, key,
                ])
            guard database.changesCount > 0 else { continue }
            changes.append(.put(key: key, message))
            if isShared {
                try database.run(
                    """
                    UPDATE OR IGNORE messages SET chapter = ?
                    WHERE conversation = ? AND epoch = ? AND seq < ? AND chapter > ?
                    """, [chapter, place.conversation.blob, place.epoch, place.seq, chapter])
            }
            return true
        }
        return false
    }

    /// The chapter of a new record: that of the next stored record of its epoch, since all records before a shared one
    /// are shared, too.
    private func chapter(of place: MessagePlace, atMost chapter: Int) throws -> Int {
        guard chapter > 0 else { return 0 }
        let next = try database.row(
            "SELECT chapter FROM messages WHERE conversation = ? AND epoch = ? AND seq > ? ORDER BY seq LIMIT 1",
            [place.conversation.blob, place.epoch, place.seq])
        return min(chapter, try next?.integer(0) ?? chapter)
    }

    /// The chapters to try for a record, in order; the last one has room.
    private func chapters(of place: MessagePlace, from chapter: Int) throws -> [Int] {
        let ofEpoch = try database.row(
            "SELECT max(chapter) FROM messages WHERE conversation = ? AND epoch = ?",
            [place.conversation.blob, place.epoch])?.optionalInteger(0)
        let last = try facts.lastChapter(of: place.conversation) ?? chapter
        return [chapter, ofEpoch ?? chapter, last == .max ? last : last + 1]
    }

    private func sealed(_ message: StoredMessage) throws -> Data {
        try cipher.seal(
            message.payload, at: .message(message.place, target: message.target, expiresAt: message.expiresAt))
    }

    /// Replaces a stored message, after an edit, or once it can be opened.
    ///
    /// - Returns: whether it was stored.
    @discardableResult
    package func replace(_ message: StoredMessage) throws -> Bool {
        let place = message.place
        let row = try database.row(
            """
            UPDATE messages SET target = ?, expires_at = ?, counts = ?, sealed = ?
            WHERE conversation = ? AND epoch = ? AND seq = ? AND id = ? RETURNING key
            """,
            [
                message.target?.blob, message.expiresAt?.milliseconds, message.counts, try sealed(message),
                place.conversation.blob, place.epoch, place.seq, place.id.blob,
            ])
        guard let row else { return false }
        changes.append(.put(key: try row.integer(0), message))
        return true
    }

    /// Deletes every message that has expired by `now`, with its changes.
    ///
    /// - Returns: their places.
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

    private func remove(_ condition: String, _ arguments: StatementArguments) throws {
        let rows = try database.rows("DELETE FROM messages WHERE \(condition) RETURNING key", arguments)
        while let row = try rows.next() { changes.append(.remove(key: try row.integer(0))) }
    }
}

let messageColumns = "key, conversation, epoch, seq, id, expires_at, sealed, target, counts, chapter"

extension MessagePlace {
    /// From the columns of `messageColumns`.
    init(_ row: Row) throws(DamagedRowError) {
        self.init(
            conversation: try row.uuid(1), epoch: try row.text(2), seq: try row.integer(3), id: try row.uuid(4))
    }
}

extension CachedMessage {
    /// From the columns of `messageColumns`.
    init(_ row: Row, _ cipher: RowCipher) throws(DamagedRowError) {
        let place = try MessagePlace(row)
        let expiresAt = try row.optionalTime(5)
        let target: MessageID? = try row.optionalUUID(7)
        let sealed = SealedPlace.message(place, target: target, expiresAt: expiresAt)
        let chapter = try row.integer(9)
        if let payload = cipher.open(try row.bytes(6), at: sealed) {
            let counts = try row.optionalInteger(8) == 1
            self = .whole(
                StoredMessage(
                    place: place, target: target, expiresAt: expiresAt, counts: counts, payload: payload,
                    chapter: chapter))
        } else {
            self = .damaged(place, chapter: chapter)
        }
    }
}
