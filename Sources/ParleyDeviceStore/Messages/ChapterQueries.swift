import GRDB
import ParleyProtocol

// The records of a conversation across its epochs.

extension Snapshot {
    /// At most `limit` records of all epochs, in order, perhaps with gaps.
    package func messages(
        in conversation: ConversationID, _ anchor: ChapterAnchor, limit: Int, _ contents: PageContents = .messages
    ) throws -> [CachedMessage] {
        let limit = max(0, limit)
        func page(_ order: String, _ place: ChapterPlace, _ limit: Int) throws -> [CachedMessage] {
            let kind = contents == .messages ? "AND target IS NULL" : ""
            return try records(
                "conversation = ? \(kind) AND (chapter, seq) \(order) LIMIT ?",
                [conversation.blob, place.chapter, place.seq, limit])
        }
        func before(_ place: ChapterPlace, _ limit: Int) throws -> [CachedMessage] {
            try page("< (?, ?) ORDER BY chapter DESC, seq DESC", place, limit).reversed()
        }
        return switch anchor {
        case .newest: try before(ChapterPlace(chapter: .max, seq: .max), limit)
        case .before(let place): try before(place, limit)
        case .after(let place): try page("> (?, ?) ORDER BY chapter, seq", place, limit)
        case .around(let place):
            try before(place, limit / 2) + page(">= (?, ?) ORDER BY chapter, seq", place, limit - limit / 2)
        }
    }

    /// The number of records of an epoch from `low` to before a position, up to `limit`.
    package func count(
        in conversation: ConversationID, epoch: String, from low: Int, before place: ChapterPlace, limit: Int,
        _ contents: PageContents = .messages
    ) throws -> Int {
        let kind = contents == .messages ? "AND target IS NULL" : ""
        return try database.row(
            """
            SELECT count(*) FROM (
                SELECT 1 FROM messages WHERE conversation = ? \(kind) AND epoch = ? AND seq >= ?
                    AND (chapter, seq) < (?, ?) LIMIT ?)
            """, [conversation.blob, epoch, low, place.chapter, place.seq, max(0, limit)])?.integer(0) ?? 0
    }

    /// The chapter of a sequence number: that of the next stored record of its epoch.
    package func chapter(of seq: Int, epoch: String, in conversation: ConversationID) throws -> Int? {
        try database.row(
            "SELECT chapter FROM messages WHERE conversation = ? AND epoch = ? AND seq >= ? ORDER BY seq LIMIT 1",
            [conversation.blob, epoch, seq])?.integer(0)
    }

    /// The newest message of an epoch at or before a position.
    package func newest(
        in conversation: ConversationID, epoch: String, upTo place: ChapterPlace
    ) throws -> CachedMessage? {
        try records(
            """
            conversation = ? AND target IS NULL AND epoch = ? AND (chapter, seq) <= (?, ?) ORDER BY seq DESC LIMIT 1
            """, [conversation.blob, epoch, place.chapter, place.seq]
        ).first
    }

    /// Whether the record at a position is of another epoch.
    package func isOver(_ place: ChapterPlace, in conversation: ConversationID, epoch: String) throws -> Bool {
        try database.row(
            "SELECT 1 FROM messages WHERE conversation = ? AND chapter = ? AND seq = ? AND epoch <> ?",
            [conversation.blob, place.chapter, place.seq, epoch]) != nil
    }

    /// `nil` if nothing is stored.
    package func lastChapter(of conversation: ConversationID) throws -> Int? {
        try database.row("SELECT max(chapter) FROM messages WHERE conversation = ?", [conversation.blob])?
            .optionalInteger(0)
    }
}
