import ParleyCrypto
import ParleyProtocol

/// A message as an app shows it: what the gateway says of it, what is in it, and what has become of it since.
///
/// Changes to messages are records of the log, too, and look the same: with their ``kind`` and ``target``.
public struct ChatMessage: Hashable, Sendable, Identifiable {
    public let id: MessageID
    public let conversation: ConversationID
    /// Where it stands in the conversation's log; `nil` until it is sent.
    public let place: Place?
    public let kind: Named<RecordKind>
    /// The message that an edit, a deletion or a reaction is about.
    public let target: MessageID?
    public let sender: DeviceAddress
    public let type: Named<MessageType>
    public let suite: Named<Suite>?
    public let replyTo: MessageID?
    public let expiresAt: Timestamp?
    /// By the gateway's clock; by this device's while it is not sent.
    public let createdAt: Timestamp
    /// What it says: its newest text.
    public let content: Content
    /// When its text was last changed; `nil` if it never was.
    public let editedAt: Timestamp?
    /// How members have reacted, each once.
    public let reactions: [UserID: String]
    /// How far a message of the user's own has come; `nil` for those of others.
    public let status: Status?
    /// The devices that its sender has left out: they are listed, and their keys were not accepted or certified. They
    /// cannot read it.
    public internal(set) var leftOut: [DeviceAddress] = []

    public var isEdited: Bool { editedAt != nil }

    /// Whether clients wrote it by themselves because a message could not be opened: it says nothing to people, and what it
    /// is about is given out as a message.
    public var isResending: Bool {
        guard case .opened(let content) = content else { return false }
        return content.value == .resendRequest || (kind == .known(.edit) && ResentMark.isOn(content.json))
    }

    public struct Place: Hashable, Comparable, Sendable {
        /// Counted on this device: 0, and one more each time the gateway's history began anew. What epochs share stands in
        /// the earliest one's.
        public let chapter: Int
        /// The newest epoch that has it.
        public let epoch: String
        /// 1, 2, 3 … without a hole inside an epoch.
        public let seq: Int

        package init(chapter: Int = 0, epoch: String, seq: Int) {
            self.chapter = chapter
            self.epoch = epoch
            self.seq = seq
        }

        /// The order in which this device shows messages.
        public static func < (one: Place, other: Place) -> Bool {
            (one.chapter, one.seq) < (other.chapter, other.seq)
        }
    }

    public enum Content: Hashable, Sendable {
        case opened(OpenedContent)
        /// The gateway's own words.
        case system(SystemNotice)
        /// It was deleted, and its ciphertext is gone.
        case removed
        /// It stands here, and why it cannot be read. It is opened, and given out again, should that become possible.
        case unreadable(OpeningFailure)
    }

    public enum Status: Hashable, Sendable {
        /// Kept on this device; it is sent as soon as it can be.
        case queued
        /// Stored by the gateway.
        case sent
        /// Every other member has it on one device at least.
        case delivered
        /// Every other member has seen it.
        case read
        /// It is not sent before ``MessagingClient/retry(_:)``.
        case setAside(SetAsideReason)
    }
}

/// Messages that follow each other without a hole. Where the gateway's history began anew, those come first which it has
/// no more.
public struct HistorySlice: Hashable, Sendable {
    /// Ascending by ``ChatMessage/place``; what is not sent yet comes last.
    public let messages: [ChatMessage]
    /// Nothing is before the first of them.
    public let reachedStart: Bool
    /// Nothing is after the last of them, as far as is known.
    public let reachedEnd: Bool
}
