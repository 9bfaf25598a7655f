import ParleyCrypto
import ParleyProtocol

/// A message as an app shows it: what the gateway says of it, what is in it, and what has become of it since.
///
/// Changes to messages are records of the log, too, and look the same: with their ``kind`` and ``target``.
public struct ChatMessage: Hashable, Sendable, Identifiable {
    public let id: MessageID
    public let conversation: ConversationID
    /// Where it is in the conversation's log; `nil` until it is sent.
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

    /// Whether clients wrote it by themselves because a message could not be opened: it says nothing to people, and
    /// what it is about is emitted as a message.
    public var isResending: Bool {
        guard case .opened(let content) = content else { return false }
        return content.value == .resendRequest || (kind == .known(.edit) && ResentMark.isOn(content.json))
    }

    public struct Place: Hashable, Comparable, Sendable {
        /// Counted on this device: 0, and one more each time the gateway's history began anew. What epochs share is in
        /// the earliest one's.
        public let chapter: Int
        /// The newest epoch that has it.
        public let epoch: String
        /// 1, 2, 3 … without a hole inside an epoch.
        public let seq: Int

        package init(chapter: Int = 0, epoch: String, seq: Int) {
            (self.chapter, self.epoch, self.seq) = (chapter, epoch, seq)
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
        /// It is here, and why it cannot be read. It is opened, and emitted again, should that become possible.
        case unreadable(OpeningError)
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
        case failed(SendError)
    }
}

/// Messages that follow each other without a hole. Where the gateway's history began anew, those come first which it
/// has no more.
public struct HistorySlice: Hashable, Sendable {
    /// Ascending by ``ChatMessage/place``; what is not sent yet comes last.
    public let messages: [ChatMessage]
    /// Nothing is before the first of them.
    public let reachedStart: Bool
    /// Nothing is after the last of them, as far as is known.
    public let reachedEnd: Bool
}

/// An opened message: what this version makes of it, and the whole of what was sealed.
public struct OpenedContent: Hashable, Sendable {
    public let value: MessageContent
    /// The JSON object in one line, members of later versions with it.
    public let json: [UInt8]

    /// - Throws: `badContent` for what is no JSON object, or lacks what its type must have.
    public init(
        kind: Named<RecordKind> = .known(.message), type: Named<MessageType>, json: [UInt8]
    ) throws(OpeningError) {
        value = try MessageContent(kind: kind, type: type, json: json)
        self.json = OpenedContent.withoutSpace(json)
    }

    /// Leaves out the white space between the tokens of a text that is known to be JSON.
    private static func withoutSpace(_ json: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(json.count)
        var isInString = false
        var isEscaped = false
        for byte in json {
            if isInString {
                if byte == UInt8(ascii: "\""), !isEscaped { isInString = false }
                isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            } else {
                if byte == 0x20 || (0x09...0x0D).contains(byte) { continue }
                isInString = byte == UInt8(ascii: "\"")
            }
            result.append(byte)
        }
        return result
    }
}

// MARK: On its way

extension Draft {
    /// A message as it is shown before it is in the log.
    ///
    /// - Parameter changes: those that wait to be sent after it.
    func message(
        _ id: MessageID, in conversation: ConversationID, of device: DeviceAddress, _ status: ChatMessage.Status,
        _ changes: MessageChanges = MessageChanges()
    ) -> ChatMessage {
        var shown = ChatMessage.Content.removed
        if !changes.isRemoved, change?.kind != .delete {
            shown = ChatMessage.Content(
                changes.shownContent(over: content) ?? content, kind: .known(kind), type: .known(type.type))
        }
        return ChatMessage(
            id: id, conversation: conversation, place: nil, kind: .known(kind), target: change?.target, sender: device,
            type: .known(type.type), suite: suite.map { .known($0) }, replyTo: replyTo, expiresAt: nil,
            createdAt: writtenAt, content: shown, editedAt: changes.editedAt, reactions: changes.shownReactions,
            status: status)
    }
}

extension ChatMessage.Content {
    /// What was sealed: a JSON object.
    init(_ json: [UInt8], kind: Named<RecordKind>, type: Named<MessageType>) {
        do throws(OpeningError) {
            self = .opened(try OpenedContent(kind: kind, type: type, json: json))
        } catch {
            self = .unreadable(error)
        }
    }
}
