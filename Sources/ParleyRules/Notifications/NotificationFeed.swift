import ParleyProtocol

/// What comes into somebody's feed of notifications, and how long it stays there.
package enum NotificationFeed {
    package static let lifetime = Duration.days(7)
    /// The most that a feed holds of what asks its owner for something, and of all else: a further one drops the oldest
    /// of its own kind that was read, or else the oldest, so that what only tells something never takes the place of
    /// what waits for an answer.
    package static let mostAsking = 100
    package static let mostTelling = 400
    /// The most that a feed holds.
    package static let most = mostAsking + mostTelling

    /// What is to be done with a new notification.
    package enum Decision: Hashable, Sendable {
        /// Nothing comes of it.
        case dropped
        case added
        /// Added, and the one of the same key that is there keeps no further one away.
        case addedAgain
        /// The one of the same key, which nobody has read yet, tells of it from now on, and is as new. Nobody is
        /// notified again.
        case refreshed
    }

    /// - Parameters:
    ///   - earlier: when one of the same key was added that is there still, by the steady time.
    ///   - isSilenced: whether the recipient has blocked its actor, or muted the conversation that it is muted with.
    ///   - steady: the steady time.
    package static func decide(
        _ notification: NewNotification, for recipient: UserID, earlier: Timestamp?, isSilenced: Bool, steady: Timestamp
    ) -> Decision {
        guard notification.actor != recipient, !isSilenced else { return .dropped }
        guard let earlier else { return .added }
        if notification.refreshesUnread { return .refreshed }
        guard let pause = notification.pause, steady >= earlier.advanced(by: pause) else { return .dropped }
        return .addedAgain
    }
}
