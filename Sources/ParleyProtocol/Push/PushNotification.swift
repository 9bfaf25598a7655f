/// What a push notification is about (protocol §7).
public enum PushType: Hashable, Sendable {
    /// A message.
    case message
    /// What was shown of a conversation up to a place is to be taken away: it was read on another device, is gone, or
    /// counts no more.
    case clear
    /// The quiet hours are over, and something has come meanwhile.
    case digest
    /// An operator tries whether the device can be reached.
    case test
    /// Something has come; what, the device finds out when it connects.
    case wakeUp
    /// What came into the feed of notifications.
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

/// The one notification object, for the topic `users/{uid}/notifications` and every push service (protocol §7).
///
/// No name and no text of anybody's is in it but the ciphertext of a message.
public struct PushNotification: AddressedEvent, GatewayObject {
    package static let names = ["notification.new"]
    package var topic: Topic { .user(user, .notifications) }
    package var received: ReceivedEvent { .push(self) }

    /// The same on every repeat: one for a message and device.
    public let id: NotificationID
    public let type: Named<PushType>
    public let user: UserID
    /// `nil` on the topic, which all devices of the user hear.
    public let device: DeviceID?
    /// Who has caused it; `nil` where nobody has.
    public let actor: UserID?
    /// What it is about; of a message its conversation and `seq`, of `clear` the conversation and the `seq` read up to.
    public let subject: NotificationSubject
    /// The epoch that `seq` belongs to.
    public let epoch: String?
    /// How many messages are unread in the user's conversations that are neither archived nor muted.
    public private(set) var badge: UnreadCount
    /// The time for which `badge` is true.
    public let badgeAt: Timestamp
    public let isRead: Bool
    public let createdAt: Timestamp
    /// After that it is of no use.
    public let expiresAt: Timestamp
    /// The data of `message.new`; `nil` where there is none, or no room for it.
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

    /// Only what is also pushed says for which time its badge is true.
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
    /// What has come into a user's feed, for the topic.
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

    /// The object in at most so many bytes: with the message if that fits, or with the message and of its recipients'
    /// keys the device's own alone, or without the message.
    ///
    /// - Parameter cost: what a JSON text takes up where it is put, in bytes; without it, its own.
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

    /// The same with a number that is counted now.
    package func counted(_ badge: Int) -> PushNotification {
        var counted = self
        counted.badge = .counted(badge)
        return counted
    }

    /// The same without the ciphertext of the message.
    package var reference: PushNotification {
        var reference = self
        reference.message = nil
        return reference
    }

    /// No more of it than that there is something, and how much is unread.
    package var wakeUp: PushNotification {
        PushNotification(
            id: id, type: .known(.wakeUp), user: user, device: device, badge: badge, badgeAt: badgeAt,
            createdAt: createdAt, expiresAt: expiresAt)
    }
}
