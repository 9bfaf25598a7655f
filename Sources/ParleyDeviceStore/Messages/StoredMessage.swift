import ParleyProtocol

package struct MessagePosition: Hashable, Sendable {
    package let conversation: ConversationID
    package let epoch: String
    package let seq: Int
    package let id: MessageID

    package init(conversation: ConversationID, epoch: String, seq: Int, id: MessageID) {
        (self.conversation, self.epoch, self.seq, self.id) = (conversation, epoch, seq, id)
    }
}

/// A stored record of a conversation's log.
package struct StoredMessage: Hashable, Sendable {
    package let position: MessagePosition
    /// The message that an edit, a deletion or a reaction changes.
    package let target: MessageID?
    package var expiresAt: Timestamp?
    /// Whether it counts as unread before it is read.
    package var counts: Bool
    /// The owner's encoding, opaque here.
    package var payload: [UInt8]
    /// The chapter of its position; an insertion may find an earlier one.
    package var chapter: Int

    package init(
        position: MessagePosition, target: MessageID? = nil, expiresAt: Timestamp? = nil, counts: Bool = false,
        payload: [UInt8], chapter: Int = 0
    ) {
        self.position = position
        self.target = target
        self.expiresAt = expiresAt
        self.counts = counts
        self.payload = payload
        self.chapter = chapter
    }
}

/// A record's position in a conversation across its epochs: by chapter, then by sequence number. Records that two
/// epochs share are in the earlier one's chapter.
package struct ChapterPosition: Hashable, Comparable, Sendable {
    package let chapter: Int
    package let seq: Int

    package init(chapter: Int, seq: Int) { (self.chapter, self.seq) = (chapter, seq) }

    package static func < (one: ChapterPosition, other: ChapterPosition) -> Bool {
        (one.chapter, one.seq) < (other.chapter, other.seq)
    }
}

/// The content of a message's row.
package enum CachedMessage: Hashable, Sendable {
    case whole(StoredMessage)
    /// Damaged: to be fetched again and stored with `replace`.
    case damaged(MessagePosition, chapter: Int)

    package var chapter: Int {
        switch self {
        case .whole(let message): message.chapter
        case .damaged(_, let chapter): chapter
        }
    }

    package var chapterPosition: ChapterPosition { ChapterPosition(chapter: chapter, seq: position.seq) }

    package var position: MessagePosition {
        switch self {
        case .whole(let message): message.position
        case .damaged(let position, _): position
        }
    }
}

package enum Insertion: Hashable, Sendable {
    case inserted
    /// It is stored already, and unchanged (`replace` changes it).
    case known
    /// Its position holds another message.
    case placeTaken
    /// Another position of the conversation has its id.
    case idTaken
    /// A message of another epoch has its id, and may be moved.
    case earlier(CachedMessage)
}

/// The kinds of records in a page.
package enum PageContents: Hashable, Sendable {
    /// Messages without their changes.
    case messages
    case everything
}

package enum ChapterAnchor: Hashable, Sendable {
    case newest
    case before(ChapterPosition)
    case after(ChapterPosition)
    case around(ChapterPosition)
}
