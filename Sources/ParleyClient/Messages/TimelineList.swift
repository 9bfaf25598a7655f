import ParleyProtocol

/// The messages of one conversation in the order in which a list shows them: ascending by position, the unsent last.
///
/// A value without I/O. What it is given twice, late or out of order changes nothing that newer facts have changed.
struct TimelineList {
    private(set) var messages: [ChatMessage] = []
    /// No message is before the first.
    private(set) var reachedStart = false

    /// The message before which earlier ones are fetched.
    var oldest: MessageID? { messages.first { $0.position != nil }?.id }

    /// The list begins anew with the newest messages.
    mutating func reload(_ page: HistorySlice) {
        messages = page.messages
        reachedStart = page.reachedStart
    }

    /// Adds a page that is before the first message.
    mutating func addEarlier(_ page: HistorySlice) {
        for message in page.messages where message.position != nil { insert(message) }
        if page.reachedStart { reachedStart = true }
    }

    /// Adds a message, or replaces an older state of it. One that is before the first is left out, unless nothing is
    /// before the first: it comes with its page.
    mutating func put(_ message: ChatMessage) {
        guard message.kind == .known(.message) else { return }
        guard !messages.contains(where: { $0.id == message.id }) else { return insert(message) }
        if let position = message.position, !reachedStart, let first = messages.first?.position, position < first {
            return
        }
        insert(message)
    }

    mutating func remove(_ id: MessageID) { messages.removeAll { $0.id == id } }

    /// Sets the status of an own message, which only advances; but a failed one may begin anew.
    mutating func mark(_ id: MessageID, _ status: ChatMessage.Status) {
        guard let index = messages.lastIndex(where: { $0.id == id }), let old = messages[index].status,
            old.rank < status.rank || status.rank == 0
        else { return }
        messages[index].status = status
    }

    private mutating func insert(_ message: ChatMessage) {
        var message = message
        if let index = messages.lastIndex(where: { $0.id == message.id }) {
            let old = messages[index]
            // An event from before it was sent.
            guard old.position == nil || message.position != nil else { return }
            if let status = old.status, let new = message.status, new.rank < status.rank, status.rank > 0, new.rank > 0
            {
                message.status = status
            }
            guard old.position != message.position else { return messages[index] = message }
            messages.remove(at: index)
        }
        guard let position = message.position else { return messages.append(message) }
        // Most come at the end.
        let index = messages.lastIndex { $0.position.map { $0 < position } ?? false }.map { $0 + 1 } ?? 0
        messages.insert(message, at: index)
    }
}

extension ChatMessage.Status {
    fileprivate var rank: Int {
        switch self {
        case .failed: 0
        case .queued: 1
        case .sent: 2
        case .delivered: 3
        case .read: 4
        }
    }
}
