import ParleyProtocol

/// What comes into somebody's feed of notifications, and how long it stays there.
public enum NotificationFeed {
    public static let lifetime = Duration.days(7)
    /// The most that a feed holds: a further one drops the oldest.
    public static let most = 500

    /// What is to be done with a new notification.
    public enum Decision: Hashable, Sendable {
        /// Nothing comes of it.
        case dropped
        case added
        /// Added, and the one of the same key that is there keeps no further one away.
        case addedAgain
    }

    /// - Parameters:
    ///   - earlier: when one of the same key was added that is there still, by the steady time.
    ///   - isSilenced: whether the recipient has blocked its actor, or muted the conversation that it is muted with.
    ///   - steady: the steady time.
    public static func decide(
        _ notification: NewNotification, for recipient: UserID, earlier: Timestamp?, isSilenced: Bool, steady: Timestamp
    ) -> Decision {
        guard notification.actor != recipient, !isSilenced else { return .dropped }
        guard let earlier else { return .added }
        guard let pause = notification.pause, steady >= earlier.advanced(by: pause) else { return .dropped }
        return .addedAgain
    }
}
