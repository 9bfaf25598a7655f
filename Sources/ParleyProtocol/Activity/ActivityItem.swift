/// The kind of an achievement.
public enum ActivityType: String, Sendable, CaseIterable {
    /// A number of days with a workout in a row. The gateway makes these.
    case streakMilestone = "streak_milestone"
    /// The gateway makes these too.
    case challengeWon = "challenge_won"
    case planCompleted = "plan_completed"
    case goalReached = "goal_reached"

    /// The types that devices post.
    public enum Posted: String, Sendable, CaseIterable {
        case planCompleted = "plan_completed"
        case goalReached = "goal_reached"

        public var type: ActivityType {
            switch self {
            case .planCompleted: .planCompleted
            case .goalReached: .goalReached
            }
        }
    }
}

/// An achievement, as its user and their friends see it: an item of `activity/list`, and the event `activity.new`.
public struct ActivityItem: AddressedEvent, GatewayObject {
    package static let names = ["activity.new"]
    package var topic: Topic { .user(user, .activity) }

    public let id: ActivityID
    public let user: UserID
    public let type: Named<ActivityType>
    public let title: String
    public let description: String?
    /// A JSON object without nested objects or arrays, as it was posted.
    public let metadata: [UInt8]
    public let timestamp: Timestamp
    /// The reactions that the reader may see: their own and their friends'.
    public let reactions: [UserID: String]

    public init(
        id: ActivityID, user: UserID, type: Named<ActivityType>, title: String, description: String?,
        metadata: [UInt8], timestamp: Timestamp, reactions: [UserID: String] = [:]
    ) {
        self.id = id
        self.user = user
        self.type = type
        self.title = title
        self.description = description
        self.metadata = metadata
        self.timestamp = timestamp
        self.reactions = reactions
    }

    /// The user comes before any text of theirs: the broker's plugin reads there who has caused the event.
    package init<Pass: FieldPass<ActivityItem>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        user = try pass.required("user_id", \.user)
        type = try pass.required("type", \.type)
        title = try pass.required("title", \.title, as: .name)
        description = try pass.optional("description", \.description, as: .text(Limits.descriptionCharacters))
        metadata = try pass.required("metadata", \.metadata, as: JSONForm(maximumBytes: .max))
        timestamp = try pass.required("timestamp", \.timestamp)
        reactions = try pass.required("reactions", \.reactions, as: .byUser(.text(Limits.emojiBytes)))
    }
}

/// The event `activity.reaction` on `users/{uid}/activity` of the item's owner.
public struct ActivityReaction: AddressedEvent, GatewayObject {
    package static let names = ["activity.reaction"]
    package var topic: Topic { .user(owner, .activity) }

    public let item: ActivityID
    /// The user who reacts.
    public let user: UserID
    public let owner: UserID
    /// `nil` for a reaction that was removed.
    public let emoji: String?
    public let at: Timestamp

    public init(item: ActivityID, user: UserID, owner: UserID, emoji: String?, at: Timestamp) {
        (self.item, self.user, self.owner, self.emoji, self.at) = (item, user, owner, emoji, at)
    }

    package init<Pass: FieldPass<ActivityReaction>>(fields pass: inout Pass) throws(Pass.Failure) {
        item = try pass.required("id", \.item)
        user = try pass.required("user_id", \.user)
        owner = try pass.required("owner_id", \.owner)
        emoji = try pass.optional("emoji", \.emoji, as: .text(Limits.emojiBytes))
        at = try pass.required("at", \.at)
    }
}
