/// The types of notification in the feed (protocol §5).
public enum NotificationType: String, Sendable, CaseIterable {
    /// A new member of one of the user's groups.
    case newMember = "new_member"
    /// Another member has overtaken the user on a board.
    case rankChange = "rank_change"
    case weekEnded = "week_ended"
    case challengeReceived = "challenge_received"
    case challengeAccepted = "challenge_accepted"
    case challengeDeclined = "challenge_declined"
    case challengeCancelled = "challenge_cancelled"
    case challengeExpired = "challenge_expired"
    case challengeCompleted = "challenge_completed"
    case messageRequest = "message_request"
    /// To a message of the user's, or to an item of their activity.
    case reaction
}

public struct NotificationID: UUIDIdentifier {
    public let value: UUIDValue
    public init(_ value: UUIDValue) { self.value = value }
}

public struct ActivityID: UUIDIdentifier {
    public let value: UUIDValue
    public init(_ value: UUIDValue) { self.value = value }
}
