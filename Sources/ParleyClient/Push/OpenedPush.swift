import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol

/// A push notification as an app shows it (protocol §7), opened with the keys that the device trusts.
///
/// Its kind, time and count are the gateway's word. A message's sender and content are proved as always: by the
/// sender's key, bound to the conversation and the message's id.
public struct OpenedPush: Hashable, Sendable, Identifiable {
    /// The same on every repeat.
    public let id: NotificationID
    public let content: Content
    /// The conversation that it leads to, if any.
    public let position: Position?
    /// The unread count for ``LatestBadge``; `nil` if the push is another device's.
    public let badge: Badge?
    public let createdAt: Timestamp

    public enum Content: Hashable, Sendable {
        case message(PushedMessage)
        /// Nothing to show. The app removes the conversation's notifications up to the number of
        /// ``OpenedPush/position``, and of its message, if any. They need not have been read.
        case clear
        /// The quiet hours are over, and messages have come meanwhile.
        case digest
        /// A test by an operator.
        case test
        /// Something has come; the device connects to fetch it.
        case wakeUp
        /// An item of the feed of notifications.
        case feed(FeedNotification)
        /// A push that cannot be shown, and why.
        case unopened(UnopenedPush)
    }

    /// A position in a conversation, as the gateway says.
    public struct Position: Hashable, Sendable {
        public let conversation: ConversationID
        public var epoch: String?
        /// `nil` for the conversation as a whole.
        public var seq: Int?
        public var message: MessageID?
    }

    /// The challenge or conversation that it leads to, if any.
    public var link: AppLink? {
        if case .feed(let notification) = content, let challenge = notification.subject.challenge {
            return .challenge(challenge)
        }
        return position.map { .conversation($0.conversation) }
    }
}

/// A message in a push.
public struct PushedMessage: Hashable, Sendable {
    /// If it is stored on this device, with later changes. Its content is opened, or the gateway's notice.
    public let message: ChatMessage
    /// Whether the person has compared the sender's account key (``MessagingClient/Keys/isVerified(_:)``).
    public let isSenderVerified: Bool
    /// Whether the user has already read it, as far as this device knows: then there is nothing to show.
    public let isRead: Bool

    public var sender: DeviceAddress { message.sender }
}

/// Why a push can only be shown as "something has come", perhaps with its conversation.
public enum UnopenedPush: Error, Hashable, Sendable, CustomStringConvertible {
    /// The push does not include the message: too large, or the gateway never includes it. The device gets it when it
    /// connects.
    case reference
    /// The message cannot be opened. Its sender is not proved, and not shown.
    case sealed(OpeningError)
    case notForThisDevice
    /// The push or its message has expired.
    case expired
    case deleted
    /// It contradicts its message, is about the user's own message, or lacks required fields. No honest gateway sends
    /// that.
    case contradictory
    /// A type of a later version.
    case unknownType(String)

    /// A stable name for programs.
    public var code: String {
        switch self {
        case .reference: "reference"
        case .sealed(let reason): reason.code
        case .notForThisDevice: "not_for_this_device"
        case .expired: "expired"
        case .deleted: "deleted"
        case .contradictory: "contradictory"
        case .unknownType: "unknown_type"
        }
    }

    /// A sentence for people.
    public var description: String {
        switch self {
        case .reference: "the message is not in it: the device has it when it connects"
        case .sealed(let reason): reason.description
        case .notForThisDevice: "for another user or device"
        case .expired: "of no use any more"
        case .deleted: "the message was deleted"
        case .contradictory: "it contradicts itself: no honest gateway sends that"
        case .unknownType(let name): "of the type \(name), which this version does not know"
        }
    }
}

/// Why a push could not be opened. A readable push of any content is no error, but an ``OpenedPush``.
public enum PushError: Error, Sendable, CustomStringConvertible {
    case payload(ReadingError)
    /// The device has no keys: no client has ever run on it.
    case noKeys(DeviceAddress)
    case keys(KeyStoreError)
    /// Other users' keys.
    case peers(PeerKeysError)
    /// The database, also with `tooOld` or `tooNew` if app and extension are of different versions.
    case storage(DeviceStoreError)

    /// A sentence for people.
    public var description: String {
        switch self {
        case .payload(let error): "no push notification: \(error)"
        case .noKeys(let device): "\(device) has no keys"
        case .keys(let error): error.description
        case .peers(let error): error.description
        case .storage(let error): error.description
        }
    }
}
