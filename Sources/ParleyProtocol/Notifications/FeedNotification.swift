/// The subject of a notification: ids and names, and no text of anybody's.
public struct NotificationSubject: GatewayObject {
    public var conversation: ConversationID?
    public var group: GroupID?
    /// Of `message`, in the log of its conversation.
    public var seq: Int?
    public var message: MessageID?
    public var challenge: ChallengeID?
    /// An item of the user's activity.
    public var activity: ActivityID?
    /// The type of a board, and its week.
    public var board: String?
    public var week: String?

    public init(
        conversation: ConversationID? = nil, group: GroupID? = nil, seq: Int? = nil, message: MessageID? = nil,
        challenge: ChallengeID? = nil, activity: ActivityID? = nil, board: String? = nil, week: String? = nil
    ) {
        self.conversation = conversation
        self.group = group
        self.seq = seq
        self.message = message
        self.challenge = challenge
        self.activity = activity
        self.board = board
        self.week = week
    }

    package init<Pass: FieldPass<NotificationSubject>>(fields pass: inout Pass) throws(Pass.Failure) {
        conversation = try pass.optional("conversation_id", \.conversation)
        group = try pass.optional("group_id", \.group)
        seq = try pass.optional("seq", \.seq)
        message = try pass.optional("message_id", \.message, without: .omitted)
        challenge = try pass.optional("challenge_id", \.challenge, without: .omitted)
        activity = try pass.optional("activity_id", \.activity, without: .omitted)
        board = try pass.optional("board", \.board, as: .text(64), without: .omitted)
        week = try pass.optional("week", \.week, as: .text(64), without: .omitted)
    }
}

/// A notification as the user sees it: an item of `notifications/list`, and the event `notification.new` of a gateway
/// without push. One with push publishes a ``PushNotification``, and reads both.
public struct FeedNotification: PersonalEvent, GatewayObject {
    package static let names = ["notification.new"]
    package static var channel: UserChannel { .notifications }

    public let id: NotificationID
    public let type: Named<NotificationType>
    /// The user who has caused it; `nil` if nobody has.
    public let actor: UserID?
    public let subject: NotificationSubject
    /// The unread messages in all conversations of the user's that are not muted.
    public let badge: UnreadCount
    public let isRead: Bool
    public let createdAt: Timestamp
    /// The end of its time in the feed.
    public let expiresAt: Timestamp

    public init(
        id: NotificationID, type: Named<NotificationType>, actor: UserID?, subject: NotificationSubject,
        badge: UnreadCount, isRead: Bool, createdAt: Timestamp, expiresAt: Timestamp
    ) {
        self.id = id
        self.type = type
        self.actor = actor
        self.subject = subject
        self.badge = badge
        self.isRead = isRead
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    package init<Pass: FieldPass<FeedNotification>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        type = try pass.required("type", \.type)
        actor = try pass.optional("actor_id", \.actor)
        subject = try pass.part(\.subject)
        badge = try pass.required("badge", \.badge)
        isRead = try pass.required("is_read", \.isRead)
        createdAt = try pass.required("created_at", \.createdAt)
        expiresAt = try pass.required("expires_at", \.expiresAt)
    }
}

/// The event `notification.cleared`: notifications, or those shown for messages, are to be removed.
public struct NotificationsCleared: PersonalEvent, GatewayObject {
    package static let names = ["notification.cleared"]
    package static var channel: UserChannel { .notifications }

    /// Those of the feed; `nil` for all before this event.
    public let ids: [NotificationID]?
    /// Remove the notifications shown for this conversation up to ``seq``: read on another device, removed, or no
    /// longer counted. ``ids`` is then empty.
    public let conversation: ConversationID?
    /// The epoch that ``seq`` belongs to.
    public let epoch: String?
    public let seq: Int?
    /// The unread notifications in the feed.
    public let unreadCount: Int
    /// As in ``FeedNotification``.
    public let badge: UnreadCount
    public let at: Timestamp

    public init(
        ids: [NotificationID]?, conversation: ConversationID? = nil, epoch: String? = nil, seq: Int? = nil,
        unreadCount: Int, badge: UnreadCount, at: Timestamp
    ) {
        self.ids = ids
        self.conversation = conversation
        self.epoch = epoch
        self.seq = seq
        self.unreadCount = unreadCount
        self.badge = badge
        self.at = at
    }

    package init<Pass: FieldPass<NotificationsCleared>>(fields pass: inout Pass) throws(Pass.Failure) {
        ids = try pass.optional("ids", \.ids, as: .uuids())
        conversation = try pass.optional("conversation_id", \.conversation, without: .omitted)
        epoch = try pass.optional("epoch", \.epoch, as: .epoch, without: .omitted)
        seq = try pass.optional("seq", \.seq, without: .omitted)
        unreadCount = try pass.required("unread_count", \.unreadCount)
        badge = try pass.required("badge", \.badge)
        at = try pass.required("at", \.at)
    }
}
