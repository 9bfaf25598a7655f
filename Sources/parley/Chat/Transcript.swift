import ParleyClient
import ParleyProtocol

/// The messages of a conversation in their order, and the notices of the chat among them.
struct Transcript {
    enum Item: Hashable {
        case message(ChatLine)
        case notice(number: Int, text: String, style: Style)
    }

    /// The identity of an item through its changes.
    enum Identity: Hashable {
        case message(ChatLine.Key)
        case notice(Int)
    }

    private(set) var items: [Item] = []
    private var messages: Set<ChatLine.Key> = []
    private var notices = 0
    /// The messages with files, each under a number of its own from 1, in the order in which they came here.
    private var files: [MessageID] = []
    private var fileNumbers: [MessageID: Int] = [:]
    /// Rises with each change, so that a cached layout is known to be stale.
    private(set) var version = 0

    var isEmpty: Bool { items.isEmpty }

    /// The oldest message with a place in the conversation.
    private var oldest: ChatLine? {
        for case .message(let line) in items where line.position != nil { return line }
        return nil
    }

    /// The point before which older messages are fetched.
    var oldestPoint: RecordPoint? {
        oldest.flatMap { line in
            switch line.key {
            case .message(let id): .id(id)
            case .copy: line.position.map { .seq($0.seq) }
            }
        }
    }

    func contains(_ id: MessageID) -> Bool { messages.contains(.message(id)) }

    /// Whether a message is older than the oldest one here: it comes with its page.
    func isBefore(_ position: ChatMessage.Position?) -> Bool {
        guard let position, let oldest = oldest?.position else { return false }
        return position < oldest
    }

    /// The message of a number: its place in the conversation. Of several epochs the newest counts.
    func message(_ number: Int) -> MessageID? {
        for case .message(let line) in items.reversed() where line.number == number && line.look.isOfPerson {
            if case .message(let id) = line.key { return id }
        }
        return nil
    }

    func line(_ id: MessageID) -> ChatLine? { items.last { $0.line?.key == .message(id) }?.line }

    /// The newest message of another user.
    var newestReceived: (id: MessageID, position: ChatMessage.Position)? {
        for case .message(let line) in items.reversed() {
            switch (line.look, line.key, line.position) {
            case (.received, .message(let id), let position?), (.unreadable, .message(let id), let position?):
                return (id, position)
            case (.received, _, _), (.unreadable, _, _), (.earlier, _, _), (.own, _, _), (.system, _, _): continue
            }
        }
        return nil
    }

    /// The number of a message's file.
    func fileNumber(of line: ChatLine) -> Int? {
        guard line.hasFile, case .message(let id) = line.key else { return nil }
        return fileNumbers[id]
    }

    func file(_ number: Int) -> MessageID? { files.indices.contains(number - 1) ? files[number - 1] : nil }

    private mutating func giveNumber(to line: ChatLine) {
        guard line.hasFile, case .message(let id) = line.key, fileNumbers[id] == nil else { return }
        files.append(id)
        fileNumbers[id] = files.count
    }

    /// Inserts a message, or replaces it.
    mutating func insert(_ line: ChatLine) {
        version += 1
        giveNumber(to: line)
        if !messages.insert(line.key).inserted, let index = items.lastIndex(where: { $0.line?.key == line.key }) {
            if items[index].line?.position == line.position {
                items[index] = .message(line)
                return
            }
            items.remove(at: index)
        }
        items.insert(.message(line), at: index(of: line.position))
    }

    /// Sets the quote of a message, once the message that it answers is known.
    mutating func setQuote(_ quote: String, of id: MessageID) {
        guard let index = items.lastIndex(where: { $0.line?.key == .message(id) }), var line = items[index].line else {
            return
        }
        line.quote = quote
        items[index] = .message(line)
        version += 1
    }

    mutating func remove(_ id: MessageID) {
        guard messages.remove(.message(id)) != nil else { return }
        version += 1
        items.removeAll { $0.line?.key == .message(id) }
    }

    /// The newest of the user's own messages that has not been deleted.
    func newest(of user: UserID) -> MessageID? {
        for case .message(let line) in items.reversed() where line.author == user {
            if case .message(let id) = line.key, case .own = line.look { return id }
        }
        return nil
    }

    /// The notices alone.
    var withoutMessages: Transcript {
        var notices = self
        notices.removeMessages()
        return notices
    }

    /// Removes all messages, to be fetched again.
    mutating func removeMessages() {
        version += 1
        messages = []
        items.removeAll { $0.line != nil }
    }

    /// Appends a notice.
    mutating func append(_ text: String, _ style: Style = .faint) {
        version += 1
        notices += 1
        items.append(.notice(number: notices, text: text, style: style))
    }

    /// Sets the progress of an own message, which only moves forward.
    mutating func mark(_ id: MessageID, _ progress: ChatLine.Progress) {
        guard let index = items.lastIndex(where: { $0.line?.key == .message(id) }), let line = items[index].line,
            case .own(let before) = line.look, before.rank < progress.rank || before == .failed || progress == .failed
        else { return }
        items[index] = .message(line.with(.own(progress)))
        version += 1
    }

    /// Before the first message that comes later; messages without a place come last.
    private func index(of position: ChatMessage.Position?) -> Int {
        guard let position else { return items.endIndex }
        // Most come at the end.
        var index = items.endIndex
        for candidate in items.indices.reversed() {
            guard let line = items[candidate].line else { continue }
            guard line.position.map({ $0 > position }) ?? true else { break }
            index = candidate
        }
        return index
    }
}

extension Transcript.Item {
    var line: ChatLine? {
        guard case .message(let line) = self else { return nil }
        return line
    }

    var identity: Transcript.Identity {
        switch self {
        case .message(let line): .message(line.key)
        case .notice(let number, _, _): .notice(number)
        }
    }
}

extension ChatLine {
    fileprivate func with(_ look: Look) -> ChatLine {
        ChatLine(
            key: key, author: author, position: position, time: time, text: text, look: look, notes: notes,
            hasFile: hasFile, quote: quote)
    }

    /// By which a person names it: the same on every device.
    var number: Int? { position?.seq }
}

extension ChatLine.Progress {
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
