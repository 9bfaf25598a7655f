import ParleyClient
import ParleyCrypto
import ParleyProtocol

extension ChatLine {
    /// A message as the chat shows it to the user `me`.
    ///
    /// - Parameter isEarlier: whether it was sent before this device was linked, and cannot be opened.
    init(_ message: ChatMessage, me: UserID, isEarlier: Bool = false, quote: String? = nil) {
        self.init(
            key: Key(message), author: message.sender.user, position: message.position, time: message.createdAt,
            text: message.text, look: isEarlier ? .earlier : Look(message, me: me), notes: message.notes,
            hasFile: message.attachment != nil, quote: quote)
    }
}

extension ChatLine {
    /// The beginning of it, for a message that answers it.
    var quoted: String {
        let line = text.printableLines.first { !$0.isEmpty } ?? ""
        let beginning = line.prefix(columns: ChatLine.longestQuote)
        let isCut = beginning.count < line.count || text.contains(where: \.isNewline)
        return "\(author): \(beginning)\(isCut ? "…" : "")"
    }

    private static let longestQuote = 60
    /// In the place of a quote that is not here yet.
    static let unknownQuote = "an older message"
}

extension ChatMessage {
    /// Each reaction once, with how many have it where that is more than one.
    fileprivate var notes: String? {
        var notes = isEdited ? ["edited"] : []
        let emojis = Dictionary(grouping: reactions.values) { $0 }.mapValues(\.count)
        notes += emojis.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { emoji, count in
            count > 1 ? "\(emoji) \(count)" : emoji
        }
        return notes.isEmpty ? nil : notes.joined(separator: " · ")
    }
}

extension ChatLine.Key {
    fileprivate init(_ message: ChatMessage) {
        if case .unreadable(.replayed) = message.content, let position = message.position {
            self = .copy(position)
        } else {
            self = .message(message.id)
        }
    }
}

extension ChatLine.Look {
    fileprivate init(_ message: ChatMessage, me: UserID) {
        switch message.content {
        case .unreadable: self = .unreadable
        case .system: self = .system
        case .opened, .removed:
            guard message.sender.user == me else {
                self = .received
                return
            }
            self = .own(message.status.map(ChatLine.Progress.init) ?? .sent)
        }
    }
}

extension ChatLine.Progress {
    init(_ status: ChatMessage.Status) {
        switch status {
        case .queued: self = .queued
        case .sent: self = .sent
        case .delivered: self = .delivered
        case .read: self = .read
        case .failed: self = .failed
        }
    }
}
