import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol

/// A push notification as an app shows it (protocol §7): opened on the device by the keys that it trusts.
///
/// The gateway has chosen what it is, when it came and what it counts. Who has written a message and what it says is
/// proved as for every other message: by the sender's key, which is bound to the conversation and to the message's id.
public struct OpenedPush: Hashable, Sendable, Identifiable {
    /// The same on every repeat.
    public let id: NotificationID
    public let content: Content
    /// Where to go when the person follows it; `nil` where it leads nowhere.
    public let place: Place?
    /// What the app's icon counts, for ``BadgeBoard``; `nil` where it is another device's.
    public let badge: Badge?
    public let createdAt: Timestamp

    public enum Content: Hashable, Sendable {
        case message(PushedMessage)
        /// Nothing to show: what is shown of the conversation up to the number of ``OpenedPush/place`` is to be taken
        /// away, and the message that it names, if any. Nothing of it need be read.
        case clear
        /// The quiet hours are over, and something has come meanwhile.
        case digest
        /// An operator tries whether the device can be reached.
        case test
        /// Something has come. What, the device finds out when it connects.
        case wakeUp
        /// What came into the feed of notifications.
        case feed(FeedNotification)
        /// There is something, and why it cannot be shown here.
        case unopened(UnopenedPush)
    }

    /// A place in a conversation, as the gateway says.
    public struct Place: Hashable, Sendable {
        public let conversation: ConversationID
        /// The epoch that ``seq`` belongs to.
        public var epoch: String?
        /// `nil` for the conversation as a whole.
        public var seq: Int?
        public var message: MessageID?
    }

    /// Where to go, as a link: a challenge, or a conversation; `nil` where it leads nowhere.
    public var link: AppLink? {
        if case .feed(let notification) = content, let challenge = notification.subject.challenge {
            return .challenge(challenge)
        }
        return place.map { .conversation($0.conversation) }
    }
}

/// A message that came as a push, and can be shown.
public struct PushedMessage: Hashable, Sendable {
    /// With what has become of it since, where it is kept on this device. Its content is opened, or the gateway's own
    /// words.
    public let message: ChatMessage
    /// Whether the person has compared the sender's account key (``MessagingClient/Keys/isVerified(_:)``).
    public let isSenderVerified: Bool
    /// Whether the user has read so far, as far as this device knows: there is nothing to show then.
    public let isRead: Bool

    public var sender: DeviceAddress { message.sender }
}

/// Why there is nothing to show of a push but that something has come, and perhaps where.
public enum UnopenedPush: Error, Hashable, Sendable {
    /// The message is not in it: it was too large, or the gateway sends none. The device has it when it connects.
    case reference
    /// The message is in it, and cannot be opened. Who has written it is not proved, and not said.
    case sealed(OpeningError)
    /// It is for another user or device.
    case notForThisDevice
    /// It is of no use any more, or its message has disappeared.
    case expired
    /// The message was deleted meanwhile.
    case deleted
    /// It says one thing of the message and another in it, is about a message of the user's own, or lacks what its type
    /// must have. No honest gateway sends that.
    case contradictory
    /// Of a later version.
    case unknownType(String)
}

extension UnopenedPush: CustomStringConvertible {
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

/// Why a push could not be looked at. Whatever is in a push that can be read is no error, but ``OpenedPush``.
public enum PushError: Error, Sendable {
    /// The payload is no notification object.
    case payload(ReadingError)
    /// The device has no keys yet: no client of it has ever run.
    case noKeys(DeviceAddress)
    case keys(KeyStoreError)
    /// What is known of others' keys.
    case peers(PeerKeysError)
    /// The database: also with `tooOld` or `tooNew`, where app and extension are not of one version.
    case storage(DeviceStoreError)
}

extension PushError: CustomStringConvertible {
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
