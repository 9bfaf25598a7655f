import ParleyCrypto
import ParleyProtocol

/// A message as an app shows it, with the changes made to it since.
///
/// Changes to messages are log records too, and have the same form, with their ``kind`` and ``target``.
public struct ChatMessage: Hashable, Sendable, Identifiable, PrintedWithoutContent {
    public let id: MessageID
    public let conversation: ConversationID
    /// Its position in the conversation's log; `nil` until it is sent.
    public let position: Position?
    public let kind: Named<RecordKind>
    /// The message that an edit, a deletion or a reaction changes.
    public let target: MessageID?
    public let sender: DeviceAddress
    public let type: Named<MessageType>
    public let suite: Named<Suite>?
    public let replyTo: MessageID?
    public let expiresAt: Timestamp?
    /// By the gateway's clock; by this device's before it is sent.
    public let createdAt: Timestamp
    /// Its latest content.
    public let content: Content
    /// The time of its last edit, if any.
    public let editedAt: Timestamp?
    /// One reaction of each member.
    public let reactions: [UserID: String]
    /// The status of the user's own messages; `nil` for others'.
    public internal(set) var status: Status?
    /// Devices that cannot read it: the sender has not accepted their keys, or nobody has certified them.
    public internal(set) var leftOut: [DeviceAddress] = []

    public var isEdited: Bool { editedAt != nil }

    /// Without its content and reactions.
    public var description: String {
        "\(kind.name) \(id) of \(sender) in \(conversation), \(content)\(status.map { ", \($0)" } ?? "")"
    }

    /// How far its opened content is proved. An app shows a message that is not ``Protection/bound`` with a mark.
    public var protection: Protection { suite?.value.map(Protection.init) ?? .bound }

    /// Its file, if it has one.
    public var attachment: Attachment? {
        guard case .opened(let content) = content else { return nil }
        return content.value.attachment
    }

    /// Whether clients sent it by themselves because a message could not be opened: not for display.
    public var isResending: Bool {
        guard case .opened(let content) = content else { return false }
        return content.value == .resendRequest || (kind == .known(.edit) && ResentMark.isOn(content.json))
    }

    public struct Position: Hashable, Comparable, Sendable {
        /// Counted on this device: 0, and one more with each new epoch. Records that epochs share have the earliest
        /// one's.
        public let chapter: Int
        /// The newest epoch with it.
        public let epoch: String
        /// 1, 2, 3 … without a gap in an epoch.
        public let seq: Int

        package init(chapter: Int = 0, epoch: String, seq: Int) {
            (self.chapter, self.epoch, self.seq) = (chapter, epoch, seq)
        }

        /// The order in which this device shows messages.
        public static func < (one: Position, other: Position) -> Bool {
            (one.chapter, one.seq) < (other.chapter, other.seq)
        }
    }

    public enum Protection: String, CaseIterable, Sendable {
        /// By the sender's key, as this message: its conversation, id, type, reply, target and time to live are sealed
        /// with it.
        case bound
        /// In the form of old apps (`legacy-nacl-box`). One of the two of a direct conversation wrote the words, and
        /// nothing else is proved. Whoever has them, the gateway included, may repeat them as another message, choose
        /// their type, reply and expiry, bring them from wherever else the same keys serve, or show the user's own
        /// words as the other's.
        case legacy
    }

    public enum Content: Hashable, Sendable, PrintedWithoutContent {
        case opened(OpenedContent)
        /// A notice of the gateway.
        case system(SystemNotice)
        /// Deleted, with its ciphertext.
        case removed
        /// It cannot be read. If it can be opened later, it is emitted again.
        case unreadable(OpeningError)

        public var description: String {
            switch self {
            case .opened(let content): "opened: \(content)"
            case .system: "a notice of the gateway"
            case .removed: "removed"
            case .unreadable(let reason): "unreadable: \(reason)"
            }
        }
    }

    public enum Status: Hashable, Sendable {
        /// Stored on this device, to be sent.
        case queued
        /// Stored by the gateway.
        case sent
        /// On at least one device of every other member.
        case delivered
        /// Read by every other member.
        case read
        /// Not sent until ``MessagingClient/retry(_:)``.
        case failed(SendError)
    }
}

/// Successive messages without a gap. Messages of earlier epochs come before those of the present one.
public struct HistorySlice: Hashable, Sendable {
    /// Ascending by ``ChatMessage/position``; unsent ones come last.
    public let messages: [ChatMessage]
    /// No message is before the first.
    public let reachedStart: Bool
    /// No message is known to be after the last.
    public let reachedEnd: Bool
}

/// An opened message: its parsed content, and the whole JSON.
public struct OpenedContent: Hashable, Sendable, PrintedWithoutContent {
    public let value: MessageContent
    /// The JSON object in one line, with unknown members.
    public let json: [UInt8]

    /// - Throws: `badContent` for invalid JSON, or a missing required member.
    public init(
        kind: Named<RecordKind> = .known(.message), type: Named<MessageType>, json: [UInt8]
    ) throws(OpeningError) {
        value = try MessageContent(kind: kind, type: type, json: json)
        self.json = OpenedContent.withoutSpace(json)
    }

    /// Without the JSON.
    public var description: String { value.description }

    /// Removes the white space between the tokens of valid JSON.
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
    /// A message before it is in the log.
    ///
    /// - Parameter changes: the unsent changes to it.
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
            id: id, conversation: conversation, position: nil, kind: .known(kind), target: change?.target,
            sender: device,
            type: .known(type.type), suite: suite.map { .known($0.suite) }, replyTo: replyTo, expiresAt: nil,
            createdAt: writtenAt, content: shown, editedAt: changes.editedAt, reactions: changes.shownReactions,
            status: status)
    }
}

extension ChatMessage.Content {
    init(_ json: [UInt8], kind: Named<RecordKind>, type: Named<MessageType>) {
        do throws(OpeningError) {
            self = .opened(try OpenedContent(kind: kind, type: type, json: json))
        } catch {
            self = .unreadable(error)
        }
    }
}
