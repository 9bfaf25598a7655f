import ParleyClient
import ParleyProtocol

/// A message as the chat shows it.
struct ChatLine: Hashable, Sendable {
    let key: Key
    let author: UserID
    /// Its place in the conversation; `nil` while the gateway has not given it one.
    let position: ChatMessage.Position?
    let time: Timestamp
    let text: String
    let look: Look
    /// Whether it was edited, and the reactions.
    var notes: String?
    /// Whether it has a file.
    var hasFile = false
    /// The message that it answers, in short.
    var quote: String?

    enum Key: Hashable, Sendable {
        case message(MessageID)
        /// A message that bears the id of another one.
        case copy(ChatMessage.Position)
    }

    enum Look: Hashable, Sendable {
        case received
        case own(Progress)
        /// It cannot be opened; the text says why.
        case unreadable
        /// It cannot be opened because it was sent before this device was linked.
        case earlier
        /// A notice of the gateway: a member joined, or left.
        case system
    }

    /// How far one's own message has come.
    enum Progress: Hashable, Sendable {
        case queued, sent, delivered, read
        /// It is not tried again by itself.
        case failed
    }
}

extension ChatLine.Progress {
    var mark: String {
        switch self {
        case .queued: "…"
        case .sent: "✓"
        case .delivered, .read: "✓✓"
        case .failed: "✗ not sent"
        }
    }

    var style: Style {
        switch self {
        case .queued, .sent, .delivered: .faint
        case .read: .good
        case .failed: .warning
        }
    }
}
