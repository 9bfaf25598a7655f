import ParleyClient
import ParleyProtocol

/// How far the messages of the conversation that is shown were seen: a message counts as read once it and all unread
/// ones before it have been on the screen.
struct ChatReading: Hashable, Sendable {
    /// The position up to which the user has read, on any device; `nil` until it is known.
    private(set) var readSeq: Int?
    /// The first message that was unread when the conversation was opened: the mark stands before it.
    private(set) var firstUnread: ChatLine.Key?
    /// Whether the messages from the first unread one on have yet to be fetched.
    private(set) var isOpening = true
    private var seen: Set<ChatLine.Key> = []

    /// The conversation's read mark, which only moves forward.
    mutating func setRead(_ seq: Int) { readSeq = max(readSeq ?? 0, seq) }

    mutating func see(_ keys: some Sequence<ChatLine.Key>) {
        guard !isOpening else { return }
        seen.formUnion(keys)
    }

    /// Everything unread is there, or cannot be had: from now on what is shown is seen.
    mutating func open(_ transcript: Transcript, hasUnread: Bool) {
        guard isOpening else { return }
        isOpening = false
        firstUnread = hasUnread ? readSeq.flatMap { transcript.received(after: $0).first?.key } : nil
    }

    /// The person has answered: they know where they are.
    mutating func removeMark() { firstUnread = nil }

    /// The newest message that may be marked as read; `nil` if none is beyond the present mark.
    ///
    /// - Parameter isWhole: whether there is nothing older than the transcript.
    func readable(in transcript: Transcript, isWhole: Bool) -> (id: MessageID, position: ChatMessage.Position)? {
        guard !isOpening, let readSeq, isWhole || transcript.reaches(readSeq) else { return nil }
        var newest: (MessageID, ChatMessage.Position)?
        for line in transcript.received(after: readSeq) {
            guard seen.contains(line.key) else { break }
            if case .message(let id) = line.key, let position = line.position { newest = (id, position) }
        }
        return newest
    }

    /// Whether older messages have to be fetched to come to the first unread one.
    func wantsOlder(_ transcript: Transcript, unread: Int) -> Bool {
        guard isOpening, unread > 0, let readSeq else { return false }
        return !transcript.reaches(readSeq)
    }
}

extension Transcript {
    /// The chapter of the newest message.
    private var newestChapter: Int? { items.last { $0.line?.position != nil }?.line?.position?.chapter }

    /// The messages of others after a place in the newest chapter, in order.
    func received(after seq: Int) -> [ChatLine] {
        guard let chapter = newestChapter else { return [] }
        return items.reversed().prefix { item in
            guard let position = item.line?.position else { return true }
            return position.chapter == chapter && position.seq > seq
        }.compactMap(\.line).filter { line in
            switch line.look {
            case .received, .unreadable: line.position != nil
            case .earlier, .own, .system: false
            }
        }.reversed()
    }

    /// Whether no message after this place is missing here.
    func reaches(_ seq: Int) -> Bool {
        guard let chapter = newestChapter else { return true }
        return items.contains { item in
            guard let position = item.line?.position else { return false }
            return position.chapter < chapter || position.seq <= seq + 1
        }
    }
}
