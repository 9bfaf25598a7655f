import ParleyClient
import ParleyCrypto
import ParleyProtocol

extension ChatLine {
    /// A message as the chat shows it to the user `me`.
    init(_ message: ChatMessage, me: UserID) {
        self.init(
            key: Key(message), author: message.sender.user, seq: message.place?.seq, time: message.createdAt,
            text: message.text, look: Look(message, me: me))
    }
}

extension ChatLine.Key {
    fileprivate init(_ message: ChatMessage) {
        if case .unreadable(.replayed) = message.content, let place = message.place {
            self = .copy(seq: place.seq)
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
        case .setAside: self = .setAside
        }
    }
}
