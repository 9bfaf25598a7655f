/// What a device hears on its subscriptions, parsed once from topic and payload (protocol §2, §3).
public enum GatewayEvent: Hashable, Sendable {
    /// `message.new`, `message.edited`, `message.deleted` or `message.reaction`.
    case record(MessageRecord)
    /// `message.delivered` or `message.read`.
    case receipt(Watermark)
    case typing(TypingIndicator)
    /// A friend, or the user, is there or is not.
    case presence(PresenceUpdate)
    case conversationCreated(Conversation)
    /// Name, members or roles have changed.
    case conversationUpdated(Conversation)
    /// The user is no member any more.
    case conversationRemoved(ConversationID)
    /// The user has read a conversation up to there, on this or another of their devices.
    case conversationRead(ConversationReading)
    /// The user has set how a conversation is treated, on this or another of their devices.
    case conversationSettings(ConversationSettings)
    /// Somebody asks to write to the user.
    case messageRequest(MessageRequest)
    /// Both follow each other now.
    case friendAdded(UserID)
    /// No longer.
    case friendRemoved(UserID)
    /// The user has blocked somebody, on this or another of their devices: whom to hide.
    case userBlocked(UserID)
    case userUnblocked(UserID)
    case deviceRevoked(DeviceRevocation)
    case deviceRenewed(DeviceRenewal)
    case deviceAdded(DeviceAddition)
    /// A device of the user's own has lost its registration with a push service.
    case pushEnded(PushEnd)
    /// A device of the user's own would be linked.
    case linkOffered(LinkOfferNotice)
    /// The device that is named was certified, and is handed the account key.
    case linkApproved(LinkApproval)
    /// `keys/get` has something new of a user.
    case keysChanged(UserID)
    case group(GroupEvent)
    /// The user or a friend has achieved something.
    case activity(ActivityItem)
    case activityReaction(ActivityReaction)
    /// Something new in the user's feed, of a gateway that says nothing of pushes.
    case notification(FeedNotification)
    /// What a push service brings to the user's sleeping devices: a message, or something new in the feed (protocol §7).
    case push(PushNotification)
    /// The user has read notifications on one of their devices.
    case notificationsCleared(NotificationsCleared)
    /// A challenge of a conversation is new, was answered or has ended, or somebody has come further.
    case challengeUpdated(Challenge)
    /// How a group stands in the week that runs.
    case leaderboard(Leaderboard)
    /// A week of a group is over.
    case weekEnded(WeekEnd)
    case gatewayStatus(GatewayStatus)
    /// An event of a later version, by its name; to be ignored.
    case unknown(type: String)
}

extension GatewayEvent {
    /// Reads an event as it came.
    ///
    /// - Throws: ``ReadingError``: what is no event, or lacks what its type must have, or came on a topic that belongs
    ///   to something else. An event of an unknown type is none of these.
    public init(topic: Topic, payload: [UInt8]) throws(ReadingError) {
        let object = try JSONObject(reading: payload)
        let type: String
        let data: JSONObject
        do throws(Rejection) {
            type = try object.text("type", maximum: 64).required("type")
            data = try object.object("data").required("data")
        } catch {
            throw .field(error.message)
        }
        self = try GatewayEvent.read(type, data) ?? .unknown(type: type)
        guard belongs(on: topic) else { throw .misplaced(type: type) }
    }

