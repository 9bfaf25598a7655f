import ParleyProtocol

/// Which record of which conversation's log.
package struct MessagePlace: Hashable, Sendable {
    package let conversation: ConversationID
    package let epoch: String
    package let seq: Int
    package let id: MessageID

    package init(conversation: ConversationID, epoch: String, seq: Int, id: MessageID) {
        (self.conversation, self.epoch, self.seq, self.id) = (conversation, epoch, seq, id)
    }
}

/// A record of a conversation's log as the device keeps it.
package struct StoredMessage: Hashable, Sendable {
    package let place: MessagePlace
    /// The message that this record is about, if it is none itself: an edit, a deletion, a reaction.
    package let target: MessageID?
    /// When it is to go.
    package var expiresAt: Timestamp?
    /// Whether it is unread while the user has not read so far.
    package var counts: Bool
    /// What the owner of the store makes of it; opaque here.
    package var payload: [UInt8]
    /// What its place in the conversation's order begins with; an insertion may find it an earlier one.
    package var chapter: Int

    package init(
        place: MessagePlace, target: MessageID? = nil, expiresAt: Timestamp? = nil, counts: Bool = false,
        payload: [UInt8], chapter: Int = 0
    ) {
        self.place = place
        self.target = target
        self.expiresAt = expiresAt
        self.counts = counts
        self.payload = payload
        self.chapter = chapter
    }
}

/// Where a record is in what a device keeps of a conversation, whatever the epochs: the chapters follow each other, and
/// in each the sequence numbers. What two epochs share is in the earlier one's chapter.
package struct ChapterPlace: Hashable, Comparable, Sendable {
    package let chapter: Int
    package let seq: Int

    package init(chapter: Int, seq: Int) { (self.chapter, self.seq) = (chapter, seq) }

    package static func < (one: ChapterPlace, other: ChapterPlace) -> Bool {
        (one.chapter, one.seq) < (other.chapter, other.seq)
    }
}

/// What is found where a message was kept.
package enum CachedMessage: Hashable, Sendable {
    case whole(StoredMessage)
    /// What is there is not what was put there: to be fetched again, and put there by `replace`.
    case damaged(MessagePlace, chapter: Int)

    package var chapter: Int {
        switch self {
        case .whole(let message): message.chapter
        case .damaged(_, let chapter): chapter
        }
    }

    package var chapterPlace: ChapterPlace { ChapterPlace(chapter: chapter, seq: place.seq) }

    package var place: MessagePlace {
        switch self {
        case .whole(let message): message.place
        case .damaged(let place, _): place
        }
    }
}

/// What became of a message that was to be inserted.
package enum Insertion: Hashable, Sendable {
    case inserted
    /// It is there already; what is kept of it stays (`replace` changes it).
    case known
    /// Its place in the log holds another message.
    case placeTaken
    /// Its id is that of a message at another place of the conversation.
    case idTaken
    /// Its id is that of a message of another epoch, which may be moved to this place.
    case earlier(CachedMessage)
}

/// Which records of a log a page holds.
package enum PageContents: Hashable, Sendable {
    /// Messages, and none of the changes to them.
    case messages
    case everything
}

/// Which messages a page of everything that is kept of a conversation holds.
package enum ChapterAnchor: Hashable, Sendable {
    case newest
    case before(ChapterPlace)
    case after(ChapterPlace)
    case around(ChapterPlace)
}
