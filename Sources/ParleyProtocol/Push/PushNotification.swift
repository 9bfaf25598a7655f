/// The type of a push notification (protocol §7).
public enum PushType: Hashable, Sendable {
    case message
    /// Remove the notifications of a conversation up to a seq: read on another device, removed, or no longer counted.
    case clear
    /// The quiet hours are over, and there are new messages.
    case digest
    /// A test by an operator.
    case test
    /// There is news; the device learns what when it connects.
    case wakeUp
    /// A notification of the feed.
    case feed(NotificationType)
}

extension PushType: RawRepresentable, CaseIterable {
    public static let allCases: [PushType] =
        [.message, .clear, .digest, .test, .wakeUp] + NotificationType.allCases.map(PushType.feed)

    public var rawValue: String {
        switch self {
        case .message: "message"
        case .clear: "clear"
        case .digest: "digest"
        case .test: "test"
        case .wakeUp: "wake_up"
        case .feed(let type): type.rawValue
        }
    }

    public init?(rawValue: String) {
        guard let type = PushType.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = type
    }
}

/// The notification object, for the topic `users/{uid}/notifications` and every push service (protocol §7).
///
/// It contains no name and no text of anybody's except the ciphertext of a message.
public struct PushNotification: AddressedEvent, GatewayObject {
    package static let names = ["notification.new"]
    package var topic: Topic { .user(user, .notifications) }
    package var received: ReceivedEvent { .push(self) }

    /// The same on every repeat, for one message and device.
    public let id: NotificationID
    public let type: Named<PushType>
    public let user: UserID
    /// `nil` on the topic, which all devices of the user hear.
    public let device: DeviceID?
    /// The user who has caused it; `nil` if nobody has.
    public let actor: UserID?
    /// Of a message: its conversation and `seq`; of `clear`: the conversation and the last `seq`.
    public let subject: NotificationSubject
    /// Of `seq`.
    public let epoch: String?
    /// The unread messages in the user's conversations that are neither archived nor muted.
    public private(set) var badge: UnreadCount
    /// The time of `badge`.
    public let badgeAt: Timestamp
    public let isRead: Bool
    public let createdAt: Timestamp
    /// It is of no use afterwards.
    public let expiresAt: Timestamp
    /// The data of `message.new`; `nil` if there is none, or no room for it.
    public private(set) var message: MessageRecord?

    public init(
        id: NotificationID, type: Named<PushType>, user: UserID, device: DeviceID?, actor: UserID? = nil,
        subject: NotificationSubject = NotificationSubject(), epoch: String? = nil, badge: UnreadCount,
        badgeAt: Timestamp, isRead: Bool = false, createdAt: Timestamp, expiresAt: Timestamp,
        message: MessageRecord? = nil
    ) {
        self.id = id
        self.type = type
        self.user = user
        self.device = device
        self.actor = actor
        self.subject = subject
        self.epoch = epoch
        self.badge = badge
        self.badgeAt = badgeAt
        self.isRead = isRead
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.message = message
    }

    /// Only a pushed notification has the time of its badge.
    package static func read(_ name: String, _ data: JSONObject) throws(ReadingError) -> any PublishedEvent {
        data.has("badge_at") ? try PushNotification(reading: data) : try FeedNotification(reading: data)
    }

    package init<Pass: FieldPass<PushNotification>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        type = try pass.required("type", \.type)
        user = try pass.required("user_id", \.user)
        device = try pass.optional("device_id", \.device)
        actor = try pass.optional("actor_id", \.actor)
        subject = try pass.part(\.subject)
        epoch = try pass.optional("epoch", \.epoch, as: .epoch)
        badge = try pass.required("badge", \.badge)
        badgeAt = try pass.required("badge_at", \.badgeAt)
        isRead = try pass.required("is_read", \.isRead, default: false)
        createdAt = try pass.required("created_at", \.createdAt)
        expiresAt = try pass.required("expires_at", \.expiresAt)
        message = try pass.optional("message", \.message, as: .object())
    }
}

extension PushNotification {
    /// A notification of the user's feed, for the topic.
    package init(_ notification: FeedNotification, of user: UserID, at now: Timestamp) {
        let type: Named<PushType> =
            switch notification.type {
            case .known(let type): .known(.feed(type))
            case .unknown(let name): .unknown(name)
            }
        self.init(
            id: notification.id, type: type, user: user, device: nil, actor: notification.actor,
            subject: notification.subject, badge: notification.badge, badgeAt: now, isRead: notification.isRead,
            createdAt: notification.createdAt, expiresAt: notification.expiresAt)
    }

    /// The object in at most `limit` bytes: with the message if that fits, otherwise with the message and only the
    /// device's own recipient key, otherwise without the message.
    ///
    /// - Parameter cost: the size of a JSON text at its destination, in bytes; by default its own.
    public func json(fitting limit: Int, cost: ([UInt8]) -> Int = { $0.count }) -> [UInt8] {
        fitting(limit, cost: cost).json
    }

    /// The same as an object.
    package func fitting(_ limit: Int, cost: ([UInt8]) -> Int = { $0.count }) -> PushNotification {
        guard let message, cost(json) > limit else { return self }
        if let device {
            var trimmed = self
            trimmed.message = message.withRecipientKeys(only: DeviceAddress(user: user, device: device))
            if cost(trimmed.json) <= limit { return trimmed }
        }
        return reference
    }

    /// With the badge of now.
    package func counted(_ badge: Int) -> PushNotification {
        var counted = self
        counted.badge = .counted(badge)
        return counted
    }

    /// Without the message.
    package var reference: PushNotification {
        var reference = self
        reference.message = nil
        return reference
    }

    /// Only that there is news, and the badge.
    package var wakeUp: PushNotification {
        PushNotification(
            id: id, type: .known(.wakeUp), user: user, device: device, badge: badge, badgeAt: badgeAt,
            createdAt: createdAt, expiresAt: expiresAt)
    }
}