    private static func read(_ type: String, _ data: JSONObject) throws(ReadingError) -> GatewayEvent? {
        switch type {
        case "message.new", "message.edited", "message.deleted", "message.reaction":
            .record(try MessageRecord(reading: data))
        case "message.delivered", "message.read": .receipt(try Watermark(reading: data))
        case "typing.indicator": .typing(try TypingIndicator(reading: data))
        case "presence.updated": .presence(try PresenceUpdate(reading: data))
        case "conversation.created": .conversationCreated(try Conversation(reading: data))
        case "conversation.updated": .conversationUpdated(try Conversation(reading: data))
        case "conversation.removed": .conversationRemoved(try ConversationRemoval(reading: data).conversation)
        case "conversation.read": .conversationRead(try ConversationReading(reading: data))
        case "conversation.settings": .conversationSettings(try ConversationSettings(reading: data))
        case "message.request": .messageRequest(try MessageRequest(reading: data))
        case "friend.added": .friendAdded(try PersonNotice(reading: data).user)
        case "friend.removed": .friendRemoved(try PersonNotice(reading: data).user)
        case "user.blocked": .userBlocked(try PersonNotice(reading: data).user)
        case "user.unblocked": .userUnblocked(try PersonNotice(reading: data).user)
        case "device.revoked": .deviceRevoked(try DeviceRevocation(reading: data))
        case "device.renewed": .deviceRenewed(try DeviceRenewal(reading: data))
        case "device.added": .deviceAdded(try DeviceAddition(reading: data))
        case "push.ended": .pushEnded(try PushEnd(reading: data))
        case "link.offered": .linkOffered(try LinkOfferNotice(reading: data))
        case "link.approved": .linkApproved(try LinkApproval(reading: data))
        case "keys.changed": .keysChanged(try KeysChange(reading: data).user)
        case "activity.new": .activity(try ActivityItem(reading: data))
        case "activity.reaction": .activityReaction(try ActivityReaction(reading: data))
        case "notification.new": try notification(data)
        case "notification.cleared": .notificationsCleared(try NotificationsCleared(reading: data))
        case "challenge.updated": .challengeUpdated(try Challenge(reading: data))
        case "leaderboard.updated": .leaderboard(try Leaderboard(reading: data))
        case "week.ended": .weekEnded(try WeekEnd(reading: data))
        case "gateway.status": .gatewayStatus(try GatewayStatus(reading: data))
        default: try GroupEvent(type, data).map(GatewayEvent.group)
        }
    }

    /// Only what is also pushed says for which time its badge is true.
    private static func notification(_ data: JSONObject) throws(ReadingError) -> GatewayEvent {
        data.has("badge_at")
            ? .push(try PushNotification(reading: data)) : .notification(try FeedNotification(reading: data))
    }

    /// Whether the event belongs on the topic: who may subscribe to one topic may not learn what belongs on another.
    private func belongs(on topic: Topic) -> Bool {
        switch self {
        case .record(let record): topic == .conversation(record.conversation, .messages)
        case .receipt(let watermark): topic == .conversation(watermark.conversation, .receipts)
        case .typing(let indicator): topic == .conversation(indicator.conversation, .typing)
        case .presence(let update): topic == .user(update.user, .presence)
        case .conversationUpdated(let conversation): topic == .conversation(conversation.id, .info)
        case .challengeUpdated(let challenge): topic == .conversation(challenge.conversation, .challenges)
        case .deviceRevoked(let revocation): topic == .user(revocation.device.user, .events)
        case .deviceRenewed(let renewal): topic == .user(renewal.device.user, .events)
        case .deviceAdded(let addition): topic == .user(addition.device.user, .events)
        case .pushEnded(let end): topic == .user(end.device.user, .events)
        case .conversationCreated, .conversationRemoved, .conversationRead, .conversationSettings, .messageRequest,
            .friendAdded, .friendRemoved, .userBlocked, .userUnblocked, .linkOffered, .linkApproved, .keysChanged:
            if case .user(_, .events) = topic { true } else { false }
        case .group(let event): event.belongs(on: topic)
        case .push(let notification): topic == .user(notification.user, .notifications)
        case .notification, .notificationsCleared: if case .user(_, .notifications) = topic { true } else { false }
        case .activity(let item): topic == .user(item.user, .activity)
        case .activityReaction(let reaction): topic == .user(reaction.owner, .activity)
        case .leaderboard(let board):
            if case .group(board.group, let channel) = topic {
                board.type.name == channel.boardType?.rawValue
            } else {
                false
            }
        case .weekEnded(let end): topic == .group(end.group, .events)
        case .gatewayStatus: topic == .gatewayStatus
        case .unknown: true
        }
    }
}
