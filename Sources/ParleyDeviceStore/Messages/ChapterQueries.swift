import GRDB
import ParleyProtocol

// The records of a conversation across its epochs.

extension Snapshot {
    /// At most `limit` records of all epochs, in order, perhaps with gaps.
    package func messages(
        in conversation: ConversationID, _ anchor: ChapterAnchor, limit: Int, _ contents: PageContents = .messages
    ) throws -> [CachedMessage] {
        let limit = max(0, limit)
        func page(_ order: String, _ position: ChapterPosition, _ limit: Int) throws -> [CachedMessage] {
            let kind = contents == .messages ? "AND target IS NULL" : ""
            return try records(
                "conversation = ? \(kind) AND (chapter, seq) \(order) LIMIT ?",
                [conversation.blob, position.chapter, position.seq, limit])
        }
        func before(_ position: ChapterPosition, _ limit: Int) throws -> [CachedMessage] {
            try page("< (?, ?) ORDER BY chapter DESC, seq DESC", position, limit).reversed()
        }
        return switch anchor {
        case .newest: try before(ChapterPosition(chapter: .max, seq: .max), limit)
        case .before(let position): try before(position, limit)
        case .after(let position): try page("> (?, ?) ORDER BY chapter, seq", position, limit)
        case .around(let position):
            try before(position, limit / 2) + page(">= (?, ?) ORDER BY chapter, seq", position, limit - limit / 2)
        }
    }

    /// The number of records of an epoch from `low` to before a position, up to `limit`.
    package func count(
        in conversation: ConversationID, epoch: String, from low: Int, before position: ChapterPosition, limit: Int,
        _ contents: PageContents = .messages
    ) throws -> Int {
        let kind = contents == .messages ? "AND target IS NULL" : ""
        return try database.row(
            """
            SELECT count(*) FROM (
                SELECT 1 FROM messages WHERE conversation = ? \(kind) AND epoch = ? AND seq >= ?
                    AND (chapter, seq) < (?, ?) LIMIT ?)
            """, [conversation.blob, epoch, low, position.chapter, position.seq, max(0, limit)])?.integer(0) ?? 0
    }

    /// The chapter of a sequence number: that of the next stored record of its epoch.
    package func chapter(of seq: Int, epoch: String, in conversation: ConversationID) throws -> Int? {
        try database.row(
            "SELECT chapter FROM messages WHERE conversation = ? AND epoch = ? AND seq >= ? ORDER BY seq LIMIT 1",
            [conversation.blob, epoch, seq])?.integer(0)
    }

    /// The newest message of an epoch at or before a position.
    package func newest(
        in conversation: ConversationID, epoch: String, upTo position: ChapterPosition
    ) throws -> CachedMessage? {
        try records(
            """
            conversation = ? AND target IS NULL AND epoch = ? AND (chapter, seq) <= (?, ?) ORDER BY seq DESC LIMIT 1
            """, [conversation.blob, epoch, position.chapter, position.seq]
        ).first
    }

    /// Whether the record at a position is of another epoch.
    package func isOver(_ position: ChapterPosition, in conversation: ConversationID, epoch: String) throws -> Bool {
        try database.row(
            "SELECT 1 FROM messages WHERE conversation = ? AND chapter = ? AND seq = ? AND epoch <> ?",
            [conversation.blob, position.chapter, position.seq, epoch]) != nil
    }

    /// `nil` if nothing is stored.
    package func lastChapter(of conversation: ConversationID) throws -> Int? {
        try database.row("SELECT max(chapter) FROM messages WHERE conversation = ?", [conversation.blob])?
            .optionalInteger(0)
    }
}
